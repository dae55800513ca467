// What was held because reads might have hidden it is looked for again once none can, and only then judged: found, it goes on as what it is; not
// found, it is held against the others as it was when the files first came.
import type { Paydrop } from '../../parts.ts';
import { joinWords, sameWords } from '../../../base/language.ts';
import { askingOf, type DeliveryTools } from '../../../delivery/tools.ts';
import { observe, probeAttempts, type ProbedAttempts } from '../../../delivery/observe.ts';
import { settle, type AskedRow } from '../../../delivery/settle-held.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { isOtherRunHere } from '../../../ledger/open-ledger.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { RowChange } from '../../../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { HOLDS, liftsItself, newHold } from '../../../payouts/hold.ts';
import type { KnownTransfer, Progress, RunId } from '../../../payouts/progress.ts';
import { rejectionText } from '../../../payouts/rejection.ts';
import { isFault, Refused } from '../../../service/errors.ts';
import { crossCheckUnseen } from '../check/cross-check-unseen.ts';
import { deliveryTools } from '../send/pay-batch.ts';
import { OPEN } from './check-open-again.ts';
import { isUnseenRow, unseenUntil } from './held-unseen.ts';
import { askedTime, earliestNow } from '../../parts/time-at-service.ts';
import { PAYING } from '../../../ledger/batch-states.ts';

/** All of them at once, when the last can be looked for: each is judged by what is known of the others. */
export async function settleUnseen(paydrop: Paydrop): Promise<void> {
  const { ledger } = paydrop;
  const batches = (await ledger.batches()).filter(
    ({ state, unseenUntil: until }) => OPEN.has(state) && until !== undefined,
  );
  const now = batches.length === 0 ? null : await askedTime(paydrop);
  if (now === null || batches.some(({ unseenUntil: until = '' }) => Date.parse(until) > now)) return;
  for (const batch of batches) if (!(await lookForAll(paydrop, batch))) return;
  for (const { id } of batches) await judgeUnseen(paydrop, id);
}

/** False while the service cannot tell of every one: then nothing is judged yet. */
async function lookForAll(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  const tools = deliveryTools(paydrop, batch);
  for await (const row of batchRows(paydrop.ledger, batch.id)) {
    if (!isUnseenRow(row) || row.progress.lookedBy !== null) continue;
    const change = await lookFor(paydrop, batch, row, tools);
    if (change === null) return false;
    await paydrop.ledger.record(row, { ...change, keepClaim: false });
  }
  return true;
}

/** Null while the service cannot tell. */
async function lookFor(
  paydrop: Paydrop,
  { fileId }: BatchRecord,
  row: RowRecord,
  tools: DeliveryTools,
): Promise<Change | null> {
  const { run } = paydrop.ledger;
  const { transfer } = row.progress;
  if (transfer !== null) {
    const change = await answered(() => lookAtOpen({ fileId, row, run }, tools));
    if (change === 'unanswered') return null;
    return change === 'refused' ? lookedAgain(row.progress, run) : change;
  }
  const probed = await answered(() => probeAttempts(fileId, row.row, tools));
  if (probed === 'unanswered') return null;
  if (probed === 'refused') return forPerson(row, paydrop.clock.now());
  return probed.last === null && !isBeyond(paydrop, row) ? null : lookedFor(paydrop, row, probed);
}

/** Its own transfer was known all the while: what has gone further is followed, anything else is held against what was found of the others. */
async function lookAtOpen(asked: AskedRow, tools: DeliveryTools): Promise<Change> {
  const [observed] = await observe(tools, [asked], { concurrency: 1, isWalking: true, endsAll: () => false });
  if (observed === undefined || isFault(observed)) throw observed ?? new Error('One row was asked about.');
  const { is, seen } = settle(asked, observed, askingOf(asked.run, tools));
  if (seen !== null && (is === 'followed' || !liftsItself(seen.progress.hold))) return seen;
  return lookedAgain(seen?.progress ?? asked.row.progress, asked.run);
}

function lookedAgain(progress: Progress, run: RunId): Change {
  return { progress: { ...progress, lookedBy: run }, dueAt: null, event: 'looked for again' };
}

async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | 'unanswered' | 'refused'> {
  try {
    return await ask();
  } catch (error) {
    if (!isFault(error)) throw error;
    // What it will not tell of one row must not keep the others waiting.
    return error instanceof Refused ? 'refused' : 'unanswered';
  }
}

function isBeyond(paydrop: Paydrop, { progress }: RowRecord): boolean {
  return progress.rebuiltAt === null || earliestNow(paydrop) > Date.parse(unseenUntil(progress.rebuiltAt));
}

type Change = Pick<RowChange, 'progress' | 'dueAt' | 'event' | 'rejections'>;

function lookedFor({ ledger, clock }: Paydrop, row: RowRecord, probed: ProbedAttempts): Change {
  if (probed.last !== null) return found(row, probed, probed.last, clock.now());
  if (row.payout === null) {
    const progress: Progress = { ...row.progress, hold: null, stage: 'rejected', lookedBy: ledger.run };
    return { progress, dueAt: null, event: 'rejected, never sent' };
  }
  return lookedAgain(row.progress, ledger.run);
}

function found(
  { payout, progress, rejections }: RowRecord,
  probed: ProbedAttempts,
  transfer: KnownTransfer,
  now: number,
): Change {
  const { transferAttempt, deadAttempts } = probed;
  const known = { ...progress, hold: null, transfer, transferAttempt, deadAttempts, lookedBy: null };
  const event = 'found after a rebuild';
  if (payout !== null) return { progress: { ...known, stage: 'ready' }, dueAt: 0, event };
  const reason = joinWords([HOLDS.in_doubt_unreadable.words, sameWords(`(${rejectionText(rejections)})`)]);
  const hold = newHold('in_doubt_unreadable', now, reason);
  return { progress: { ...known, hold }, dueAt: null, rejections: [], event };
}

function forPerson({ progress }: RowRecord, now: number): Change {
  const held = { ...progress, hold: newHold('in_doubt_unsent', now) };
  return { progress: held, dueAt: null, event: 'could not be looked for' };
}

async function judgeUnseen(paydrop: Paydrop, id: string): Promise<void> {
  const { ledger, workspace } = paydrop;
  const seen = await ledger.batch(id);
  if (seen === null || !OPEN.has(seen.state) || seen.unseenUntil === undefined) return;
  // Until it is being paid a batch is one process' business, and that one does the same.
  if (!PAYING.has(seen.state) && isOtherRunHere(seen.takenBy, ledger.run)) return;
  const batch = await ledger.takeOver(id, seen);
  // Moved on, or paused, at this very moment: looked at as it stands now.
  if (batch === null) return judgeUnseen(paydrop, id);
  await ledger.changeBatch(id, { checked: undefined });
  const wasClosed = (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
  await crossCheckUnseen(paydrop, batch, { wasClosed, change: { unseenUntil: undefined } });
}
