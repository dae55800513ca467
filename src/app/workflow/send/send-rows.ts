// Sends everything of a batch that can be sent. Every go checks the gates again, because rows may have been released, and limits and prices may
// have changed.
import type { Paydrop } from '../../parts.ts';
import { accountInUse, assertSameAccount } from '../../parts/bound-account.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { describeFault, waitForService } from '../../parts/wait-for-service.ts';
import { recordStop, confirmedSoFar, surveyWhole } from '../all-or-nothing/survey-whole.ts';
import { type WholeEnd, reserveWhole } from './reserve-whole.ts';
import { askWhatIsOver, clearToSend } from '../approval/approval-gate.ts';
import {
  batchOf,
  AGAIN,
  type BatchResult,
  type Gate,
  MOVED,
  type Step,
  type Work,
  goEnded,
} from '../batch/work.ts';
import { followAndAnswer } from '../follow/follow-rows.ts';
import { raiseEpoch } from '../batch/epoch.ts';
import {
  CUT_SHORT,
  carryRows,
  deliveryTools,
  isMoreToSend,
  overLimits,
  tellWaiting,
  waitAfterRun,
} from '../carry/pay-batch.ts';
import { toNextDay } from '../batch/await-time.ts';
import { keepWait } from '../tell.ts';
import { lookAtHeldRows } from '../../../delivery/reconcile.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { approvalStamp } from '../../../ledger/approval.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { type Wait } from '../../../ledger/wait.ts';
import { moveOn } from '../../../ledger/ledger.ts';

/** How the work of a go ended; null when nothing may be confirmed yet, and its owner knows why. */
type Sent = RunEnd | null;

/** Another process may have bound the ledger to another account meanwhile, and a changed key may not be proven yet. */
const accountToSend: Gate = stopsSending(async ({ paydrop, control }) => {
  const ask = () => assertSameAccount(paydrop, accountInUse(paydrop), paydrop.service);
  const asked = await waitForService(paydrop, control, ask);
  return 'value' in asked ? null : { kind: describeFault(asked.fault).for };
});

/** The manifest shows that this go may send, before its first call: so a ledger that is put back later is recognised. */
export const raiseForSending: Gate = async (work) => {
  const waits = await accountToSend(work);
  if (waits !== null) return waits;
  await raiseEpoch(work.paydrop, work.batch);
  return null;
};

/** The service may have said meanwhile what became of the held rows. */
export const lookAtHeld: Gate = stopsSending(async ({ paydrop, batch }) => {
  const looked = await lookAtHeldRows(
    paydrop.ledger,
    batch,
    deliveryTools(paydrop, await batchOf(paydrop, batch)),
  );
  return looked.kind === 'done' ? null : looked;
});

export const approvalToSend: Gate = stopsSending(clearToSend);

export const limitsToSend: Gate = stopsSending(({ paydrop, batch, control }) =>
  overLimits(paydrop, batch, control),
);

/** A gate that stops only the sending: rows that were sent before are followed meanwhile. */
function stopsSending(ask: (work: Work) => Promise<RunEnd | null>): Gate {
  return async (work) => {
    const end = await ask(work);
    return end === null ? null : stopped(work, end);
  };
}

/** Creates every transfer of an all-or-nothing file. Once their fate is decided, the batch moves on. */
export async function reserveRows(work: Work): Promise<Step> {
  const { paydrop, batch, control, pace } = work;
  const reserve = async (): Promise<Sent> => {
    const end = await reserveWhole(paydrop, batch, control, pace);
    return (await tellReserving(paydrop, batch, end)) ? null : { kind: 'done' };
  };
  return underApproval(work, reserve, () => Promise.resolve(MOVED));
}

export async function sendRows(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  const next = await toNextDay(work);
  if (next !== null) return next;
  const submit = (): Promise<Sent> => submitRows(paydrop, batch, control);
  return underApproval(work, submit, async (sent) => {
    // What was stopped of one day keeps no other from its time.
    const next =
      batch.whole === null ? null : await toNextDay({ ...work, batch: await batchOf(paydrop, batch) });
    if (next !== null) return next;
    if (await isMoreToSend(paydrop, batch)) return goEnded(await followAndAnswer(work, sent));
    await moveOn(paydrop.ledger, batch, 'sending', 'following');
    return MOVED;
  });
}

/** If the ledger stopped the run because the approval does not cover a row, this asks for approval, or goes on where none is needed. */
async function underApproval(
  work: Work,
  act: () => Promise<Sent>,
  done: (sent: Sent) => Promise<Step>,
): Promise<Step> {
  const { paydrop, batch } = work;
  const stamp = approvalStamp(await batchOf(paydrop, batch.id));
  const sent = await act();
  const isOver = await askWhatIsOver(work, stamp);
  if (isOver === 'go-on') return AGAIN;
  if (isOver !== null) return goEnded(await stopped(work, isOver));
  return sent?.kind === 'done' ? done(sent) : goEnded(await followAndAnswer(work, sent));
}

async function stopped(work: Work, end: RunEnd): Promise<BatchResult> {
  await tellWaiting(work.paydrop, work.batch, end);
  return followAndAnswer(work, end);
}

// Carries the rows of a batch to their confirm.

/** Returns how the sending ended, and has told the batch's owner. */
async function submitRows(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<RunEnd> {
  // Recorded in the folder before anything is sent: if the ledger is lost, a row that nobody has released must not be paid.
  if (batch.whole === 'stopped') await recordStop(paydrop, batch);
  const sent = await carryRows(paydrop, batch, 'submitted', control);
  await tellWaiting(paydrop, batch, sent);
  return sent;
}

// What the owner of an all-or-nothing file is told while nothing of it may be confirmed.

/** False when it is decided, and nothing is reported: the rows go on. */
async function tellReserving(paydrop: Paydrop, batch: BatchRecord, reserved: WholeEnd): Promise<boolean> {
  if (reserved.kind === 'decided') return false;
  const isAsked = reserved.kind !== 'ended' || !CUT_SHORT.has(reserved.end.kind);
  await keepWait(paydrop, batch, await waitIn(paydrop, batch, reserved), isAsked);
  return true;
}

async function waitIn(
  paydrop: Paydrop,
  batch: BatchRecord,
  reserved: Exclude<WholeEnd, { kind: 'decided' }>,
): Promise<Wait | null> {
  // Of all its days: an owner who reads that nothing was confirmed may pay the file another way.
  const all = batchRows(paydrop.ledger, batch.id);
  const lead = confirmedSoFar(await surveyWhole(paydrop, batch, all));
  const wait = reserved.kind === 'waits' ? reserved.wait : await waitAfterRun(paydrop, batch, reserved.end);
  return wait === null ? null : { ...wait, words: lead(wait.words) };
}
