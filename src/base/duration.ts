// Durations as people write them in the config and on the command line: 500ms, 2s, 15m, 1h, 5d.

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `2s`, `15m`, `5d` or a bare `0` into milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text.trim());
  if (match === null) return null;
  const [, count = '', unit] = match;
  if (unit === undefined) return Number(count) === 0 ? 0 : null;
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** A duration in words for a progress line: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function describeDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
