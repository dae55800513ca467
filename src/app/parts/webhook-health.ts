// Whether the service's notifications reach this process. Only when some have is polling left to its longest pause: an address that is wrong, or a
// proxy that is down, must not be found out by payments whose end nobody hears of for longer than before.
import type { Clock } from '../../base/clock.ts';

export type Hearing = {
  /** A notification that was signed by the service has come. */
  heard(): void;
  isTrusted(): boolean;
};

/** A desk that pays a few times a day is unsure again between its batches, and sure with the first notification of each. */
const TRUST_MS = 3_600_000;

export function openHearing(clock: Clock): Hearing {
  let heardAt = -Infinity;
  return {
    heard: () => {
      heardAt = clock.monotonic();
    },
    isTrusted: () => clock.monotonic() - heardAt < TRUST_MS,
  };
}
