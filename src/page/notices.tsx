// What the reader is told of without looking at the page, and the address that gets it once its owner has typed the code that came there.
import { useState } from 'preact/hooks';

import type { Notices as Own } from '../contract/notices.ts';
import { NOTICE_KINDS } from '../contract/words.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { t, time } from './language.ts';
import { Button, Field, Note, Trouble, Waiting } from './parts.tsx';
import { Checks } from './program-keys.tsx';
import { orderSigned, useSession } from './session.ts';

export function Notices() {
  const { data, problem, reload } = useData<Own>('/session/notices');
  const order = useOrder();
  if (data === null) return <Waiting problem={problem} />;
  const run = (work: () => Promise<unknown>): void =>
    order.run(async () => {
      await work();
      reload();
    });
  return (
    <>
      <h2>{t('notices.title')}</h2>
      <p class="soft">{t('notices.words')}</p>
      {data.mail.isOffered ? (
        <>
          <Address mail={data.mail} isBusy={order.isBusy} run={run} />
          <Checks
            legend={t('notices.mail')}
            all={NOTICE_KINDS}
            chosen={data.chosen.mail}
            words={(kind) => t(`notices.${kind}`)}
            onChange={(mail) => run(() => ask('/session/notices', { method: 'PUT', body: { mail } }))}
          />
        </>
      ) : (
        <Note>{t('notices.noMail')}</Note>
      )}
      <Trouble problem={order.problem} />
    </>
  );
}

type AddressProps = {
  readonly mail: Own['mail'];
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<unknown>) => void;
};

function Address({ mail: { address, asked }, isBusy, run }: AddressProps) {
  const { session } = useSession();
  const [typed, setTyped] = useState('');
  const [code, setCode] = useState('');
  const path = '/session/notices/address';
  const send = async (): Promise<void> => {
    await orderSigned(session.signing, 'POST', path, { address: typed.trim() });
    setTyped('');
  };
  const confirm = async (): Promise<void> => {
    await ask(`${path}/code`, { method: 'POST', body: { code: code.trim() } });
    setCode('');
  };
  return (
    <>
      {address === null ? (
        <p>{t('notices.noAddress')}</p>
      ) : (
        <p>
          <b>{address}</b>{' '}
          <Button onClick={() => run(() => ask(path, { method: 'DELETE' }))}>{t('notices.remove')}</Button>
        </p>
      )}
      <Asking
        label={t('notices.address')}
        action={t('notices.send')}
        value={typed}
        isBusy={isBusy}
        onInput={setTyped}
        onGo={() => run(send)}
      />
      {asked === null ? null : (
        <>
          <p role="status">
            {t('notices.sent', { address: asked.address, time: time(Date.parse(asked.endsAt)) })}
          </p>
          <Asking
            label={t('notices.code')}
            action={t('people.confirm')}
            value={code}
            isBusy={isBusy}
            onInput={setCode}
            onGo={() => run(confirm)}
          />
        </>
      )}
    </>
  );
}

/** One field and its button. */
function Asking({
  label,
  action,
  value,
  isBusy,
  onInput,
  onGo,
}: {
  readonly label: string;
  readonly action: string;
  readonly value: string;
  readonly isBusy: boolean;
  readonly onInput: (value: string) => void;
  readonly onGo: () => void;
}) {
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== '') onGo();
      }}
    >
      <Field label={label} value={value} onInput={onInput} />
      <Button type="submit" busy={isBusy} disabled={value.trim() === ''}>
        {action}
      </Button>
    </form>
  );
}
