// Whether there is time for the next call before a quotation runs out, and when it is certain that it has.
import { parseIsoTime } from '../base/clock.ts';

type Lifetime = { readonly createdAt: string; readonly expiredAt: string };

/** What create, upload and confirm together may need, for whoever has not measured it. */
const UNMEASURED_MS = 5_000;

/** A quotation is used for at least so much of its life, however long we may take: asking for another would give no more time. */
const SHARE_OF_CREATE = 2;

/** What the confirm alone may need. */
const CONFIRM_MARGIN_MS = 1_000;

/**
 * True while a create can still be followed by its confirm. `latestNow` is the latest time that it can be at the service; null when unknown.
 * @param neededMs what create, upload and confirm together may take, with a margin.
 */
export function mayCreate(quotation: Lifetime, latestNow: number | null, neededMs = UNMEASURED_MS): boolean {
  return hasLeft(quotation, latestNow, neededMs, SHARE_OF_CREATE);
}

/** True while a confirm can be expected to arrive in time. */
export function mayConfirm(transfer: Lifetime, latestNow: number | null): boolean {
  return hasLeft(transfer, latestNow, CONFIRM_MARGIN_MS, 10);
}

/** A tenth of its life is more than a price needs to be asked for and used. */
const AGE_SHARE_MOST = 0.1;

/** True when a price was got long before now, and not for this use of it. */
export function isAged({ createdAt, expiredAt }: Lifetime, latestNow: number | null): boolean {
  const [from, to] = [parseIsoTime(createdAt), parseIsoTime(expiredAt)];
  if (from === null || to === null || latestNow === null) return false;
  return latestNow - from > (to - from) * AGE_SHARE_MOST;
}

/** How long it lives as a whole; null when the service wrote a time that cannot be read. */
export function lifeMsOf({ createdAt, expiredAt }: Lifetime): number | null {
  const from = parseIsoTime(createdAt);
  const to = parseIsoTime(expiredAt);
  return from === null || to === null ? null : Math.max(0, to - from);
}

function hasLeft(
  lifetime: Lifetime,
  latestNow: number | null,
  marginMs: number,
  shareOfLife: number,
): boolean {
  const expiredAt = parseIsoTime(lifetime.expiredAt);
  // Without a readable expiry or any idea of the service's time, acting promptly is the best chance: the service decides anyway.
  if (expiredAt === null || latestNow === null) return true;
  const leftMs = expiredAt - latestNow;
  return leftMs > marginMs || leftMs > (lifeMsOf(lifetime) ?? 0) / shareOfLife;
}
