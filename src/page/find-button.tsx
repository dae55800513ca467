// Opens the search from every screen, by a button or Ctrl-K. Only then is it brought.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { t } from './language.ts';
import { Button } from './parts.tsx';

type Finder = FunctionComponent<{ readonly onClose: () => void }>;

export function FindButton() {
  const [Shown, show] = useState<{ readonly Find: Finder } | null>(null);
  const open = (): void =>
    void import('./find.tsx').then(
      ({ Find }) => show((now) => now ?? { Find }),
      () => undefined,
    );
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // Behind a question that is open, nothing else is asked.
      if (document.querySelector('dialog[open]') === null) open();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <Button kind="quiet" onClick={open}>
        {t('batch.search')} <kbd>Ctrl K</kbd>
      </Button>
      {Shown === null ? null : <Shown.Find onClose={() => show(null)} />}
    </>
  );
}
