// A standing file that leaves its folder before its time is withdrawn: nothing of it is sent, and its references block nothing any more. That
// needs the service's word: the ledger that knows of no payment may be an older copy that was put back.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Words } from '../../../base/language.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { PAYING } from '../../../ledger/batch-states.ts';
import { changeBatch } from '../../../ledger/ledger.ts';
import { type BatchRecord, decisionAbout, type PayAt, type RowRecord } from '../../../ledger/records.ts';
import { type Wait, waitFor } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';
import { FINAL } from '../../../payouts/lifecycle.ts';
import { type Progress, withForeign } from '../../../payouts/progress.ts';
import { timeWords } from '../../config/schedule-config.ts';
import type { Paydrop } from '../../parts.ts';
import { lookBeforeClosing } from '../carry/look-before-closing.ts';
import { waiting } from '../tell.ts';
import type { BatchResult } from '../batch/work.ts';
import { refuseFile } from '../take/refuse-file.ts';

// Whether a standing file's batch can no longer be withdrawn: then its day is done, whatever happens to the file.

export function hasBegun({ state }: Pick<BatchRecord, 'state'>): boolean {
  return PAYING.has(state) || state === 'closed';
}

// Whether a standing file is still in its folder, unchanged since its batch was made. A folder that cannot be read says nothing: a share that is
// away for a night must not withdraw a salary.

/** Whether a batch depends on its file staying. After a person's release it is paid as it was then. */
export function mayBeWithdrawn(batch: Pick<BatchRecord, 'payAt' | 'decisions'>): boolean {
  return batch.payAt?.standing !== undefined && decisionAbout(batch, 'time') === null;
}

/** Null when the folder cannot be read. */
async function stillStands(
  { inbox }: Pick<Workspace, 'inbox'>,
  { payAt, sha256 }: Pick<BatchRecord, 'payAt' | 'sha256'>,
): Promise<boolean | null> {
  const path = join(inbox, payAt?.standing?.series ?? '');
  const names = await readdir(dirname(path)).catch(() => null);
  if (names === null) return null;
  if (!names.includes(basename(path))) return false;
  return (await hashFile(path)) === sha256;
}

/**
 * `unknown`: the folder cannot be read. `begun`: some of it was sent at its time, and the rest is paid whatever happened to the file. `gone`, or changed: its
 * batch is withdrawn, or will be as soon as the service answers.
 */
type StandingFile =
  { readonly is: 'there' | 'unknown' | 'begun' } | { readonly is: 'gone'; readonly result: BatchResult };

export async function withdrawGone(paydrop: Paydrop, batch: BatchRecord): Promise<StandingFile> {
  const stands = mayBeWithdrawn(batch) ? await stillStands(paydrop.workspace, batch) : true;
  if (stands !== false) return { is: stands === null ? 'unknown' : 'there' };
  const sent = await isSent(paydrop, batch);
  if (sent === true) return { is: 'begun' };
  const result = sent === false ? withdraw(paydrop, batch) : waiting(paydrop, batch, sent);
  return { is: 'gone', result: await result };
}

/** The wait, while the service does not say. */
async function isSent(paydrop: Paydrop, batch: BatchRecord): Promise<boolean | Wait> {
  const asked = new Set<string>();
  const isAsked = ({ row, progress }: RowRecord): boolean => {
    if (FINAL.has(progress.stage)) return false;
    asked.add(row);
    return true;
  };
  const looked = await lookBeforeClosing(paydrop, batch, isAsked);
  if ('for' in looked) return looked;
  const { quiet, followed } = looked;
  if (followed.length > 0 || (await hasOwnTransfer(paydrop, batch))) return true;
  return asked.isSubsetOf(quiet) ? false : waitFor('service', UNCLEAR_WORDS);
}

/** Also an unconfirmed transfer counts: it was made at its time, while the file was there. */
async function hasOwnTransfer({ ledger }: Paydrop, { id }: BatchRecord): Promise<boolean> {
  for await (const { progress } of batchRows(ledger, id)) if (isOwn(progress)) return true;
  return false;
}

function isOwn(progress: Progress): boolean {
  const { transfer, deadAttempts, hold } = withForeign(progress);
  return (transfer !== null && hold?.code !== 'id_collision') || deadAttempts.length > 0;
}

const UNCLEAR_WORDS: Words = sentence('withdrawGone.unclear');

/** Nothing was sent. If the same file is there again before that time, it is taken again. */
async function withdraw(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const { payAt } = batch;
  if (payAt?.standing === undefined) throw new Error(`Batch ${batch.id} is of no standing file.`);
  await changeBatch(paydrop.ledger, batch, {
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
