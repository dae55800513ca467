// `status`: the state of every file, and the rows that need a person.
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { joinWords, say, type Words } from '../../base/language.ts';
import { stopFileWords } from '../../inbox/stop-file.ts';
import { isAtRest, pauseOf, waitOf } from '../../ledger/batch-rules.ts';
import type { FilesQuery } from '../../contract/files.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { hasWords, repeatsOf } from '../../ledger/batch-rows.ts';
import type { WhichBatches } from '../../ledger/ledger.ts';
import type { Wait } from '../../ledger/wait.ts';
import { isDecided } from '../../results/standing.ts';
import { rowsThatNeedAttention, summarize, type RowStatus, type Summary } from '../../results/summary.ts';
import { answersOf, lastSummary } from '../workflow/answers/answers.ts';
import { answerWords, approvalStatus, type ApprovalStatus } from '../workflow/approval/decide-approval.ts';
import { faultOfNotes } from '../workflow/batch/profile-for.ts';
import type { Records } from '../parts.ts';
import { ENDED_BATCH, isBeingRebuilt } from '../../ledger/batch-states.ts';
import { type AccountStatus, accountStatuses, untoldWords } from './telling-status.ts';
import { newestBatches } from '../parts/newest-batches.ts';
import { inboxStatus, type InboxStatus, isCalled, type RefusedFile, refusedFiles } from './inbox-status.ts';
import { type NodeStatus, nodeStatuses } from './examine-cluster.ts';
import {
  nextCommand,
  placeOf,
  standingWords,
  stateWords,
  type Carrier,
  type StatusPlace,
} from './standing-words.ts';
import { daemonNotes } from '../parts/daemon-note.ts';
import { sentence } from '../../messages/messages.ts';

export type BatchStatus = Summary & {
  readonly paused: boolean;
  readonly acceptedAt: string;
  /** What it waits for, in words. */
  readonly words: string | null;
  /** How it stands, in a word or two and in a sentence. */
  readonly stands: string;
  readonly sentence: string;
  /** Its group in the list. */
  readonly place: StatusPlace;
  /** The command that brings it on; null where there is none. */
  readonly next: string | null;
  /** Null where no approval was needed. */
  readonly approval: ApprovalStatus | null;
};

/** The reason why the whole workspace is halted, in words; null when it is not. */
export function stopFileOf({ workspace, config }: Records): string | null {
  const words = stopFileWords(workspace);
  return words === null ? null : say(words, config.language);
}

/** How many closed batches are listed by default: in most workspaces, those of the last days. */
const CLOSED_SHOWN = 20;

/** The batches that are not over, and the last of those that are, oldest first; `earlier` counts the others. */
export async function batchStatuses(
  records: Records,
  isAll: boolean,
): Promise<{ readonly batches: readonly BatchStatus[]; readonly earlier: number }> {
  const shown = isAll ? await records.ledger.batches() : await openAndLast(records);
  const batches: BatchStatus[] = [];
  for (const batch of shown) batches.push(await statusOf(records, batch));
  const states = await records.ledger.batches({ countedBy: 'state' });
  const all = states.reduce((sum, counted) => sum + counted.batches, 0);
  return { batches, earlier: Math.max(0, all - shown.length) };
}

async function openAndLast({ ledger, clock }: Records): Promise<readonly BatchRecord[]> {
  const isOver = ({ state }: BatchRecord): boolean => ENDED_BATCH.has(state);
  const shown = (await ledger.batches({ toLookAt: clock.now() })).filter((batch) => !isOver(batch));
  let left = CLOSED_SHOWN;
  for await (const batch of newestBatches(ledger)) {
    if (isOver(batch)) shown.push(batch);
    if (isOver(batch) && (left -= 1) === 0) break;
  }
  return shown.sort((one, other) => (isBehind(one, other) ? -1 : 1));
}

/** The batch with this id, or every batch of a file of this name, oldest first. */
export async function batchesNamed({ ledger }: Records, name: string): Promise<readonly BatchRecord[]> {
  const known = await ledger.batch(name);
  if (known !== null) return [known];
  const fileName = basename(name).normalize('NFC').toLowerCase();
  return (await ledger.batches()).filter(
    (batch) => batch.fileName.normalize('NFC').toLowerCase() === fileName,
  );
}

