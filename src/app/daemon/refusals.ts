// Counts the requests that are not from the service. The log gets their number once a minute, so that a flood fills no disk, and who sends more
// than anybody does by mistake is told to slow down.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

/** Often enough to see an attack, or a key that was changed on one side only. */
const TELL_EVERY_MS = 60_000;
const SECOND_MS = 1_000;

export type Refusals = {
  /** The status to refuse the next one with. */
  next(): 401 | 429;
  /** Tells of those that the log has not been told of yet. */
  tell(): void;
};

export function refusals(perSecond: number, log: Log, clock: Clock): Refusals {
  let untold = 0;
  let toldAt = -Infinity;
  let second = { startMs: -Infinity, count: 0 };
  const tell = (): void => {
    if (untold === 0) return;
    log.warn('webhooks refused: unknown address or wrong signature', { httpStatus: 401, tries: untold });
    toldAt = clock.monotonic();
    untold = 0;
  };
  const next = (): 401 | 429 => {
    const now = clock.monotonic();
    if (now >= second.startMs + SECOND_MS) second = { startMs: now, count: 0 };
    second.count += 1;
    untold += 1;
    if (now >= toldAt + TELL_EVERY_MS) tell();
    return second.count > perSecond ? 429 : 401;
  };
  return { next, tell };
}
