// Opens the search from every screen, by a button or Ctrl-K. Only then is it brought.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Problem } from './api.ts';
import { t } from './language.ts';
import { Button, Trouble } from './parts.tsx';

type Finder = FunctionComponent<{ readonly onClose: () => void }>;
/** Null while nothing is asked. */
type LoadedFinder = { readonly Find: Finder } | { readonly problem: Problem } | null;

export function loadFind(): Promise<{ readonly Find: Finder }> {
  return import('./find.tsx');
}

export function FindButton() {
  const [shown, show] = useState<LoadedFinder>(null);
  const open = (): void =>
    void loadFind().then(
      ({ Find }) => show((now) => now ?? { Find }),
      () => show({ problem: new Problem(0, 'unreachable', t('problem.unreachable')) }),
    );
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      // Behind a question that is open, nothing else is asked, and the keys are the browser's.
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <Button kind="quiet" onClick={open} keys="Control+K Meta+K">
        {t('batch.search')}{' '}
        <kbd class="wide-only" aria-hidden="true">
          Ctrl K
        </kbd>
      </Button>
      {shown === null ? null : 'Find' in shown ? (
        <shown.Find onClose={() => show(null)} />
      ) : (
        <Trouble problem={shown.problem} />
      )}
    </>
  );
}
