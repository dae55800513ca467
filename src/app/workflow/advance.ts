// Carries a batch from state to state, by the table of `states.ts`, until it waits for something or has ended.
import { say } from '../../base/language.ts';
import { ENDED_BATCH, PAYING, isBeingRead } from '../../ledger/batch-states.ts';
import { LeaseLost } from '../../ledger/ledger-unusable.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { waitFor } from '../../ledger/wait.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { tableWords } from '../../rows/totals-row.ts';
import type { Paydrop } from '../parts.ts';
import { fileGone } from '../parts/describe-error.ts';
import type { RunControl } from '../parts/run-options.ts';
import { batchOf, type BatchResult, type Step, type Work, goEnded } from './batch/work.ts';
import { STATES } from './states.ts';
import { type OpenedFile, TakenFile } from './batch/profile-for.ts';
import { carryOutOrders, endGo } from './decisions/mailbox.ts';
import { elsewhere, keepWait, unfinished } from './tell.ts';
import { ManifestUnwritable } from '../../inbox/manifest.ts';

/** Goes on with a batch of this run from its present state, gives it back, and returns what to report about it; null for nothing. */
export async function advance(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
  opened: OpenedFile | null = null,
): Promise<BatchResult | null> {
  const file = new TakenFile(paydrop, batch, opened);
  const walked = walk({
    paydrop,
    batch,
    control,
    find: () => file.find(),
    open: () => file.open(),
    pace: null,
  });
  const result = await walked
    .catch((error: unknown) => cutShort(paydrop, batch, control, error))
    .finally(() => endGo(paydrop, batch, control.signal));
  // Reported once, when the file is read for the first time.
  if (result === null || !isBeingRead(batch) || file.table === null) return result;
  const about = tableWords(file.table).map((each) => say(each, paydrop.config.language));
  return { ...result, about: [...about, ...(result.about ?? [])] };
}

/** Only one go carries a batch: the one that took it over last. The next repeats what the disk did not take. */
async function cutShort(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
  error: unknown,
): Promise<BatchResult | null> {
  if (error instanceof ManifestUnwritable) {
    await keepWait(paydrop, batch, waitFor('manifest', error.words));
    return unfinished(paydrop, batch);
  }
  if (!(error instanceof LeaseLost)) throw error;
  const now = await batchOf(paydrop, batch.id);
  return ENDED_BATCH.has(now.state) ? unfinished(paydrop, now) : elsewhere(paydrop, now, control);
}

async function walk(from: Work): Promise<BatchResult | null> {
  for (let work = from; ;) {
    work = (await withOrders(work)) ?? work;
    const { paydrop, batch } = work;
    const step = await stepOf(work).catch((error: unknown) => {
      // Rows may be on their way by then, so an unreadable copy does not refuse the file any more.
      const isGone = error instanceof FileRefused && PAYING.has(batch.state);
      throw isGone ? fileGone(batch.id, batch.fileName) : error;
    });
    if (step.kind === 'go-ended') {
      // A step that ended because of an order is repeated once that is carried out.
      const again = await withOrders(work);
      if (again !== null) {
        work = again;
        continue;
      }
      logStanding(work, step.result);
      return step.result;
    }
    const now = await batchOf(paydrop, batch);
    // The batch was declined, or asked about once more, at this very moment: the next go finds that.
    if (step.kind === 'moved' && now.state === batch.state) return unfinished(paydrop, now);
    if (step.kind === 'moved')
      paydrop.log.info('batch moved on', { batch: batch.id, state: now.state, rows: now.rows });
    work = { ...work, batch: now, pace: step.kind === 'moved' ? (step.pace ?? null) : work.pace };
  }
}

/** The batch once what was ordered meanwhile is carried out; null where nothing was. One that has ended has no owner here. */
async function withOrders(work: Work): Promise<Work | null> {
  const { paydrop, batch, control } = work;
  if (control.signal.aborted || ENDED_BATCH.has(batch.state)) return null;
  const end = await carryOutOrders(paydrop, batch);
  return end === 'none' ? null : { ...work, batch: await batchOf(paydrop, batch) };
}

async function stepOf(work: Work): Promise<Step> {
  const { gates, work: act } = STATES[work.batch.state];
  for (const gate of Object.values(gates)) {
    const waits = await gate(work);
    if (waits !== null) return goEnded(waits);
  }
  return act(work);
}

/** If there is nothing to report about a batch, nothing is logged about it either. */
function logStanding({ paydrop, batch }: Work, result: BatchResult | null): void {
  if (result === null) return;
  const { state, standing, outcomes, waitingFor } = result.summary;
  const code = waitingFor === null ? {} : { code: waitingFor };
  const happened = Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0));
  paydrop.log.info('batch stands', {
    batch: batch.id,
    state,
    standing,
    rows: batch.rows,
    ...code,
    outcomes: happened,
  });
}
