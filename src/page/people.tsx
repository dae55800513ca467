// Who may come in and do what, who was invited, and which programs have keys.
import { useState } from 'preact/hooks';

import type { Invitation, PersonView } from '../contract/people.ts';
import type { List } from '../contract/schema.ts';
import { ROLES, type Role } from '../contract/words.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { Dialog } from './dialog.tsx';
import { t } from './language.ts';
import { Button, Checks, Field, Heading, Trouble, Waiting, When } from './parts.tsx';
import { orderSigned } from './session.ts';
import { may, rolesInWords, useSession } from './session.ts';
import { Table } from './table.tsx';
import { ProgramKeys, Secret } from './program-keys.tsx';

export function People() {
  const { session } = useSession();
  const isAdmin = may(session, 'admin');
  const people = useData<List<PersonView>>('/people');
  const invitations = useData<List<Invitation>>(isAdmin ? '/people/invitations' : null);
  const [dialog, setDialog] = useState<'invite' | PersonView | null>(null);
  const close = (): void => {
    setDialog(null);
    people.reload();
    invitations.reload();
  };
  return (
    <>
      <Heading title={t('nav.people')}>
        {isAdmin ? (
          <Button kind="main" onClick={() => setDialog('invite')}>
            {t('people.invite')}
          </Button>
        ) : null}
      </Heading>
      {people.data === null ? (
        <Waiting problem={people.problem} />
      ) : (
        <PeopleTable people={people.data.data} onPick={isAdmin ? setDialog : null} onChanged={close} />
      )}
      <Invitations invitations={invitations.data?.data ?? []} onChanged={close} />
      <ProgramKeys isAdmin={isAdmin} />
      {dialog === 'invite' ? <Invite onClose={close} /> : null}
      {dialog !== null && typeof dialog === 'object' ? <ChangeRoles person={dialog} onClose={close} /> : null}
    </>
  );
}

function PeopleTable({
  people,
  onPick,
  onChanged,
}: {
  readonly people: readonly PersonView[];
  readonly onPick: ((person: PersonView) => void) | null;
  readonly onChanged: () => void;
}) {
  const { session } = useSession();
  const order = useOrder();
  const confirm = (id: string, roles: readonly Role[]): void =>
    order.run(async () => {
      await orderSigned(session.signing, 'POST', `/people/${id}/confirmation`, { roles });
      onChanged();
    });
  return (
    <>
      <Table
        columns={[
          { name: t('people.name'), isHead: true, value: ({ name }) => name },
          {
            name: t('people.roles'),
            value: ({ id, roles, pending }) => (
              <>
                {rolesInWords(roles)}
                {pending === null ? null : (
                  <span class="warn-text">
                    {' '}
                    {t('people.pending', { roles: rolesInWords(pending.roles), by: pending.by })}{' '}
                    {onPick === null ? null : (
                      <Button onClick={() => confirm(id, pending.roles)}>{t('people.confirm')}</Button>
                    )}
                  </span>
                )}
              </>
            ),
          },
          { name: t('people.passkeys'), isNumber: true, value: ({ passkeys }) => passkeys.length },
          { name: t('people.seen'), value: ({ lastSeenAt }) => <When at={lastSeenAt} /> },
          {
            name: t('people.change'),
            value: (person) =>
              onPick === null ? '' : <Button onClick={() => onPick(person)}>{t('people.change')}</Button>,
          },
        ]}
        rows={people}
        keyOf={({ id }) => id}
      />
      <Trouble problem={order.problem} />
    </>
  );
}

function Invitations({
  invitations,
  onChanged,
}: {
  readonly invitations: readonly Invitation[];
  readonly onChanged: () => void;
}) {
  const order = useOrder();
  if (invitations.length === 0) return null;
  const end = (id: string): void =>
    order.run(async () => {
      await ask(`/people/invitations/${id}`, { method: 'DELETE' });
      onChanged();
    });
  return (
    <>
      <h2>{t('people.invited')}</h2>
      <Table
        columns={[
          { name: t('people.name'), isHead: true, value: ({ name }) => name },
          { name: t('people.roles'), value: ({ roles }) => rolesInWords(roles) },
          { name: t('people.until'), value: ({ endsAt }) => <When at={endsAt} /> },
          {
            name: t('people.remove'),
            value: ({ id }) => <Button onClick={() => end(id)}>{t('people.remove')}</Button>,
          },
        ]}
        rows={invitations}
        keyOf={({ id }) => id}
      />
      <Trouble problem={order.problem} />
    </>
  );
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const { session } = useSession();
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<readonly Role[]>(['maker']);
  const [url, setUrl] = useState<string | null>(null);
  const order = useOrder();
  const invite = async (): Promise<void> => {
    const body = { name: name.trim(), roles };
    const made = await orderSigned<{ readonly url: string }>(
      session.signing,
      'POST',
      '/people/invitations',
      body,
    );
    setUrl(made.url);
  };
  return (
    <Dialog title={t('people.invite')} onClose={onClose}>
      {url !== null ? (
        <Secret words={t('people.linkOnce')} text={url} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            order.run(invite);
          }}
        >
          <Field label={t('people.name')} value={name} onInput={setName} required autoFocus />
          <Checks
            legend={t('people.roles')}
            all={ROLES}
            chosen={roles}
            words={(role) => rolesInWords([role])}
            onChange={setRoles}
          />
          <Trouble problem={order.problem} />
          <div class="actions">
            <Button
              kind="main"
              type="submit"
              busy={order.isBusy}
              disabled={name.trim() === '' || roles.length === 0}
            >
              {t('people.makeLink')}
            </Button>
            <Button onClick={onClose}>{t('part.cancel')}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function ChangeRoles({ person, onClose }: { readonly person: PersonView; readonly onClose: () => void }) {
  const { session } = useSession();
  const [roles, setRoles] = useState<readonly Role[]>(person.roles);
  const order = useOrder();
  const send = (method: 'PUT' | 'DELETE', path: string, body: Readonly<Record<string, unknown>> = {}): void =>
    order.run(async () => {
      await orderSigned(session.signing, method, path, body);
      onClose();
    });
  return (
    <Dialog title={person.name} onClose={onClose}>
      <Checks
        legend={t('people.roles')}
        all={ROLES}
        chosen={roles}
        words={(role) => rolesInWords([role])}
        onChange={setRoles}
      />
      <Trouble problem={order.problem} />
      <div class="actions">
        <Button
          kind="main"
          busy={order.isBusy}
          disabled={roles.length === 0}
          onClick={() => send('PUT', `/people/${person.id}/roles`, { roles })}
        >
          {t('people.saveRoles')}
        </Button>
        <Button kind="danger" busy={order.isBusy} onClick={() => send('DELETE', `/people/${person.id}`)}>
          {t('people.removePerson')}
        </Button>
        <Button onClick={onClose}>{t('part.cancel')}</Button>
      </div>
    </Dialog>
  );
}
