// Rows that were held because reads might have hidden them are looked for again once none can, and only then judged. A found row goes on from
// its true state; one that is not found is compared with the others as when the files first came.
import type { Paydrop } from '../../parts.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { askedTime, describeFault, waitForService } from '../../parts/wait-for-service.ts';
import { batchOf, type BatchResult, type Work } from '../batch/work.ts';
import {
  LIMIT_ROWS,
  NEW_ACCOUNT,
  checkAll,
  crossCheckAgain,
  held,
  heldOpen,
  judgeEncounters,
  judgeMet,
  marked,
  windowStart,
} from '../check/cross-check.ts';
import { newAccountRows } from '../check/unusual.ts';
import { policyFor } from '../validate/validate-file.ts';
import {
  doubtFloor,
  doubtOf,
  isToBegin,
  isUnseenRow,
  laterDoubt,
  unseenRows,
  waitsForReads,
  waitUnseen,
} from '../carry/unseen-rows.ts';
import { deliveryTools } from '../carry/pay-batch.ts';
import { waiting } from '../tell.ts';
import { joinWords, sameWords } from '../../../base/language.ts';
import { type AskedRow, lookAtHeld } from '../../../delivery/look-at-held.ts';
import { type ProbedAttempts, probeAttempts } from '../../../delivery/observe.ts';
import type { DeliveryTools } from '../../../delivery/tools.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isHad } from '../../../ledger/batch-rules.ts';
import { type BatchState, PAYING, isRebuilt } from '../../../ledger/batch-states.ts';
import { type CrossCheck, type RowChange, changeBatch, underLease } from '../../../ledger/ledger.ts';
import { LeaseLost } from '../../../ledger/ledger-unusable.ts';
import type { BatchChange, BatchRecord, Doubt, Encounter, RowRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { HOLDS, liftsItself, newHold } from '../../../payouts/hold.ts';
import { isAnyUnsent } from '../../../payouts/lifecycle.ts';
import type { KnownTransfer, Progress, Tenure } from '../../../payouts/progress.ts';
import { doubtEndsAt } from '../../../payouts/proof.ts';
import { rejectionText } from '../../../payouts/rejection.ts';
import { type Fault, Refused, isFault } from '../../../service/errors.ts';

/** All at once, when the last of them can be looked for: each is judged by what is known of the others. */
export function settleUnseen(paydrop: Paydrop): Promise<void> {
  return settleAll(paydrop).catch((error: unknown) => {
    // A go that had one of them has given it back meanwhile: the next go settles it.
    if (!(error instanceof LeaseLost)) throw error;
  });
}

async function settleAll(paydrop: Paydrop): Promise<void> {
  const { ledger } = paydrop;
  const batches = (await ledger.batches({ toLookAt: 0 })).filter(
    ({ state, doubt }) => OPEN.has(state) && doubt !== undefined,
  );
  const now = batches.length === 0 ? null : await askedTime(paydrop);
  if (now === null || (await beginDoubts(paydrop, batches))) return;
  if (batches.some((batch) => !isOver(batch, paydrop, now))) return;
  for (const seen of batches)
    if ((await underLease(ledger, seen, (batch) => lookForAll(paydrop, batch))) !== true) return;
  for (const { id } of batches) await judgeUnseen(paydrop, id);
}

/** Those that no time of the service began yet, also of paused batches: all others wait for them. True where there was one. */
async function beginDoubts({ ledger, serviceClock }: Paydrop, batches: readonly BatchRecord[]) {
  const since = serviceClock.latestNow();
  const toBegin = since === null ? [] : batches.filter(({ doubt }) => isToBegin(doubt));
  const begin = (batch: BatchRecord) => changeBatch(ledger, batch, { doubt: { since } });
  for (const seen of toBegin) await underLease(ledger, seen, begin);
  return toBegin.length > 0;
}

/** Our own clock ends no doubt but those that it began. */
function isOver(batch: BatchRecord, paydrop: Paydrop, now: number): boolean {
  const since = doubtOf(batch, paydrop);
  const isSameClock = batch.doubt?.isOwnTime === true || paydrop.serviceClock.earliestNow() !== null;
  return since !== null && isSameClock && doubtEndsAt(since) <= now;
}

/** False while the service does not answer for every row: then none is judged yet. */
async function lookForAll(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  const tools = deliveryTools(paydrop, batch);
  for await (const row of batchRows(paydrop.ledger, batch.id)) {
    if (!isUnseenRow(row) || row.progress.lookedBy !== null) continue;
    const change = await lookFor(paydrop, batch, row, tools);
    if (change === null) return false;
    await paydrop.ledger.record(batch, row, change);
  }
  return true;
}

/** Null while the service gives no answer. */
async function lookFor(
  paydrop: Paydrop,
  { fileId }: BatchRecord,
  row: RowRecord,
  tools: DeliveryTools,
): Promise<Change | null> {
  const { run } = paydrop.ledger;
  const { transfer } = row.progress;
  if (transfer !== null) {
    const change = await answered(() => lookAtOpen({ fileId, row, tenure: run }, tools));
    if (change === 'unanswered') return null;
    return change === 'refused' ? lookedAgain(row.progress, run) : change;
  }
  const probed = await answered(() => probeAttempts(fileId, row.row, tools));
  if (probed === 'unanswered') return null;
  if (probed === 'refused') return forPerson(row, paydrop.clock.now());
  return lookedFor(paydrop, row, probed);
}

/** Its own transfer was known all the time: if it has gone further it is followed, otherwise it is compared with what was found of the others. */
async function lookAtOpen(asked: AskedRow, tools: DeliveryTools): Promise<Change> {
  const { is, seen } = await lookAtHeld(asked, tools);
  if (seen !== null && (is === 'followed' || !liftsItself(seen.progress.hold))) return seen;
  return lookedAgain(seen?.progress ?? asked.row.progress, asked.tenure);
}

function lookedAgain(progress: Progress, run: Tenure): Change {
  return { progress: { ...progress, lookedBy: run }, dueAt: null, event: 'looked for again' };
}

async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | 'unanswered' | 'refused'> {
  try {
    return await ask();
  } catch (error) {
    if (!isFault(error)) throw error;
    // A failure for one row must not keep the others waiting.
    return error instanceof Refused ? 'refused' : 'unanswered';
  }
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
  const { deadAttempts } = probed;
  const known = { ...progress, hold: null, transfer, deadAttempts, lookedBy: null };
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
  const { ledger } = paydrop;
  const seen = await ledger.batch(id);
  if (seen === null || !OPEN.has(seen.state) || seen.doubt === undefined) return;
  // The process that has it does the same.
  if (isHad(ledger, seen)) return;
  const done = await underLease(ledger, seen, (batch) => judge(paydrop, batch).then(() => true));
  // It moved on, or was paused, at this very moment: looked at in its present state.
  if (done === null) return judgeUnseen(paydrop, id);
}

async function judge(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger, workspace } = paydrop;
  const { id } = batch;
  // Taken over from a run that was found dead: a new doubt begins.
  if (batch.doubt?.since === null) return;
  const change = { doubt: undefined };
  if ((await unseenRows(paydrop, batch)) === 0) return changeBatch(ledger, batch, change);
  await changeBatch(ledger, batch, { checked: undefined });
  const wasClosed = (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
  await crossCheckUnseen(paydrop, batch, { wasClosed, change });
}

// Before a batch goes on: rows that were held because reads might have hidden them are looked for again, as soon as that proves anything.

/** Null when the batch goes on; else what is reported about it, and it comes back here. */
export async function untilSeen({ paydrop, batch, control }: Work): Promise<BatchResult | null> {
  if (batch.doubt === undefined) return null;
  const fault = isToBegin(batch.doubt) ? await beginDoubt(paydrop, batch, control) : null;
  if (fault !== null) return waiting(paydrop, batch, describeFault(fault));
  await settleUnseen(paydrop);
  const words = await waitsForReads(paydrop, await batchOf(paydrop, batch.id));
  return words === null ? null : waiting(paydrop, batch, waitUnseen(batch, words));
}

/** The run that had it last may have sent something until now; what happened before this moment, and is not in the ledger, proves nothing. */
async function beginDoubt(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<Fault | null> {
  const { ledger, service, serviceClock } = paydrop;
  const ask = () => serviceClock.ask(() => service.payoutCorridors({ limit: 1 }));
  const answer = (await askedTime(paydrop)) === null ? await waitForService(paydrop, control, ask) : null;
  if (answer !== null && 'fault' in answer && doubtOf(batch, paydrop) === null) return answer.fault;
  // If the service answers but shows no time, our clock must serve: a wait for the time must not last for ever.
  const since = serviceClock.latestNow();
  const doubt = since === null ? { since: doubtFloor(batch, paydrop), isOwnTime: true } : { since };
  if (since !== null || batch.doubt?.isOwnTime !== true) await changeBatch(ledger, batch, { doubt });
  return null;
}

// An older ledger that was put back knows open batches as if nothing had come after them. Batches that were rebuilt since may have made the same
// payments, so the open ones are compared with them before anything more is sent.

/** Already checked, and the rest of their rows still has to be sent or confirmed. */
export const OPEN: ReadonlySet<BatchState> = new Set<BatchState>(['pricing', 'accepted', ...PAYING]);

/** Do it while those are still resolving: if interrupted, it is then repeated. Until they are settled, only their transfers count. */
export async function checkOpenAgain(paydrop: Paydrop): Promise<void> {
  const batches = await paydrop.ledger.batches({ toLookAt: 0 });
  const lost = batches.filter(isRebuilt);
  const rebuilt = new Set(lost.map(({ id }) => id));
  if (rebuilt.size === 0) return;
  const doubt = lost
    .map((batch): Doubt => ({ ...batch.doubt, since: doubtOf(batch, paydrop) }))
    .reduce(laterDoubt);
  for (const { id } of batches) await checkAgain(paydrop, id, { rebuilt, doubt });
}

type Lost = { readonly rebuilt: ReadonlySet<string>; readonly doubt: Doubt };

async function checkAgain(paydrop: Paydrop, id: string, lost: Lost): Promise<void> {
  const { ledger } = paydrop;
  const seen = await ledger.batch(id);
  // The process that has it has compared it with the rebuilt ones too.
  if (seen === null || !OPEN.has(seen.state) || isHad(ledger, seen)) return;
  const counts = await ledger.stageCounts(id);
  if (!isAnyUnsent(counts, 'all')) return;
  const done = await underLease(ledger, seen, async (batch) => {
    // From the first row, even if an earlier check of this kind was interrupted.
    await changeBatch(ledger, batch, { checked: undefined, doubt: laterDoubt(batch.doubt, lost.doubt) });
    await crossCheckAgain(paydrop, batch, lost.rebuilt);
    return true;
  });
  // It moved on, or was paused, at this very moment: looked at in its present state.
  if (done === null) return checkAgain(paydrop, id, lost);
}

// Repeats the duplicate check, as when the file first came, for rows that were held because reads might have hidden them and that were not found since.

/** `wasClosed`: if a row was not sent then, only a person can know the reason now. */
async function crossCheckUnseen(
  { ledger, config, workspace, clock }: Paydrop,
  batch: BatchRecord,
  { wasClosed, change }: { readonly wasClosed: boolean; readonly change: BatchChange },
): Promise<void> {
  const policy = await policyFor({ config, workspace }, batch);
  const unknown =
    policy.newAccount === 'hold' ? await newAccountRows({ ledger, workspace, clock }, batch) : null;
  const unsent = wasClosed
    ? held('in_doubt_unsent', sentence('crossCheckUnseen.text', { id: batch.id }))
    : null;
  await checkAll(ledger, batch, {
    limit: LIMIT_ROWS,
    at: null,
    since: windowStart(batch, policy),
    everyRow: true,
    judge: (row, { encounters, sameContent }) => {
      if (!liftsItself(row.progress.hold) || row.payout === null) return null;
      const before = encounters.filter((encounter) => !comesLater(row, encounter));
      // Begun before the ledger was lost: it had been compared within its own file by then.
      if (row.progress.transfer !== null) {
        const among = judgeEncounters(
          row,
          before.filter(({ other }) => other.batch !== row.batch),
        );
        return among === null ? goesOn(row) : heldOpen(row, among, clock.now());
      }
      const isUnknown = unknown?.has(row.position) === true;
      const finding =
        judgeMet(row, { encounters: before, sameContent }) ?? (isUnknown ? NEW_ACCOUNT : unsent);
      return finding === null
        ? sent(row)
        : marked(row, finding, 'cross-check after a second look', clock.now());
    },
    change,
  });
}

/** Rows of other files that are still held for the same reason are compared with this one in their turn. */
function comesLater({ batch }: RowRecord, { other }: Encounter): boolean {
  return other.batch !== batch && other.isHeld && other.isUnseen;
}

function sent({ progress }: RowRecord): ReturnType<CrossCheck['judge']> {
  return { progress: { ...progress, hold: null }, event: 'not sent before the ledger was lost' };
}

/** It was open all the time, next to a row that turned out not to be sent: it is looked up before more of it is sent. */
function goesOn({ progress }: RowRecord): ReturnType<CrossCheck['judge']> {
  return {
    progress: { ...progress, hold: null, lookedBy: null },
    event: 'nothing else was sent of it before the ledger was lost',
  };
}