export async function statusOf(records: Records, batch: BatchRecord): Promise<BatchStatus> {
  const { acceptedAt } = batch;
  const paused = pauseOf(batch) !== null;
  const { language } = records.config;
  const { summary, wait, isUnsound, carrier, ...told } = await standingOf(records, batch);
  const words = told.words && say(told.words, language);
  const stands = say(stateWords(summary, carrier), language);
  const inSentence = say(told.sentence, language);
  const place = placeOf(summary, { isUnsound, carrier });
  const approval = approvalStatus(batch);
  const approvalBy = batch.approval?.kind === 'asked' ? batch.approval.approvalBy : null;
  const command = nextCommand(summary, place, wait, approvalBy);
  const next = command === null ? null : say(command, language);
  return { ...summary, paused, acceptedAt, words, stands, sentence: inSentence, place, next, approval };
}

type BatchStanding = {
  readonly summary: Summary;
  readonly wait: Wait | null;
  /** A note of it cannot be read. */
  readonly isUnsound: boolean;
  readonly carrier: Carrier;
  /** What it waits for; null where it waits for nothing. */
  readonly words: Words | null;
  readonly sentence: Words;
};

export async function standingOf(records: Records, batch: BatchRecord): Promise<BatchStanding> {
  const fault = isOpen(batch) ? await faultOfNotes(records, batch) : null;
  const carrier = await carrierOf(records, batch);
  const summed = await summaryOf(records, batch, carrier === 'working');
  const wait = waitOf(batch);
  const waits = !isDecided(batch, summed.outcomes);
  const summary = waits ? summed : { ...summed, waitingFor: null };
  const repeated = summary.outcomes.held === 0 ? null : repeatedWords(batch);
  const waiting = fault?.words ?? (waits ? wait?.words : null) ?? null;
  const said = [answerWords(batch), repeated, waiting].filter((each) => each !== null);
  return {
    ...{ summary, wait: waits ? wait : null, isUnsound: fault !== null, carrier },
    words: said.length === 0 ? null : joinWords(said),
    sentence: standingWords(summary, carrier, wait),
  };
}

/** A run that is known to be dead carries nothing any more. */
async function carrierOf({ ledger }: Records, { owner }: BatchRecord): Promise<Carrier> {
  if (owner === ledger.run || ledger.runs.isElsewhere(owner)) return 'working';
  return (await daemonNotes(ledger)).length > 0 ? 'watch' : 'nobody';
}

/** A batch that is being taken or rebuilt at this moment has only part of its notes. */
function isOpen(batch: BatchRecord): boolean {
  return !['taking', 'closed', 'refused'].includes(batch.state) && !isBeingRebuilt(batch);
}

/** The one question about a file most of which was paid before. */
function repeatedWords(batch: BatchRecord): Words | null {
  const { id, rows, checked } = batch;
  const repeats = checked?.waitingTo === undefined ? null : repeatsOf(batch, checked);
  if (repeats === null) return null;
  return sentence('batchStatus.repeated', { repeats: repeats.rows, rows, batch: repeats.batch, id });
}

/** The last answer of a closed batch is still its state, so its rows need not be read. */
async function summaryOf(records: Records, batch: BatchRecord, isCarried: boolean): Promise<Summary> {
  const kept = isAtRest(batch) ? await lastSummary(await answersOf(records, batch)) : null;
  return kept?.summary.state === 'closed' ? kept.summary : summarize(records.ledger, batch, isCarried);
}

type Surroundings = {
  /** The reason why everything is halted, in words; null when it is not. */
  readonly stopped: string | null;
  readonly inbox: InboxStatus;
  readonly batches: readonly BatchStatus[];
  /** Files that were refused before they became a batch. */
  readonly refused: readonly RefusedFile[];
};

