// From a taken file to an accepted batch: every row is validated and registered, compared with all other batches, and priced where that decides
// whether the file is accepted.
import { setImmediate as turn } from 'node:timers/promises';

import { formatAmount } from '../../../base/currency.ts';
import { DecimalSum } from '../../../base/decimal.ts';
import { type DocumentList, readDocumentList } from '../../../inbox/documents.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isBeingRead } from '../../../ledger/batch-states.ts';
import { isToCome } from '../../../ledger/days.ts';
import { type BatchRecord, type Content, type NewRow, tenureOf } from '../../../ledger/records.ts';
import { keysOf } from '../../../payouts/payment-keys.ts';
import { liftsItself } from '../../../payouts/hold.ts';
import { type Payout, requestedCurrency } from '../../../payouts/payout.ts';
import { type Progress, type Tenure, begunBy, stageOrHeld } from '../../../payouts/progress.ts';
import { isCancelled } from '../../../payouts/cancelled.ts';
import { startContentFingerprint } from '../../../rows/content-fingerprint.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Paydrop } from '../../parts.ts';
import { listGone } from '../../parts/describe-error.ts';
import { describeFault } from '../../parts/wait-for-service.ts';
import { fitWhole } from '../all-or-nothing/whole-in-time.ts';
import { raiseEpoch } from '../batch/epoch.ts';
import { carryRows, tellWaiting } from '../carry/pay-batch.ts';
import { refuseFile, refuseForRows, unreadable } from '../take/refuse-file.ts';
import { askForBatch, unfinished, waiting } from '../tell.ts';
import { MOVED, type Step, type Work, goEnded } from '../batch/work.ts';
import { acknowledge, acknowledged } from '../answers/acknowledge.ts';
import { rulesFor } from '../validate/check-rules.ts';
import { crossCheck } from './cross-check.ts';
import { RowQuestions, type RowsAsked } from '../validate/row-questions.ts';
import { rowsAskedOf } from '../validate/rows-asked.ts';
import { type CheckedRow, validateFile } from '../validate/validate-file.ts';
import { changeBatch, moveOn } from '../../../ledger/ledger.ts';

/** After an interruption it goes on after the last checked row: other rows have been compared with those. */
export async function checkRows(work: Work): Promise<Step> {
  const { paydrop, batch } = work;
  const asked = isBeingRead(batch) ? await register(work) : await askedAgain(work);
  if ('kind' in asked) return asked;
  await crossCheck(paydrop, batch, { state: 'pricing' }, { asked });
  return MOVED;
}

/** Where the rows were registered before. */
async function askedAgain({ paydrop, batch, open, control }: Work): Promise<Step | RowsAsked> {
  const opened = await open();
  const found = await askForBatch(paydrop, batch, control, () => rowsAskedOf(paydrop, batch, opened));
  return 'fault' in found ? goEnded(await waiting(paydrop, batch, describeFault(found.fault))) : found.value;
}

/** Every row is validated and registered. */
async function register(work: Work): Promise<Step | RowsAsked> {
  const { paydrop, batch, control } = work;
  const { file, read } = await work.open();
  const documents = await readDocumentList(file.folder);
  if (documents === null) throw listGone(batch.id);
  const registered = await askForBatch(paydrop, batch, control, () =>
    registerBatch(paydrop, batch, read, documents),
  ).catch((error: unknown) => {
    if (error instanceof FileRefused) return { refusal: error };
    throw error;
  });
  if ('refusal' in registered)
    return goEnded(await refuseFile(paydrop, batch, unreadable(registered.refusal)));
  if ('fault' in registered) return goEnded(await waiting(paydrop, batch, describeFault(registered.fault)));
  const { rejected, asked } = registered.value;
  if (rejected > 0 && batch.onInvalidRows === 'refuse-file')
    return goEnded(await refuseForRows(paydrop, batch, read, rejected));
  return asked;
}

/** Accepts the file. If one wrong row refuses the whole file, rows whose bounds only a quotation shows are quoted before that. */
export async function priceAndAccept(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  if (batch.onInvalidRows === 'refuse-file') {
    const stopped = await price(work);
    if (stopped !== null) return stopped;
  }
  const fit = await askForBatch(paydrop, batch, control, () => fitWhole(paydrop, batch));
  if ('fault' in fit) return goEnded(await waiting(paydrop, batch, describeFault(fit.fault)));
  const pace = fit.value;
  if (pace instanceof FileRefused) return goEnded(await refuseFile(paydrop, batch, unreadable(pace)));
  return accept(work, pace);
}

async function accept({ paydrop, batch, open }: Work, pace: Work['pace']): Promise<Step> {
  // The answer comes first: a batch that is being paid has been acknowledged, whatever happens in between.
  await acknowledge(paydrop, batch, async () => (await open()).read);
  await moveOn(paydrop.ledger, batch, batch.state, 'accepted');
  await raiseEpoch(paydrop, batch);
  return { kind: 'moved', pace };
}

