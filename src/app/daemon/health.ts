// Whether the daemon does its work: it looks at the inbox again and again, and the ledger can be read. Whoever restarts a process that is not well
// must not restart one that only waits for funds or for a service.
import type { Paydrop } from '../parts.ts';

export type Health = {
  readonly status: 'ok' | 'failing';
  /** In words; empty when it is well. */
  readonly reasons: readonly string[];
  /** How long ago the daemon looked at the inbox. */
  readonly lookedSecondsAgo: number;
};

/** Beside two scans: a file of a million rows is read between two looks. */
const LOOK_PATIENCE_MS = 3 * 60_000;

export async function healthOf({ config, clock, ledger, meter }: Paydrop): Promise<Health> {
  const agoMs = clock.monotonic() - meter.lookedAt();
  const withinMs = 2 * config.intake.scanEvery + LOOK_PATIENCE_MS;
  const seconds = Math.round(agoMs / 1_000);
  const unread = await ledger.batch('health').then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : 'unknown'),
  );
  const reasons = [
    agoMs > withinMs ? `The daemon has not looked at the inbox for ${String(seconds)} s.` : null,
    unread === null ? null : `The ledger cannot be read: ${unread}`,
  ].filter((words) => words !== null);
  return { status: reasons.length === 0 ? 'ok' : 'failing', reasons, lookedSecondsAgo: seconds };
}
