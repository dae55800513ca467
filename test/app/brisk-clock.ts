// A clock on which everything takes its usual time, and every second of it is over in a fraction of one: what waits, settles or is looked at now
// and then is waited for no longer than it must be. Nothing is skipped, and the order of everything is what it is in life.
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
