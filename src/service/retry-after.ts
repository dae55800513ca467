// The `Retry-After` header: seconds or an HTTP date, sometimes absurd. It is obeyed up to a bound.

/** Nobody is kept waiting longer than this by one header; after it we ask again. */
const LONGEST_MS = 5 * 60_000;

const HTTP_DATE = /^[A-Z][a-z]+, /;

/** Milliseconds to wait, between 0 and five minutes; null when the header is missing or means nothing. `now` in ms since 1970. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  // Date.parse makes dates of nearly anything; only the HTTP form is one.
  const ms = HTTP_DATE.test(text) ? Date.parse(text) - now : NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}
