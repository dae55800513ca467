// A clock that is set to a day and runs on from there, several times as fast as ours; setting it wakes its sleepers. When it is set back, only
// wall time goes back, as on a real machine.
import type { Clock } from '../../../src/base/clock.ts';
import { briskClock } from '../brisk-clock.ts';

export type CalendarClock = Clock & { readonly goTo: (time: string) => void };

/** Times are ISO, in UTC. */
export function calendarClock(start: string): CalendarClock {
  const base = briskClock();
  let wrongMs = Date.parse(start) - base.now();
  let aheadMs = 0;
  const asleep = new Set<AbortController>();
  return {
    now: () => base.now() + wrongMs,
    monotonic: () => base.monotonic() + aheadMs,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      const woken = new AbortController();
      asleep.add(woken);
      const signals = signal === undefined ? [woken.signal] : [signal, woken.signal];
      await base.sleep(ms, AbortSignal.any(signals));
      asleep.delete(woken);
    },
    goTo: (time) => {
      const before = base.now() + wrongMs;
      wrongMs = Date.parse(time) - base.now();
      aheadMs += Math.max(0, Date.parse(time) - before);
      for (const woken of asleep) woken.abort();
    },
  };
}
