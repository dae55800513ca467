// The clock of one process in virtual time. Its wall time may be wrong by a day or jump; only its durations can be relied on.
import type { Clock } from '../../src/base/clock.ts';
import type { Life } from './life.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** A process that only waits is woken ever later, as on a busy machine; without it hours of waiting would be thousands of turns. */
const OVERSLEEP_FIRST_MS = 200;
const OVERSLEEP_GROWTH = 12;
const OVERSLEEP_MOST_MS = 300_000;

export type VirtualClock = Clock & {
  /** The process does something else than waiting: it is woken in time again. */
  wake(): void;
  /** Sets the wall clock wrong by so much more. */
  jump(ms: number): void;
};

export function virtualClock(
  scheduler: Scheduler,
  life: Life,
  random: Random,
  wrongByMs: number,
): VirtualClock {
  let wrongMs = wrongByMs;
  let oversleepMs = 0;
  const startedAt = scheduler.now;
  return {
    now: () => scheduler.now + wrongMs,
    monotonic: () => scheduler.now - startedAt,
    random: () => random.next(),
    wake: () => {
      oversleepMs = 0;
    },
    jump: (ms) => {
      wrongMs += ms;
    },
    sleep: (ms, signal) => {
      const lateMs = oversleepMs;
      oversleepMs = Math.min(OVERSLEEP_MOST_MS, oversleepMs * OVERSLEEP_GROWTH + OVERSLEEP_FIRST_MS);
      return life.act('sleep', () => asleep(scheduler, Math.max(0, ms) + Math.floor(lateMs), signal));
    },
  };
}

function asleep(scheduler: Scheduler, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const scheduled = scheduler.after(ms, resolve);
    signal?.addEventListener('abort', () => {
      scheduled.cancel();
      resolve();
    });
  });
}
