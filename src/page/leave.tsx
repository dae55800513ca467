// Who approves for whom while they are on leave: one's own delegates, those for whom one stands, and all of them for an admin.
import { useState } from 'preact/hooks';

import type { Delegation } from '../contract/people.ts';
import type { List } from '../contract/schema.ts';
import type { PersonRef } from '../contract/session.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { t } from './language.ts';
import { Button, Choice, Field, Trouble, Waiting } from './parts.tsx';
import { may, orderSigned, useSession } from './session.ts';
import { Table } from './table.tsx';

export function Leave() {
  const { session } = useSession();
  const { data, problem, reload } = useData<List<Delegation>>('/delegations');
  const order = useOrder();
  const isApprover = may(session, 'checker');
  if (data === null) return <Waiting problem={problem} />;
  if (data.data.length === 0 && !isApprover) return null;
  const end = (id: string): void =>
    order.run(async () => {
      await ask(`/delegations/${id}`, { method: 'DELETE' });
      reload();
    });
  return (
    <>
      <h2>{t('leave.person')}</h2>
      <p class="soft">{t('leave.words')}</p>
      {data.data.length === 0 ? null : (
        <Table
          columns={[
            { name: t('leave.person'), isHead: true, value: ({ person }) => person.name },
            { name: t('leave.delegate'), value: ({ delegate }) => delegate.name },
            { name: t('leave.from'), value: ({ from }) => from },
            { name: t('people.until'), value: ({ to }) => to },
            {
              name: t('people.remove'),
              value: ({ id }) => <Button onClick={() => end(id)}>{t('settings.endSession')}</Button>,
            },
          ]}
          rows={data.data}
          keyOf={({ id }) => id}
        />
      )}
      <Trouble problem={order.problem} />
      {isApprover ? <NameDelegate onNamed={reload} /> : null}
    </>
  );
}

function NameDelegate({ onNamed }: { readonly onNamed: () => void }) {
  const { session } = useSession();
  const { data } = useData<List<PersonRef>>('/delegations/people');
  const [said, setSaid] = useState({ delegate: '', from: '', to: '' });
  const order = useOrder();
  const people = data?.data ?? [];
  const name = async (): Promise<void> => {
    await orderSigned(session.signing, 'POST', '/delegations', said);
    setSaid({ delegate: '', from: '', to: '' });
    onNamed();
  };
  const isWhole = Object.values(said).every((each) => each !== '');
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) order.run(name);
      }}
    >
      <Choice
        label={t('leave.delegate')}
        value={said.delegate}
        options={[['', '–'], ...people.map((each) => [each.id, each.name] as const)]}
        onChange={(delegate) => setSaid({ ...said, delegate })}
      />
      <Field
        type="date"
        label={t('leave.from')}
        value={said.from}
        onInput={(from) => setSaid({ ...said, from })}
      />
      <Field
        type="date"
        label={t('people.until')}
        value={said.to}
        onInput={(to) => setSaid({ ...said, to })}
      />
      <Button type="submit" busy={order.isBusy} disabled={!isWhole}>
        {t('leave.name')}
      </Button>
      <Trouble problem={order.problem} />
    </form>
  );
}
