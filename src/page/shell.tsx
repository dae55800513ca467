// The frame of all screens: where to go, whether the view is live, the stop that everybody may pull, and the screen itself.
import { type FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Stop } from '../contract/decisions.ts';
import { ask, Problem } from './api.ts';
import { useData, useNow, useOrder } from './data.ts';
import { ago, moment, t } from './language.ts';
import { useLiveState } from './live.ts';
import { WindowDrop } from './window-drop.tsx';
import { ReasonDialog } from './dialog.tsx';
import { FindButton, loadFind } from './find-button.tsx';
import { Idle } from './idle.tsx';
import { Menu } from './menu.tsx';
import { Button, Empty, Heading } from './parts.tsx';
import { Link, match, usePlace } from './router.tsx';
import { may, orderSigned, useSession } from './session.ts';
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
  ['/payees', async () => (await import('./payees.tsx')).Payees],
  ['/payees/:payee', async () => (await import('./payees.tsx')).PayeeScreen],
  ['/held', async () => (await import('./held.tsx')).Held],
  ['/held/:batch', async () => (await import('./held-rows.tsx')).HeldRows],
  ['/answers', async () => (await import('./answers.tsx')).Answers],
  ['/schedules', async () => (await import('./schedules.tsx')).Schedules],
  ['/money', async () => (await import('./money.tsx')).Money],
  ['/reconcile', async () => (await import('./reconcile.tsx')).Reconcile],
  ['/people', async () => (await import('./people.tsx')).People],
  ['/settings', async () => (await import('./settings.tsx')).Settings],
  ['/profiles', async () => (await import('./profiles.tsx')).Profiles],
  ['/audit', async () => (await import('./audit.tsx')).Audit],
  ['/parts', async () => (await import('./parts-screen.tsx')).Parts],
];

export function Shell() {
  const { path } = usePlace();
  const { session } = useSession();
  const stop = useData<Stop>('/stop', { kinds: ['stop', 'trouble', 'batch'] });
  useOtherScreens();
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
        <FindButton />
        <Liveness />
        <StopButton stop={stop.data} onStopped={stop.put} />
      </header>
      <StopBanner stop={stop.data} onLifted={stop.put} />
      <Idle />
      <WindowDrop />
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
      void opened(
        load,
        () => isStill,
        () => show({ Screen: Unopened, pattern }),
      ).then((Screen) => {
        if (isStill && Screen !== null) show({ Screen, pattern });
      });
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

/** Opens a screen, for as long as it is wanted; a server that is away is waited for. */
async function opened(load: Load, isWanted: () => boolean, onAway: () => void): Promise<Screen | null> {
  for (let tries = 0; isWanted(); tries += 1) {
    const screen = await load().catch(() => null);
    if (screen !== null) return screen;
    const build = await buildNow();
    // A new version of paydrop has other chunks; and a browser may not ask twice for one that it did not get.
    if (build !== null && (build !== BUILD || tries > 0)) location.reload();
    if (tries === 0) onAway();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  return null;
}

const AGAIN_MS = 3_000;

/** What the page was built as: the first part that it names bears the digest of its content. */
const BUILD = buildIn(document);

function buildIn(page: Document): string | null {
  return page.querySelector('script[type=module]')?.getAttribute('src') ?? null;
}

/** Null where the server does not answer. */
async function buildNow(): Promise<string | null> {
  const response = await fetch('/', { cache: 'no-store' }).catch(() => null);
  if (response?.ok !== true) return null;
  const [, src = null] = /<script[^>]*\bsrc="([^"]+)"/.exec(await response.text()) ?? [];
  return src;
}

function Unopened() {
  return (
    <>
      <Heading title={t('shell.cannotOpen')} />
      <p class="note warn" role="alert">
        {t('shell.cannotOpenWords')}
      </p>
    </>
  );
}

/** Brings the search and the screens that were not opened yet, while nobody waits for anything: a click finds them even where the server is away, and a key no delay. */
function useOtherScreens(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      void (async () => {
        for (const load of [loadFind, ...SCREENS.map(([, screen]) => screen)]) await load().catch(() => null);
      })();
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
}

const QUIET_MS = 3_000;

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
  const [tries, setTries] = useState(0);
  const wanted = useRef(0);
  const order = useOrder();
  if (stop?.stop !== null && stop !== null) return null;
  const close = (): void => {
    wanted.current += 1;
    setAsking(false);
  };
  const stopNow = async (reason: string): Promise<void> => {
    const mine = (wanted.current += 1);
    setTries(0);
    // Stopping twice is stopping once, so that it may be repeated until it is answered.
    for (let tried = 1; ; tried += 1) {
      const stopped = await ask<Stop>('/stop', { method: 'PUT', body: { reason } }).catch(orNull);
      if (stopped !== null) {
        onStopped(stopped);
        close();
        return;
      }
      setTries(tried);
      await new Promise((resolve) => setTimeout(resolve, STOP_AGAIN_MS));
      if (mine !== wanted.current) return;
    }
  };
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t('stop.button')}
      </Button>
      {isAsking ? (
        <ReasonDialog
          title={t('stop.title')}
          words={
            <>
              <p>{t('stop.words')}</p>
              {tries === 0 ? null : (
                <p class="note bad" role="alert">
                  {t('stop.notYet', { n: tries })}
                </p>
              )}
            </>
          }
          action={t('stop.go')}
          kind="danger"
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={close}
          onGo={(reason) => order.run(() => stopNow(reason))}
        />
      ) : null}
    </>
  );
}

const STOP_AGAIN_MS = 2_000;

/** Null for a server that did not answer: it may yet. */
function orNull(error: unknown): null {
  if (error instanceof Problem && (error.status === 0 || error.status >= 500)) return null;
  throw error;
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