async function price({ paydrop, batch, open, control }: Work): Promise<Step | null> {
  // A kill came between the acknowledgement and the state: the owner was told that the file is accepted, so it is.
  if ((await acknowledged(paydrop, batch)) !== null) return null;
  const end = await carryRows(paydrop, batch, 'priced', control, { early: true });
  const rejected = await rowsToFix(paydrop, batch.id);
  if (rejected > 0) return goEnded(await refuseForRows(paydrop, batch, (await open()).read, rejected));
  if (end.kind === 'done') return null;
  await tellWaiting(paydrop, batch, end);
  return goEnded(await unfinished(paydrop, batch));
}

/** The number of wrong rows; a row that a person has cancelled meanwhile is no fault of the file. */
async function rowsToFix({ ledger }: Work['paydrop'], id: string): Promise<number> {
  if (!(await ledger.stageCounts(id)).has('rejected')) return 0;
  let count = 0;
  for await (const { progress } of batchRows(ledger, id))
    if (progress.stage === 'rejected' && !isCancelled(progress)) count += 1;
  return count;
}

// Checks and registers every row of a taken file, in chunks, so that a million rows need the memory of a thousand. Nothing is sent here.

/** Rows registered in one commit: few enough that the payments of other batches, which wait for it, are not delayed noticeably. */
const CHUNK_ROWS = 100;

/** Chunks that are checked while one is written: a database writes those that wait together. A ledger on this machine has written each by the next turn. */
const CHUNKS_AHEAD = 16;

type Registered = { readonly rejected: number; readonly content: Content; readonly asked: RowsAsked };

/**
 * Registers all rows of a batch that is being read, and what they say together; returns how many are rejected. A batch whose reading was interrupted is read again from the start.
 * @param start the progress from which a row starts; a rebuilt ledger knows more than a fresh one.
 */
export async function registerBatch(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  documents: DocumentList,
  start: (checked: CheckedRow) => Progress = freshStart(tenureOf(batch, paydrop.ledger.run)),
): Promise<Registered> {
  const { ledger } = paydrop;
  const rules = await rulesFor(paydrop, file, documents);
  await ledger.clearRows(batch);
  const fingerprint = startContentFingerprint(file.table);
  const requested = startRequested();
  const questions = new RowQuestions(file.table, batch.fileName);
  let rejected = 0;
  let chunk: NewRow[] = [];
  const adding: Promise<void>[] = [];
  const add = async (): Promise<void> => {
    const added = ledger.addRows(batch, chunk);
    added.catch(() => undefined);
    adding.push(added);
    chunk = [];
    await turn();
    if (adding.length > CHUNKS_AHEAD) await adding.shift();
  };
  for await (const checked of validateFile(file, rules)) {
    fingerprint.take(checked.row);
    questions.take(checked);
    if (checked.payout === null) rejected += 1;
    else requested.take(checked.payout);
    chunk.push(toNewRow(checked, batch, start));
    if (chunk.length === CHUNK_ROWS) await add();
  }
  await add();
  await Promise.all(adding);
  const message = file.table.message?.id;
  const content = {
    ...{ fingerprint: await fingerprint.digest(), requested: requested.totals() },
    ...(message === undefined ? {} : { message }),
  };
  await changeBatch(ledger, batch, { content });
  return { rejected, content, asked: await questions.finish(file.rows) };
}

/** How many payments there are, and how much they ask for in each currency. */
function startRequested() {
  const sums = new Map<string, { rows: number; readonly amount: DecimalSum }>();
  return {
    take: (payout: Payout): void => {
      const currency = requestedCurrency(payout);
      const sum = sums.get(currency) ?? { rows: 0, amount: new DecimalSum() };
      sum.rows += 1;
      sum.amount.add(payout.requested.amount);
      sums.set(currency, sum);
    },
    totals: (): Content['requested'] =>
      [...sums].map(([currency, { rows, amount }]) => {
        return { currency, rows, amount: formatAmount(amount.toText(), currency) };
      }),
  };
}

/** A new row: to be paid, or to be corrected. */
function freshStart(run: Tenure): (checked: CheckedRow) => Progress {
  const fresh = begunBy(run);
  return ({ payout }) => (payout === null ? { ...fresh, stage: 'rejected' } : fresh);
}

function toNewRow(checked: CheckedRow, batch: BatchRecord, start: (checked: CheckedRow) => Progress): NewRow {
  const { row, payout, rejections, reference } = checked;
  const progress = start(checked);
  return {
    position: row.position,
    row: row.place,
    payout,
    // If the row was sent all the same, its rejections are part of its reason.
    rejections: progress.stage === 'rejected' || liftsItself(progress.hold) ? rejections : [],
    reference: reference === '' ? null : reference,
    lineage: checked.lineage,
    keys: payout === null ? null : keysOf(payout),
    progress,
    ...(payout !== null && isToCome(batch, { payout }) ? { payOn: payout.payOn } : {}),
    isDue:
      stageOrHeld(progress) === 'ready' &&
      payout !== null &&
      (batch.onInvalidRows === 'skip-rows' || payout.requested.side === 'source'),
  };
}
