// How long to wait before the next try: doubling, bounded, and spread at random so that waiting rows do not return in one crowd.

export type Backoff = { readonly firstMs: number; readonly mostMs: number };

/** The wait before try number `tries + 1`, in milliseconds: between half and all of the doubled step. `random` is from 0 to 1. */
export function backoffMs(backoff: Backoff, tries: number, random: number): number {
  // 30 doublings are longer than any `mostMs`; more would overflow the shift.
  const step = Math.min(backoff.mostMs, backoff.firstMs * 2 ** Math.min(tries, 30));
  return Math.round(step / 2 + (step / 2) * random);
}
