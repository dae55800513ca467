// A clock whose time stands still until a test moves it, so that expiry, settlement and reversal happen when the test says so.
import type { Clock } from '../../src/base/clock.ts';

export type ManualClock = Clock & {
  /** Moves time on and wakes everybody whose sleep ends by then. */
  advance(ms: number): void;
  /** How many are asleep. */
  sleepers(): number;
};

type Sleeper = { readonly untilMs: number; readonly wake: () => void };

/** Any moment would do; this one is no round number of seconds. */
const START_MS = Date.parse('2026-11-20T08:30:00.250Z');

/** `random` always draws the middle, so that a spread around a duration is exactly that duration. */
export function manualClock(startMs: number = START_MS): ManualClock {
  let nowMs = startMs;
  const asleep = new Set<Sleeper>();
  return {
    now: () => nowMs,
    monotonic: () => nowMs - startMs,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted === true) {
          resolve();
          return;
        }
        const sleeper: Sleeper = {
          untilMs: nowMs + ms,
          wake: () => {
            asleep.delete(sleeper);
            resolve();
          },
        };
        asleep.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    advance(ms) {
      nowMs += ms;
      for (const sleeper of [...asleep]) if (sleeper.untilMs <= nowMs) sleeper.wake();
    },
    sleepers: () => asleep.size,
  };
}
