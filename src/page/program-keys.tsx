// The keys of programs: which there are, how one is made, and what is shown once.
import { useState } from 'preact/hooks';

import type { ProgramKey } from '../contract/people.ts';
import type { List } from '../contract/schema.ts';
import { SCOPES, type Scope } from '../contract/words.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { Dialog } from './dialog.tsx';
import { t } from './language.ts';
import { Button, Checks, Empty, Field, Note, Trouble, Waiting, When } from './parts.tsx';
import { orderSigned, useSession } from './session.ts';
import { Table } from './table.tsx';

export function ProgramKeys({ isAdmin }: { readonly isAdmin: boolean }) {
  const keys = useData<List<ProgramKey>>('/keys');
  const [isMaking, setMaking] = useState(false);
  const close = (): void => {
    setMaking(false);
    keys.reload();
  };
  return (
    <>
      <h2>{t('people.keys')}</h2>
      <p class="soft">{t('people.keysWords')}</p>
      {keys.data === null ? (
        <Waiting problem={keys.problem} />
      ) : keys.data.data.length === 0 ? (
        <Empty>{t('people.noKeys')}</Empty>
      ) : (
        <Keys keys={keys.data.data} isAdmin={isAdmin} onChanged={close} />
      )}
      {isAdmin ? <Button onClick={() => setMaking(true)}>{t('people.makeKey')}</Button> : null}
      {isMaking ? <MakeKey onClose={close} /> : null}
    </>
  );
}

function Keys({
  keys,
  isAdmin,
  onChanged,
}: {
  readonly keys: readonly ProgramKey[];
  readonly isAdmin: boolean;
  readonly onChanged: () => void;
}) {
  const order = useOrder();
  const end = (prefix: string): void =>
    order.run(async () => {
      await ask(`/keys/${prefix}`, { method: 'DELETE' });
      onChanged();
    });
  return (
    <>
      <Table
        columns={[
          { name: t('people.name'), isHead: true, value: ({ name }) => name },
          { name: t('people.key'), value: ({ prefix }) => <code>{prefix}…</code> },
          { name: t('people.scopes'), value: ({ scopes }) => scopes.join(', ') },
          { name: t('people.seen'), value: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
          { name: t('people.until'), value: ({ endsAt }) => <When at={endsAt} /> },
          {
            name: t('people.remove'),
            value: ({ prefix }) =>
              isAdmin ? <Button onClick={() => end(prefix)}>{t('people.remove')}</Button> : '',
          },
        ]}
        rows={keys}
        keyOf={({ prefix }) => prefix}
      />
      <Trouble problem={order.problem} />
    </>
  );
}

/** What is shown once, and never again. */
export function Secret({
  words,
  text,
  onClose,
}: {
  readonly words: string;
  readonly text: string;
  readonly onClose: () => void;
}) {
  return (
    <>
      <Note kind="warn">{words}</Note>
      <p>
        <code>{text}</code>
      </p>
      <div class="actions">
        <Button kind="main" onClick={() => void navigator.clipboard.writeText(text)}>
          {t('people.copy')}
        </Button>
        <Button onClick={onClose}>{t('part.close')}</Button>
      </div>
    </>
  );
}

function MakeKey({ onClose }: { readonly onClose: () => void }) {
  const { session } = useSession();
  const [name, setName] = useState('');
  const [until, setUntil] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['files:read']);
  const [key, setKey] = useState<string | null>(null);
  const order = useOrder();
  const make = async (): Promise<void> => {
    const endsAt = until === '' ? null : `${until}T00:00:00Z`;
    const body = { name: name.trim(), scopes, endsAt };
    const made = await orderSigned<{ readonly key: string }>(session.signing, 'POST', '/keys', body);
    setKey(made.key);
  };
  return (
    <Dialog title={t('people.makeKey')} onClose={onClose}>
      {key !== null ? (
        <Secret words={t('people.keyOnce')} text={key} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            order.run(make);
          }}
        >
          <Field label={t('people.program')} value={name} onInput={setName} required autoFocus />
          <Checks
            legend={t('people.scopes')}
            all={SCOPES}
            chosen={scopes}
            words={(scope) => scope}
            onChange={setScopes}
          />
          <Field type="date" label={t('people.until')} value={until} onInput={setUntil} />
          <Trouble problem={order.problem} />
          <div class="actions">
            <Button
              kind="main"
              type="submit"
              busy={order.isBusy}
              disabled={name.trim() === '' || scopes.length === 0}
            >
              {t('people.makeKey')}
            </Button>
            <Button onClick={onClose}>{t('part.cancel')}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