/** The content of the workspace. */
export type Status = Surroundings & {
  readonly earlier: number;
  /** The channels that could not deliver something. */
  readonly untold: readonly string[];
  readonly accounts: readonly AccountStatus[];
  /** The machines that work on a shared ledger; empty where the ledger is a file. */
  readonly nodes: readonly NodeStatus[];
};

/** `rows`: the rows of the last batch that need a person. */
export type NamedStatus = Surroundings & { readonly rows: readonly RowStatus[] };

export async function statusOfAll(records: Records, isAll: boolean): Promise<Status> {
  const { batches, earlier } = await batchStatuses(records, isAll);
  const inbox = await inboxStatus(records);
  const untold = await untoldWords(records);
  const accounts = await accountStatuses(records);
  const nodes = await nodeStatuses(records);
  const most = isAll ? Infinity : CLOSED_SHOWN;
  const refused = await refusedFiles(records, { most });
  return { stopped: stopFileOf(records), inbox, batches, refused, earlier, untold, accounts, nodes };
}

export async function statusOfNamed(records: Records, name: string): Promise<NamedStatus | null> {
  const found = await batchesNamed(records, name);
  const inbox = await inboxStatus(records);
  const files = inbox.files.filter((file) => isCalled(file, name));
  const refused = await refusedFiles(records, { name });
  if (found.length + files.length + refused.length === 0) return null;
  const batches: BatchStatus[] = [];
  for (const batch of found) batches.push(await statusOf(records, batch));
  const last = found.at(-1);
  const rows = last === undefined ? [] : await rowsThatNeedAttention(records, last);
  return { stopped: stopFileOf(records), inbox: { ...inbox, files }, batches, refused, rows };
}

// Lists of files, a page at a time.

/** Files of a state (`open`: each that has not ended), with each of these words in their name, their id, or the name of whoever brought them. */
export type FileFilter = Pick<FilesQuery, 'state' | 'find'> & {
  /** The name of the program whose files alone are shown; null or absent for those of everybody. */
  readonly own?: string | null | undefined;
};

/** Whether a file came with a key of this name. */
export function isOfProgram(
  { submittedBy = [] }: Pick<BatchRecord, 'submittedBy'>,
  program: string,
): boolean {
  return submittedBy.includes(program);
}

/** Behind this one a page of a list begins; null for the newest of all. */
export type ListPlace = Extract<WhichBatches, { readonly limit: number }>['before'];

/** Batches read at once by a search, in some ten milliseconds. */
const SEARCHED = 500;

/** The batches that may belong to a list, as far as their records tell, up to so many at a time. */
export async function* listedBatches(
  { ledger, clock }: Pick<Records, 'ledger' | 'clock'>,
  before: ListPlace,
  limit: number,
  { state, find, own = null }: FileFilter,
): AsyncGenerator<readonly BatchRecord[]> {
  const isNamed = (batch: BatchRecord) =>
    (find === undefined || hasWords(batch, find)) && (own === null || isOfProgram(batch, own));
  if (state !== undefined && state !== 'closed' && state !== 'refused') {
    // However many files there are, few of them are open.
    const open = (await ledger.batches({ toLookAt: clock.now() }))
      .filter((batch) => !ENDED_BATCH.has(batch.state) && isBehind(batch, before) && isNamed(batch))
      .sort((one, other) => (isBehind(one, other) ? 1 : -1));
    for (let from = 0; from < open.length; from += limit) yield open.slice(from, from + limit);
    return;
  }
  const isWhole = state === undefined && find === undefined && own === null;
  const most = isWhole ? limit : SEARCHED;
  for (let from = before; ;) {
    const page = await ledger.batches({ before: from, limit: most });
    const fits = page.filter((batch) => (state === undefined || batch.state === state) && isNamed(batch));
    for (let at = 0; at < fits.length; at += limit) yield fits.slice(at, at + limit);
    if (page.length < most) return;
    from = page.at(-1) ?? null;
    await turn();
  }
}

/** In a list with the newest first. */
function isBehind({ acceptedAt, id }: BatchRecord, before: ListPlace): boolean {
  if (before === null) return true;
  return acceptedAt === before.acceptedAt ? id < before.id : acceptedAt < before.acceptedAt;
}
