// Where the page begins: language first, then who is signed in, then the screen of the address.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { ask, onSignedOut, Problem } from './api.ts';
import { applyTheme, openLanguage } from './language.ts';
import { openLive } from './live.ts';
import { Waiting } from './parts.tsx';
import { usePlace } from './router.tsx';
import { SessionContext, type SignedIn } from './session.ts';
import type { Session } from './shapes.ts';
import { Shell } from './shell.tsx';
import { Enrol, SignIn } from './sign-in.tsx';

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
        if (error instanceof Problem) setProblem(error);
        timer = setTimeout(read, RETRY_MS);
      });
    };
    onSignedOut(() => {
      setEnded(true);
      change((last) => (last === null ? null : { ...last, person: null }));
    });
    read();
    return () => clearTimeout(timer);
  }, []);

  const signedIn = (next: Session): void => {
    setEnded(false);
    change(next);
  };
  if (path === '/setup' || path === '/invitation')
    return <Enrol isSetup={path === '/setup'} onDone={signedIn} />;
  if (session === null)
    return (
      <main class="door">
        <Waiting problem={problem} />
      </main>
    );
  if (!isSignedIn(session)) return <SignIn session={session} isEnded={isEnded} onDone={signedIn} />;
  openLive();
  return (
    <SessionContext.Provider value={{ session, change }}>
      <Shell />
    </SessionContext.Provider>
  );
}

applyTheme();
await openLanguage();
const root = document.getElementById('page');
if (root !== null) render(<App />, root);
