// A clock on which everything takes its usual time, but each second passes in a fraction of one: no test waits longer for a pause or an interval
// than it must. Nothing is skipped, and all events keep their real order.
import { systemClock, type Clock } from '../../src/base/clock.ts';

/** So many seconds in one: more of them would make calls that are under way look slow. */
const FASTER = 5;

/** It starts behind the times of the files on disk, which it would otherwise soon be ahead of. */
const BEHIND_MS = 86_400_000;

export function briskClock(): Clock {
  const [startedAt, began] = [systemClock.now() - BEHIND_MS, systemClock.monotonic()];
  const passedMs = (): number => (systemClock.monotonic() - began) * FASTER;
  return {
    now: () => Math.floor(startedAt + passedMs()),
    monotonic: () => began + passedMs(),
    random: () => systemClock.random(),
    sleep: (ms, signal) => systemClock.sleep(ms / FASTER, signal),
  };
}
