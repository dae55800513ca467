// The frame of all screens: where to go, whether the view is live, the stop that everybody may pull, and the screen itself.
import { type FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { ask, type List } from './api.ts';
import { useData, useNow, useOrder } from './data.ts';
import { ago, chooseLanguage, type Key, language, moment, t } from './language.ts';
import { useLiveState } from './live.ts';
import { ReasonDialog } from './dialog.tsx';
import { Button, Empty, Heading, Light, Trouble } from './parts.tsx';
import { go, Link, match, usePlace } from './router.tsx';
import { may, orderSigned, useSession } from './session.ts';
import { type HeldGroup, type Question, type Role, type Session, type Stop } from './shapes.ts';
import { actAs } from './sign-in.tsx';
import { NeedsYou } from './needs-you.tsx';

type Screen = FunctionComponent<{ readonly params: readonly string[] }>;
type Load = () => Promise<Screen>;

const NOW =
  (screen: Screen): Load =>
  () =>
    Promise.resolve(screen);

/** Screens that are not the first one come when they are opened. */
const SCREENS: readonly (readonly [pattern: string, load: Load])[] = [
  ['/', NOW(NeedsYou)],
  ['/drop', async () => (await import('./drop.tsx')).Drop],
  ['/drop/:id/columns', async () => (await import('./columns.tsx')).Columns],
  ['/drop/:upload', async () => (await import('./check.tsx')).Check],
  ['/drop/:upload/cost', async () => (await import('./cost.tsx')).Cost],
  ['/files', async () => (await import('./files.tsx')).Files],
  ['/files/:batch', async () => (await import('./batch.tsx')).Batch],
  ['/approvals', async () => (await import('./approvals.tsx')).Approvals],
  ['/approvals/:batch', async () => (await import('./approval.tsx')).Approval],
  ['/held', async () => (await import('./held.tsx')).Held],
  ['/answers', async () => (await import('./answers.tsx')).Answers],
  ['/schedules', async () => (await import('./schedules.tsx')).Schedules],
  ['/money', async () => (await import('./money.tsx')).Money],
  ['/reconcile', async () => (await import('./reconcile.tsx')).Reconcile],
  ['/people', async () => (await import('./people.tsx')).People],
  ['/settings', async () => (await import('./settings.tsx')).Settings],
  ['/audit', async () => (await import('./audit.tsx')).Audit],
];

type Entry = readonly [to: string, words: Key, ...roles: readonly Role[]];

const MENU: readonly Entry[] = [
  ['/', 'nav.needsYou'],
  ['/drop', 'nav.drop', 'maker'],
  ['/files', 'nav.files'],
  ['/approvals', 'nav.approvals'],
  ['/held', 'nav.held'],
  ['/answers', 'nav.answers'],
  ['/money', 'nav.money'],
  ['/schedules', 'nav.schedules'],
  ['/reconcile', 'nav.reconcile', 'treasurer'],
  ['/people', 'nav.people', 'admin', 'auditor'],
  ['/audit', 'nav.audit', 'admin', 'auditor'],
  ['/settings', 'nav.settings'],
];

export function Shell() {
  const { path } = usePlace();
  const { session } = useSession();
  const stop = useData<Stop>('/stop', { kinds: ['stop', 'trouble', 'batch'] });
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t('nav.skip')}
      </a>
      <header class="top">
        <Link to="/" class="brand">
          paydrop
        </Link>
        {session.sandbox ? <span class="sandbox">{t('shell.sandbox')}</span> : null}
        <span class="spring" />
        <Liveness />
        <StopButton stop={stop.data} onStopped={stop.put} />
      </header>
      <StopBanner stop={stop.data} onLifted={stop.put} />
      <div class="body">
        <Menu path={path} />
        <main id="content" tabIndex={-1}>
          <ScreenAt path={path} />
        </main>
      </div>
    </div>
  );
}

