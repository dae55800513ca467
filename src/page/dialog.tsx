// The question before something is done that others will see.
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import type { Problem } from './api.ts';
import { t } from './language.ts';
import { Button, Field, Trouble } from './parts.tsx';

/** Over the page, with the rest out of reach; Escape closes it, and focus goes back to where it came from. */
export function Dialog({
  title,
  onClose,
  children,
  isDrawer = false,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** At the side, as high as the screen, and read from its title on: what can be pressed comes later. A click beside it closes it. */
  readonly isDrawer?: boolean;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isDrawer ? 'drawer' : undefined}
      autofocus={isDrawer}
      aria-labelledby={id}
      onClick={(event) => {
        if (isDrawer && event.target === dialog.current) onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A question with a reason, before something is done that others will see. */
export function ReasonDialog({
  title,
  words,
  action,
  kind = 'main',
  needsReason = true,
  label = t('part.reason'),
  isBusy,
  problem,
  onGo,
  onClose,
}: {
  readonly title: string;
  readonly words: ComponentChildren;
  readonly action: string;
  readonly kind?: 'main' | 'danger';
  readonly needsReason?: boolean;
  /** What is asked for, where that is no reason. */
  readonly label?: string;
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly onGo: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const isReady = !needsReason || reason.trim() !== '';
  const submit = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isReady && !isBusy) onGo(reason.trim());
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="words">{words}</div>
        {needsReason ? <Field label={label} value={reason} onInput={setReason} required autoFocus /> : null}
        <Trouble problem={problem} />
        <div class="actions">
          <Button kind={kind} type="submit" busy={isBusy} disabled={!isReady}>
            {action}
          </Button>
          <Button onClick={onClose}>{t('part.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
