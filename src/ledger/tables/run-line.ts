// The line of a run, as both stores have it, and what is given back with it.
import type { RunId } from '../../payouts/progress.ts';
import type { Plan } from '../plan.ts';
import type { RunRecord } from '../runs.ts';
import type { Found } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';
import { endBatchesOf } from './batches.ts';
import { endAccountsOf } from './exchange.ts';
import { endNoticesOf } from './notices.ts';

/** All that a run held. A dead one did not give back its batches: the run that takes one over must know that. @param own the run that ends it. */
export function* giveBackAll(run: RunId, own: RunId): Plan<void> {
  if (run === own) yield* endBatchesOf(run);
  yield* endNoticesOf(run);
  yield* endAccountsOf(run);
}

export function toRunRecord(found: Found): RunRecord {
  return {
    run: String(found['run']),
    host: String(found['host']),
    boot: textOrNull(found['boot']),
    namespace: textOrNull(found['namespace']),
    pid: Number(found['pid']),
    start: textOrNull(found['start']),
    startedAt: String(found['started_at']),
    beatAt: Number(found['beat_at']),
    note: textOrNull(found['note']),
  };
}
