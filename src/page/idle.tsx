// The end of a session that nobody uses: whoever types is in use, and whoever does not is warned before it ends.
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Session } from '../contract/session.ts';
import { ask, BACKGROUND } from './api.ts';
import { useNow } from './data.ts';
import { t } from './language.ts';
import { Button } from './parts.tsx';
import { useSession } from './session.ts';

/** Typing sends nothing by itself. */
const RENEW_MS = 60_000;
const WARN_MS = 2 * 60_000;
const LOOK_MS = 15_000;

export function Idle() {
  const { session, change } = useSession();
  const [isNear, setNear] = useState(false);
  const renewed = useRef(Date.now());
  const now = useNow(LOOK_MS);
  const look = async (headers: Readonly<Record<string, string>>): Promise<void> => {
    const next = await ask<Session>('/session', { headers }).catch(() => null);
    if (next?.person?.id !== session.person.id) return;
    change(next);
    setNear(leftOf(next) < WARN_MS);
  };
  useEffect(() => {
    const used = (): void => {
      if (Date.now() - renewed.current < RENEW_MS) return;
      renewed.current = Date.now();
      void look({});
    };
    const kinds = ['keydown', 'pointerdown'] as const;
    for (const kind of kinds) addEventListener(kind, used);
    return () => {
      for (const kind of kinds) removeEventListener(kind, used);
    };
  }, [session.person.id]);
  // Other tabs and other requests renew it too: what is known here may be old.
  useEffect(() => {
    if (leftOf(session) < WARN_MS) void look(BACKGROUND);
  }, [now]);
  if (!isNear) return null;
  return (
    <div class="note warn idle" role="alert">
      <span>{t('shell.idle')}</span> <Button onClick={() => void look({})}>{t('shell.stay')}</Button>
    </div>
  );
}

function leftOf({ idleEndsAt }: Session): number {
  return idleEndsAt === null ? Infinity : Date.parse(idleEndsAt) - Date.now();
}
