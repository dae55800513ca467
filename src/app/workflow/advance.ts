// Carries a batch from state to state, as `states.ts` has them, until it waits for something or has ended.
import { say } from '../../base/language.ts';
import { lookForStop } from '../../inbox/stop-file.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { BatchResult } from './batch-result.ts';
import { batchOf } from './close/finish-batch.ts';
import { belowPaymentsWords } from '../../rows/totals-row.ts';
import { STATES } from './states.ts';
import { refuseFile, unreadable } from './take/refuse-file.ts';
import { reopenBatch } from './take/reopen-batch.ts';
import { halt, unfinished } from './unfinished-batch.ts';
import type { Work } from './work.ts';
import { isBeingRead, PAYING } from '../../ledger/batch-states.ts';
import { fileGone } from '../parts/describe-error.ts';
import { FileRefused } from '../../rows/file-refused.ts';

/** Goes on with a batch from wherever it stands, and says what there is to tell of it. */
export async function advance(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
): Promise<BatchResult> {
  const halted = lookForStop(paydrop.workspace);
  if (halted !== null) return halt(paydrop, batch, halted);
  const opened = await reopenBatch(paydrop, batch);
  if ('refusal' in opened) return refuseFile(paydrop, batch, unreadable(opened.refusal));
  const result = await walk({ paydrop, batch, ...opened, control, pace: null });
  // Said once, when the file is read for the first time.
  if (!isBeingRead(batch)) return result;
  const about = belowPaymentsWords(opened.read.table).map((each) => say(each, paydrop.config.language));
  return { ...result, about: [...about, ...(result.about ?? [])] };
}

async function walk(from: Work): Promise<BatchResult> {
  const { log } = from.paydrop;
  for (let work = from; ;) {
    const { paydrop, batch } = work;
    const state = STATES[batch.state];
    if (state.work === null) return unfinished(paydrop, batch);
    const step = await state.work(work).catch((error: unknown) => {
      // Rows may be on their way by then: that its copy cannot be read any more refuses nothing.
      const isGone = error instanceof FileRefused && PAYING.has(batch.state);
      throw isGone ? fileGone(batch.id, batch.fileName) : error;
    });
    if (step.kind === 'told') {
      const { state, outcomes, waitingFor } = step.result.summary;
      const code = waitingFor === null ? {} : { code: waitingFor };
      log.info('batch stands', {
        batch: batch.id,
        state,
        rows: batch.rows,
        ...code,
        outcomes: happened(outcomes),
      });
      return step.result;
    }
    const now = await batchOf(paydrop, batch.id);
    // Declined, or asked anew, at this very moment: the next go finds it so.
    if (now.state === batch.state) return unfinished(paydrop, now);
    log.info('batch moved on', { batch: batch.id, state: now.state, rows: now.rows });
    work = { ...work, batch: now, pace: step.pace ?? null };
  }
}

function happened(outcomes: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0));
}
