// A standing file that was taken out of its folder before its time is withdrawn: nothing of it is sent, and its references guard nothing any more.
// That takes the word of the service: the ledger that knows of no payment may be an older copy that was put back.
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, PayAt, RowRecord } from '../../../ledger/records.ts';
import { waitFor, type Wait } from '../../../ledger/wait.ts';
import type { Words } from '../../../base/language.ts';
import { FINAL } from '../../../payouts/lifecycle.ts';
import { type Progress, withForeign } from '../../../payouts/progress.ts';
import { isFault } from '../../../service/errors.ts';
import type { BatchResult } from '../batch-result.ts';
import type { Paydrop } from '../../parts.ts';
import { lookBeforeClosing } from '../decisions/look-before-closing.ts';
import { refuseFile } from '../take/refuse-file.ts';
import { waiting } from '../tell.ts';
import { describeFault } from '../../parts/wait-for-service.ts';
import { timeWords } from '../../config/schedule-config.ts';
import { mayBeWithdrawn, stillStands } from './await-time.ts';
import { sentence } from '../../../messages/messages.ts';

/** `stands`: it may stay, and null when that is not known; `begun`: some of it was sent at its time, and what is left of it is paid whatever has become of the file. */
export type Standing = 'stands' | 'begun' | null | BatchResult;

/** A result is of a file that has gone, or is another by now: it is withdrawn, or is to be as soon as the service tells. */
export async function withdrawGone(paydrop: Paydrop, batch: BatchRecord): Promise<Standing> {
  const stands = mayBeWithdrawn(batch) ? await stillStands(paydrop.workspace, batch) : true;
  if (stands !== false) return stands === null ? null : 'stands';
  const sent = await isSent(paydrop, batch);
  if (sent === true) return 'begun';
  return sent === false ? withdraw(paydrop, batch) : waiting(paydrop, batch, sent);
}

/** What it waits for while it cannot be told. */
async function isSent(paydrop: Paydrop, batch: BatchRecord): Promise<boolean | Wait> {
  const asked = new Set<string>();
  const isAsked = ({ row, progress }: RowRecord): boolean => {
    if (FINAL.has(progress.stage)) return false;
    asked.add(row);
    return true;
  };
  try {
    const { quiet, followed } = await lookBeforeClosing(paydrop, batch, isAsked);
    if (followed.length > 0 || (await hasOwnTransfer(paydrop, batch))) return true;
    return asked.isSubsetOf(quiet) ? false : waitFor('service', UNCLEAR_WORDS);
  } catch (error) {
    if (!isFault(error)) throw error;
    return describeFault(error);
  }
}

/** Also one that nobody has confirmed: it was made at its time, while the file stood. */
async function hasOwnTransfer({ ledger }: Paydrop, { id }: BatchRecord): Promise<boolean> {
  for await (const { progress } of batchRows(ledger, id)) if (isOwn(progress)) return true;
  return false;
}

function isOwn(progress: Progress): boolean {
  const { transfer, deadAttempts, hold } = withForeign(progress);
  return (transfer !== null && hold?.code !== 'id_collision') || deadAttempts.length > 0;
}

const UNCLEAR_WORDS: Words = sentence('withdrawGone.unclear');

/** Nothing was sent; should the same file stand again before that time, it is taken again. */
async function withdraw(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const { payAt } = batch;
  if (payAt?.standing === undefined) throw new Error(`Batch ${batch.id} is of no standing file.`);
  await paydrop.ledger.changeBatch(batch.id, {
    payAt: { ...payAt, standing: { ...payAt.standing, withdrawn: true } },
  });
  return refuseFile(paydrop, batch, {
    code: 'standing_file_withdrawn',
    reason: withdrawnWords(payAt),
    rejected: 0,
    answers: [],
  });
}

function withdrawnWords({ at, timeZone }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('withdrawGone.withdrawn', { time });
}
