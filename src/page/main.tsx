// Where the page begins: language first, then who is signed in, then the screen of the address.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Session } from '../contract/session.ts';
import { ask, onSignedOut, Problem } from './api.ts';
import { forgetAll } from './data.ts';
import { applyTheme, openLanguage, t } from './language.ts';
import { lookAgain, openLive } from './live.ts';
import { Waiting } from './parts.tsx';
import { usePlace } from './router.tsx';
import { SessionContext, type SignedIn } from './session.ts';
import { Shell } from './shell.tsx';
import { Enrol, SignIn, SignInLayer } from './sign-in.tsx';

const RETRY_MS = 3_000;

function isSignedIn(session: Session): session is SignedIn {
  return session.person !== null;
}

function App() {
  const [session, change] = useState<Session | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isEnded, setEnded] = useState(false);
  const { path } = usePlace();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const read = (): void => {
      ask<Session>('/session').then(change, (error: unknown) => {
        // It is read again until it is there.
        const isAway = error instanceof Problem && error.code === 'unreachable';
        if (isAway) setProblem(new Problem(0, 'unreachable', t('problem.unread')));
        else if (error instanceof Problem) setProblem(error);
        timer = setTimeout(read, RETRY_MS);
      });
    };
    // The screen stays: what was typed there is not sent yet.
    onSignedOut(() => setEnded(true));
    read();
    return () => clearTimeout(timer);
  }, []);

  const signedIn = (next: Session): void => {
    const isOther = next.person?.id !== session?.person?.id;
    if (isOther) forgetAll();
    setEnded(false);
    change(next);
    if (isEnded && !isOther) lookAgain();
  };
  if (path === '/setup' || path === '/invitation')
    return <Enrol isSetup={path === '/setup'} onDone={signedIn} />;
  if (session === null)
    return (
      <main class="door">
        <Waiting problem={problem} />
      </main>
    );
  if (!isSignedIn(session)) return <SignIn session={session} onDone={signedIn} />;
  openLive();
  return (
    <SessionContext.Provider value={{ session, change: isEnded ? () => undefined : signedIn }}>
      <Shell key={session.person.id} />
      {isEnded ? <SignInLayer session={session} onDone={signedIn} /> : null}
    </SessionContext.Provider>
  );
}

applyTheme();
await openLanguage();
const root = document.getElementById('page');
if (root !== null) render(<App />, root);
