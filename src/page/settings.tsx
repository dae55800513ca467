// The findings of doctor about the set-up, with remedies, and the reader's own passkeys and sessions.
import { useState } from 'preact/hooks';

import type { Finding } from '../contract/people.ts';
import type { List } from '../contract/schema.ts';
import type { Mine } from '../contract/session.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { t } from './language.ts';
import { Leave } from './leave.tsx';
import { Notices } from './notices.tsx';
import { Button, Empty, Field, Heading, Note, Tag, Trouble, Waiting, When } from './parts.tsx';
import { addPasskey, orderSigned, stepUp } from './session.ts';
import { may, useSession } from './session.ts';
import { Table } from './table.tsx';

export function Settings() {
  const { session } = useSession();
  return (
    <>
      <Heading title={t('nav.settings')} />
      {session.signing === 'click' ? <Note>{t('settings.demo')}</Note> : <Own />}
      {session.signing === 'click' ? null : <Leave />}
      <Notices />
      {may(session, 'admin', 'treasurer', 'auditor') ? <Doctor /> : null}
    </>
  );
}

function Own() {
  const { session, change } = useSession();
  const { data, problem, reload } = useData<Mine>('/session/mine');
  const [name, setName] = useState('');
  const order = useOrder();
  if (data === null) return <Waiting problem={problem} />;
  const run = (work: () => Promise<unknown>): void =>
    order.run(async () => {
      await work();
      setName('');
      reload();
    });
  const isFirst = data.passkeys.length === 0;
  const add = async (): Promise<void> => {
    await addPasskey(
      name.trim(),
      isFirst ? undefined : await stepUp(session.signing, 'POST /session/passkeys'),
    );
    change({ ...session, passkeys: data.passkeys.length + 1 });
  };
  return (
    <>
      <h2>{t('settings.passkeys')}</h2>
      {isFirst && session.signing === 'passkey' ? (
        <Note kind="warn">{t('settings.firstPasskey')}</Note>
      ) : null}
      <Table
        columns={[
          { name: t('people.name'), isHead: true, value: (key) => key.name },
          { name: t('settings.made'), value: ({ createdAt }) => <When at={createdAt} /> },
          { name: t('people.seen'), value: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
          {
            name: t('people.remove'),
            value: ({ id }) => (
              <Button
                onClick={() => run(() => orderSigned(session.signing, 'DELETE', `/session/passkeys/${id}`))}
              >
                {t('people.remove')}
              </Button>
            ),
          },
        ]}
        rows={data.passkeys}
        keyOf={({ id }) => id}
      />
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') run(add);
        }}
      >
        <Field label={t('door.deviceName')} value={name} onInput={setName} />
        <Button type="submit" busy={order.isBusy} disabled={name.trim() === ''}>
          {t('settings.addPasskey')}
        </Button>
      </form>
      <Trouble problem={order.problem} />
      <OwnSessions
        sessions={data.sessions}
        onEnd={(id) => run(() => ask(`/session/mine/${id}`, { method: 'DELETE' }))}
      />
    </>
  );
}

function OwnSessions({
  sessions,
  onEnd,
}: {
  readonly sessions: Mine['sessions'];
  readonly onEnd: (id: string) => void;
}) {
  return (
    <>
      <h2>{t('settings.sessions')}</h2>
      <Table
        columns={[
          { name: t('settings.begun'), isHead: true, value: ({ createdAt }) => <When at={createdAt} /> },
          { name: t('people.seen'), value: ({ lastSeenAt }) => <When at={lastSeenAt} /> },
          {
            name: t('people.remove'),
            value: ({ id, isThis }) =>
              isThis ? (
                t('settings.thisSession')
              ) : (
                <Button onClick={() => onEnd(id)}>{t('settings.endSession')}</Button>
              ),
          },
        ]}
        rows={sessions}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function Doctor() {
  const { data, problem, reload } = useData<List<Finding>>('/doctor');
  return (
    <>
      <h2>{t('settings.doctor')}</h2>
      <p>
        <Button onClick={reload}>{t('settings.lookAgain')}</Button>
      </p>
      {data === null ? (
        <Waiting problem={problem} />
      ) : data.data.length === 0 ? (
        <Empty>{t('settings.nothing')}</Empty>
      ) : (
        <Table
          columns={[
            { name: t('files.state'), value: ({ ok }) => <Tag of={ok ? 'ok' : 'problem'} /> },
            { name: t('settings.what'), isHead: true, value: ({ name }) => name },
            { name: t('settings.found'), value: ({ words }) => words },
          ]}
          rows={data.data}
          keyOf={(_, at) => String(at)}
        />
      )}
    </>
  );
}
