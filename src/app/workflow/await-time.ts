// What a batch waits for before its first payment, as far as time decides it: its time has not come, or was missed.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { timeWords } from '../config/schedule-config.ts';
import type { Paydrop, Records } from '../parts.ts';
import { clockDifference, differenceWords, timeByBoth } from '../parts/wait-for-service.ts';
import type { BatchResult } from './work.ts';
import { lookBeforeClosing } from './decisions/look-before-closing.ts';
import { keepManifest } from './epoch.ts';
import { scheduledWords } from './take/decide-pay-at.ts';
import { refuseFile } from './take/refuse-file.ts';
import { waiting } from './tell.ts';
import { isoTime } from '../../base/clock.ts';
import { type Words, joinWords } from '../../base/language.ts';
import { hashFile } from '../../inbox/take-file.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { isMissed } from '../../ledger/batch-rules.ts';
import { type BatchState, PAYING } from '../../ledger/batch-states.ts';
import { type BatchRevision, changeBatch } from '../../ledger/ledger.ts';
import {
  type BatchRecord,
  type Decision,
  type PayAt,
  type RowRecord,
  decisionAbout,
} from '../../ledger/records.ts';
import { type Wait, waitFor } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';
import { FINAL } from '../../payouts/lifecycle.ts';
import { type Progress, withForeign } from '../../payouts/progress.ts';
import type { StoppedBy } from '../../payouts/stop.ts';

/** What the batch waits for; null when its time has come. */
export async function awaitTime(
  paydrop: Paydrop,
  batch: BatchRecord,
): Promise<{ readonly wait: Wait; readonly payAt?: PayAt } | null> {
  const { payAt } = batch;
  if (payAt === undefined || decisionAbout(batch, 'time') !== null) return null;
  const isEarly = paydrop.clock.now() < Date.parse(payAt.at);
  if (isEarly && clockDifference(paydrop) === null)
    return { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) };
  // Our clock alone is not enough to pay by: it may be wrong by a month.
  const now = await timeByBoth(paydrop);
  if (now === null) return { wait: waitFor('service', sentence('awaitTime.unknown')) };
  const differ = differenceWords(paydrop);
  if (differ !== null)
    return { wait: waitFor('schedule', joinWords([scheduledWords(payAt), differ]), payAt.at) };
  if (now < Date.parse(payAt.at)) return { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) };
  if (!isMissed(payAt, now)) return null;
  const mustHold = payAt.missed === 'hold' || (await isOneOfSeveral(paydrop, batch, payAt, now));
  if (!mustHold) return null;
  const wait = waitFor('missed-time', missedWords(batch.id, payAt));
  return { wait, payAt: await held(paydrop, batch, payAt) };
}

/** Once a person was told that it waits for a decision, it does so, even if the other times of the series are decided, or the ledger is lost. */
async function held(paydrop: Paydrop, { id }: BatchRecord, payAt: PayAt): Promise<PayAt> {
  if (payAt.missed === 'hold') return payAt;
  const kept: PayAt = { ...payAt, missed: 'hold' };
  await keepManifest(paydrop, id, { payAt: kept });
  return kept;
}

/** False while a set time has not come, or a person has to decide: another look would find the same. */
export function isTimeToLook(batch: BatchRecord, now: number): boolean {
  const { payAt, wait } = batch;
  if (decisionAbout(batch, 'time') !== null) return true;
  if (wait?.for === 'missed-time') return false;
  return payAt === undefined || wait?.for !== 'schedule' || now >= Date.parse(payAt.at);
}

/** For a standing file, one missed time may be paid late; if there are several, only its owner can decide. */
async function isOneOfSeveral(
  { ledger }: Paydrop,
  { id }: BatchRecord,
  { at, standing }: PayAt,
  now: number,
): Promise<boolean> {
  if (standing === undefined) return false;
  if (now >= Date.parse(standing.next)) return true;
  return (await ledger.batches({ toLookAt: 0 })).some(
    (other) =>
      other.id !== id &&
      UNDECIDED.has(other.state) &&
      decisionAbout(other, 'time') === null &&
      other.payAt?.standing?.series === standing.series &&
      other.payAt.at < at,
  );
}

/** States of an earlier time of the series that was missed too, and is neither paid nor refused. */
const UNDECIDED: ReadonlySet<BatchState> = new Set<BatchState>(['taking', 'checking', 'pricing', 'accepted']);

function missedWords(batch: string, { at, timeZone }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('awaitTime.missed', { time, batch });
}

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

/** Milliseconds until the first of these batches is to be paid. */
export function nextTimeIn(batches: readonly BatchRecord[], now: number): number {
  const times = batches
    .filter(({ state, payAt }) => state === 'accepted' && payAt !== undefined)
    .map(({ payAt }) => Date.parse(payAt?.at ?? '') - now);
  return Math.min(Infinity, ...times.filter((inMs) => inMs > 0));
}

// What a person decides about a file that waits for its time, or has missed it: a missed one may be paid after all, and either may be cancelled.
// No decision pays a file before its time.

/** Also while it waits for its approval, or has just got it. */
export function waitsForTime({ state, wait, payAt }: BatchRecord): boolean {
  if (state !== 'accepted') return false;
  if (wait?.for === 'schedule' || wait?.for === 'missed-time') return true;
  return payAt !== undefined && (wait === null || wait.for === 'approval');
}

/** To be cancelled, all of its rows have to be so before. Returns what had stopped the file and no longer does. */
export async function waiveTime(
  { ledger, clock }: Pick<Records, 'ledger' | 'clock'>,
  { id, wait }: BatchRecord,
  {
    by,
    reason,
    skip,
    via,
  }: { readonly [Part in 'by' | 'reason' | 'via']: string } & { readonly skip: boolean },
): Promise<StoppedBy | null> {
  const missed = wait?.for === 'missed-time' ? wait.for : null;
  if (!skip && missed === null) return null;
  const decision: Decision = { about: 'time', by, reason, at: isoTime(clock.now()) };
  const { at } = decision;
  await ledger.revise(id, (now) => {
    const revision = decided(now, decision);
    const { approval } = now;
    // Nothing is left to approve.
    const isMoot =
      skip && approval?.kind === 'asked' && approval.given === null && approval.declined === null;
    if (!isMoot) return revision;
    const declined = { by, reason, at, via, proof: 'typed' } as const;
    return { ...revision, change: { ...revision.change, approval: { ...approval, declined } } };
  });
  return missed;
}

/** The reason that stopped a batch no longer does. */
export function decided(
  { decisions, token }: Pick<BatchRecord, 'decisions' | 'token'>,
  decision: Decision,
): BatchRevision {
  const event = `decided about ${decision.about} by ${decision.by}: ${decision.reason}`;
  return { change: { decisions: [...decisions, { ...decision, token }], wait: null }, event };
}

// A standing file that leaves its folder before its time is withdrawn: nothing of it is sent, and its references block nothing any more. That
// needs the service's word: the ledger that knows of no payment may be an older copy that was put back.

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
