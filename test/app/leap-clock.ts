// A clock that runs like another, by default the system's, and leaps ahead when a test says so: hours and days pass at once, and a run's own
// work takes its real time. A sleeper wakes when a leap passes its time.
import { systemClock, type Clock } from '../../src/base/clock.ts';

export type LeapClock = Clock & { readonly leap: (ms: number) => void };

export function leapClock(base: Clock = systemClock): LeapClock {
  let aheadMs = 0;
  const asleep = new Set<AbortController>();
  return {
    now: () => base.now() + aheadMs,
    monotonic: () => base.monotonic() + aheadMs,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      const woken = new AbortController();
      asleep.add(woken);
      await base.sleep(ms, signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]));
      asleep.delete(woken);
    },
    leap: (ms) => {
      aheadMs += ms;
      for (const woken of asleep) woken.abort();
    },
  };
}
