// A stop that a person was told to lift by `release` stands until then, or until a run gets past it: whatever else halts the file meanwhile must
// not make the same words decide about its held rows instead.
import type { RunEnd } from '../../../delivery/runner.ts';
import type { StoppedBy } from '../../../payouts/verdict.ts';

/** The ones that `release` of a whole batch lifts, and nothing else with it. */
const LIFTED: ReadonlySet<StoppedBy> = new Set<StoppedBy>(['limits', 'refusals', 'missed-time']);

/** Ends that say nothing of whether it would still stop the file. */
const UNASKED: ReadonlySet<RunEnd['kind']> = new Set<RunEnd['kind']>([
  'interrupted',
  'paused',
  'credentials',
  'service',
]);

/** What stops the file once the run has ended so, beside what had stopped it before. */
export function stopAfter(end: RunEnd, before: StoppedBy | null = null): StoppedBy | null {
  const standing = before !== null && LIFTED.has(before) ? before : null;
  if (end.kind === 'operator') return end.stop.by === 'stop-file' ? (standing ?? 'stop-file') : end.stop.by;
  return UNASKED.has(end.kind) ? standing : null;
}