function ScreenAt({ path }: { readonly path: string }) {
  const [shown, show] = useState<{ readonly Screen: Screen; readonly pattern: string } | null>(null);
  const isFirst = useRef(true);
  const [pattern, load] = SCREENS.find(([each]) => match(each, path) !== null) ?? ['', null];
  useEffect(() => {
    let isStill = true;
    if (load === null) show(null);
    else
      load().then(
        (Screen) => {
          if (isStill) show({ Screen, pattern });
        },
        // A new version of paydrop has other chunks.
        () => location.reload(),
      );
    return () => {
      isStill = false;
      // Also where the reader goes on before the first screen is there.
      isFirst.current = false;
    };
  }, [pattern]);
  // At once with the screen: a key that is pressed meanwhile must not meet what had the focus before.
  useLayoutEffect(() => {
    // A person who listens to the page is told that the screen has changed.
    if (!isFirst.current) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [shown]);
  if (load === null)
    return (
      <>
        <Heading title={t('shell.unknown')} />
        <Empty>{t('shell.unknownWords')}</Empty>
      </>
    );
  if (shown === null || shown.pattern !== pattern) return null;
  const { Screen } = shown;
  return <Screen key={path} params={match(pattern, path) ?? []} />;
}

function Menu({ path }: { readonly path: string }) {
  const { session } = useSession();
  const [isOpen, setOpen] = useState(false);
  const approvals = useData<List<Question>>('/approvals?state=waiting', { kinds: ['approval', 'batch'] });
  const held = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const mine = (approvals.data?.data ?? []).filter(({ mayAnswer }) => mayAnswer).length;
  const heldRows = (held.data?.data ?? []).reduce((sum, { rows }) => sum + rows, 0);
  const badge: Readonly<Record<string, number>> = { '/approvals': mine, '/held': heldRows };
  useEffect(() => setOpen(false), [path]);
  return (
    <div class={isOpen ? 'menu open' : 'menu'}>
      <button
        type="button"
        class="button plain burger"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('nav.menu')}
      </button>
      <nav aria-label={t('nav.label')}>
        <ul>
          {MENU.filter(([, , ...roles]) => roles.length === 0 || may(session, ...roles)).map(
            ([to, words]) => (
              <li key={to}>
                <Link to={to} current={to === '/' ? path === '/' : path.startsWith(to)}>
                  {t(words)}
                  {(badge[to] ?? 0) > 0 ? <span class="badge">{badge[to]}</span> : null}
                </Link>
              </li>
            ),
          )}
        </ul>
        <Self />
      </nav>
    </div>
  );
}

/** Who is signed in, in which language and light. */
function Self() {
  const { session, change } = useSession();
  const order = useOrder();
  const { person, demo = null } = session;
  const leave = async (): Promise<void> => {
    change(await ask<Session>('/session', { method: 'DELETE' }).then(() => ask<Session>('/session')));
    go('/', { replace: true });
  };
  return (
    <div class="self">
      {demo === null ? (
        <b>{person.name}</b>
      ) : (
        <label>
          <span class="hint">{t('shell.actingAs')}</span>
          <select
            value={person.id}
            onChange={({ currentTarget }) => order.run(async () => change(await actAs(currentTarget.value)))}
          >
            {demo.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        <span class="hint">{t('shell.language')}</span>
        <select
          value={language()}
          onChange={({ currentTarget }) => chooseLanguage(currentTarget.value === 'fr' ? 'fr' : 'en')}
        >
          <option value="en">English</option>
          <option value="fr">Français</option>
        </select>
      </label>
      <Light />
      {demo === null ? (
        <Button kind="quiet" busy={order.isBusy} onClick={() => order.run(leave)}>
          {t('shell.signOut')}
        </Button>
      ) : null}
      <Trouble problem={order.problem} />
    </div>
  );
}

function Liveness() {
  const [{ is, since }, pause] = useLiveState();
  const words = { at: moment(new Date(since).toISOString()) };
  const sign = is === 'live' ? '●' : is === 'paused' ? '❚❚' : '○';
  return (
    <span class={`live ${is}`}>
      <span role="status">
        <span aria-hidden="true">{sign}</span> {t(`live.${is}`, words)}
      </span>
      <Button kind="quiet" onClick={() => pause(is !== 'paused')}>
        {is === 'paused' ? t('live.resume') : t('live.pause')}
      </Button>
    </span>
  );
}

type StopProps = { readonly stop: Stop | null };

function StopButton({ stop, onStopped }: StopProps & { readonly onStopped: (stop: Stop) => void }) {
  const [isAsking, setAsking] = useState(false);
  const order = useOrder();
  if (stop?.stop !== null && stop !== null) return null;
  const close = (): void => setAsking(false);
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t('stop.button')}
      </Button>
      {isAsking ? (
        <ReasonDialog
          title={t('stop.title')}
          words={<p>{t('stop.words')}</p>}
          action={t('stop.go')}
          kind="danger"
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={close}
          onGo={(reason) =>
            order.run(async () => {
              onStopped(await ask<Stop>('/stop', { method: 'PUT', body: { reason } }));
              close();
            })
          }
        />
      ) : null}
    </>
  );
}

function StopBanner({ stop, onLifted }: StopProps & { readonly onLifted: (stop: Stop) => void }) {
  const { session } = useSession();
  const [isAsking, setAsking] = useState(false);
  const order = useOrder();
  const now = useNow();
  if (stop?.stop === null || stop === null) return null;
  const { words, since } = stop.stop;
  const close = (): void => setAsking(false);
  return (
    <div class="stop-banner" role="alert">
      <p>
        <b>{t('stop.banner')}</b> {words} {since === null ? null : <span>({ago(since, now)})</span>}
      </p>
      {may(session, 'checker') ? <Button onClick={() => setAsking(true)}>{t('stop.lift')}</Button> : null}
      {isAsking ? (
        <ReasonDialog
          title={t('stop.lift')}
          words={<p>{t('stop.liftWords')}</p>}
          action={t('stop.lift')}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={close}
          onGo={(reason) =>
            order.run(async () => {
              onLifted(await orderSigned<Stop>(session.signing, 'DELETE', '/stop', { reason }));
              close();
            })
          }
        />
      ) : null}
    </div>
  );
}
