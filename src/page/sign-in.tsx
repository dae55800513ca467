// The door: signing in, the very first person, and everybody who was invited. A link's token stands behind `#`, so that no log ever holds it.
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Invited, PersonRef, Session } from '../contract/session.ts';
import { LANGUAGES } from '../contract/words.ts';
import { ask, Problem, wordsOf } from './api.ts';
import { useOrder } from './data.ts';
import { Dialog } from './dialog.tsx';
import { chooseLanguage, language, LANGUAGE_NAMES, t } from './language.ts';
import { Button, Field, Trouble } from './parts.tsx';
import { askEnrolment, enrol, hasPasskeys, signIn } from './session.ts';
import { go } from './router.tsx';
import { rolesInWords } from './session.ts';

function Door({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · paydrop`;
  }, [title]);
  return (
    <main class="door">
      <p class="brand">paydrop</p>
      <h1>{title}</h1>
      {children}
      <Languages />
    </main>
  );
}

export function Languages() {
  return (
    <p class="languages">
      {LANGUAGES.map((each) => (
        <button
          key={each}
          type="button"
          class="button quiet"
          lang={each}
          aria-pressed={each === language()}
          onClick={() => chooseLanguage(each)}
        >
          {LANGUAGE_NAMES[each]}
        </button>
      ))}
    </p>
  );
}

type Done = (session: Session) => void;

type SignInProps = { readonly session: Session; readonly onDone: Done };

export function SignIn(props: SignInProps) {
  return (
    <Door title={t('door.title')}>
      <Ways {...props} />
    </Door>
  );
}

/** Over the screen of somebody whose session has ended, with all that was typed there. */
export function SignInLayer(props: SignInProps) {
  return (
    <Dialog title={t('door.title')} onClose={() => undefined}>
      <p role="status">{t('door.ended')}</p>
      <Ways {...props} />
    </Dialog>
  );
}

function Ways({ session, onDone }: SignInProps) {
  const order = useOrder();
  const { demo, oidc, needsSetup } = session;
  const refused = refusal(location.hash);
  return (
    <>
      {needsSetup ? <p class="note warn">{t('door.needsSetup')}</p> : null}
      {demo === null ? (
        <>
          <p>{t('door.passkey')}</p>
          <Button
            kind="main"
            busy={order.isBusy}
            onClick={() => order.run(async () => onDone(await signIn()))}
          >
            {t('door.signIn')}
          </Button>
          {hasPasskeys() ? null : <p class="note warn">{t('problem.noPasskeys')}</p>}
        </>
      ) : (
        <People people={demo} order={order} onDone={onDone} />
      )}
      {oidc === null ? null : (
        <p>
          <a class="button" href="/api/v1/session/oidc">
            {t('door.oidc', { name: oidc.name })}
          </a>
        </p>
      )}
      <Trouble problem={order.problem ?? refused} />
    </>
  );
}

/** Why the provider's answer opened nothing, as the server has written it behind `#`. */
function refusal(hash: string): Problem | null {
  switch (hash) {
    case '#sign-in=refused':
      return new Problem(401, 'refused', t('door.refused'));
    case '#sign-in=name':
      return new Problem(409, 'name', t('door.nameTaken'));
    case '#sign-in=away':
      return new Problem(503, 'away', t('door.away'));
    default:
      return null;
  }
}

/** Of the demo, with play money: who is to be is chosen. */
function People({
  people,
  order,
  onDone,
}: {
  readonly people: readonly PersonRef[];
  readonly order: ReturnType<typeof useOrder>;
  readonly onDone: Done;
}) {
  return (
    <>
      <p>{t('door.demo')}</p>
      <ul class="plain-list">
        {people.map(({ id, name, roles }) => (
          <li key={id}>
            <Button busy={order.isBusy} onClick={() => order.run(async () => onDone(await actAs(id)))}>
              {name} – {rolesInWords(roles)}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Signs in as one of the demo's people; the token of the printed link is needed once. */
export async function actAs(person: string): Promise<Session> {
  const token = location.hash.slice(1);
  const session = await ask<Session>('/session/demo', {
    method: 'POST',
    body: { person, ...(token === '' ? {} : { token }) },
  });
  if (token !== '') history.replaceState(null, '', location.pathname + location.search);
  return session;
}

/** `/setup#token` makes the first person, `/invitation#token` one who was invited. */
export function Enrol({ isSetup, onDone }: { readonly isSetup: boolean; readonly onDone: Done }) {
  const [token] = useState(() => location.hash.slice(1));
  const [name, setName] = useState('');
  const [device, setDevice] = useState(t('door.thisDevice'));
  const [invited, setInvited] = useState<Invited | null>(null);
  const [refused, setRefused] = useState<Problem | null>(null);
  const order = useOrder();

  useEffect(() => {
    if (isSetup) return;
    askEnrolment({ token }).then(setInvited, (error: unknown) =>
      setRefused(error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error))),
    );
  }, [isSetup, token]);

  const submit = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    order.run(async () => {
      const coming = isSetup ? { token, name: name.trim() } : { token };
      const session = await enrol(coming, device.trim());
      go('/', { replace: true });
      onDone(session);
    });
  };
  return (
    <Door title={isSetup ? t('door.setup') : t('door.invitation')}>
      <p>
        {isSetup ? t('door.setupWords') : null}
        {invited === null
          ? null
          : t('door.invited', {
              name: invited.name,
              roles: rolesInWords(invited.roles),
            })}
      </p>
      {refused === null ? (
        <form onSubmit={submit}>
          {isSetup ? (
            <Field label={t('door.yourName')} value={name} onInput={setName} required autoFocus />
          ) : null}
          <DeviceName value={device} onInput={setDevice} />
          <Button
            kind="main"
            type="submit"
            busy={order.isBusy}
            disabled={(isSetup && name.trim() === '') || device.trim() === ''}
          >
            {t('door.makePasskey')}
          </Button>
        </form>
      ) : null}
      <Trouble problem={order.problem ?? refused} />
    </Door>
  );
}

function DeviceName({
  value,
  onInput,
}: {
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return <Field label={t('door.deviceName')} hint={t('door.deviceHint')} required {...{ value, onInput }} />;
}
