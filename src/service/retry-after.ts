// The `Retry-After` header: seconds or an HTTP date, sometimes absurd. It is obeyed up to a bound.

/** Nobody is kept waiting longer than this by one header; after it we ask again. */
const LONGEST_MS = 5 * 60_000;

/** Milliseconds to wait, between 0 and five minutes; null when the header is missing or means nothing. `now` in ms since 1970. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}
