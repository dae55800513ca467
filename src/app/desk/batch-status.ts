// `status`: where every file stands, and which rows of one need somebody.
import { basename } from 'node:path';

import { joinWords, say, type Words } from '../../base/language.ts';
import { stopFileWords } from '../../inbox/stop-file.ts';
import { pauseOf, waitOf } from '../../ledger/batch-rules.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { repeatsOf } from '../../ledger/batch-rows.ts';
import { rowsThatNeedAttention, summarize, type RowStatus, type Summary } from '../../results/summary.ts';
import { answersOf, lastSummary } from '../workflow/close/answers.ts';
import { answerWords, approvalStatus, type ApprovalStatus } from '../workflow/approval/decide-approval.ts';
import { faultOfNotes } from '../workflow/take/profile-for.ts';
import type { Records } from '../parts.ts';
import { isBeingRebuilt } from '../../ledger/batch-states.ts';
import { type AccountStatus, accountStatuses, untoldWords } from './telling-status.ts';
import { inboxStatus, isCalled, type InboxStatus } from './inbox-status.ts';
import { type NodeStatus, nodeStatuses } from './examine-cluster.ts';
import { nextCommand, placeOf, standingWords, type Carrier, type StatusPlace } from './standing-words.ts';
import { daemonNotes } from '../parts/daemon-note.ts';
import { sentence } from '../../messages/messages.ts';

export type BatchStatus = Summary & {
  readonly paused: boolean;
  readonly acceptedAt: string;
  /** What it waits for, in words. */
  readonly words: string | null;
  /** Where it stands, in a sentence. */
  readonly standing: string;
  /** Where it belongs among the others. */
  readonly place: StatusPlace;
  /** The command that brings it on; null where none does. */
  readonly next: string | null;
  /** Null where nobody had to approve it. */
  readonly approval: ApprovalStatus | null;
};

/** What halts the whole workspace, in words; null when nothing does. */
export function stopFileOf({ workspace, config }: Records): string | null {
  const words = stopFileWords(workspace);
  return words === null ? null : say(words, config.language);
}

/** Closed batches that are listed unless all are asked for: those of the last days, in most desks. */
const CLOSED_SHOWN = 20;

/** The batches that are not over, and the last of those that are, oldest first; `earlier` counts the others. */
export async function batchStatuses(
  records: Records,
  isAll: boolean,
): Promise<{ readonly batches: readonly BatchStatus[]; readonly earlier: number }> {
  const all = await records.ledger.batches();
  const over = all.filter(({ state }) => state === 'closed' || state === 'refused');
  const hidden = new Set(isAll ? [] : over.slice(0, -CLOSED_SHOWN));
  const batches: BatchStatus[] = [];
  for (const batch of all) if (!hidden.has(batch)) batches.push(await statusOf(records, batch));
  return { batches, earlier: hidden.size };
}

/** The batch of this id, or every batch of a file of this name, oldest first. */
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
  const fault = isOpen(batch) ? await faultOfNotes(records, batch) : null;
  const summed = await summaryOf(records, batch);
  // Rows that a person has let go are no longer waited for, though nobody has gone on with the batch yet.
  const isLetGo = summed.outcomes.held === 0 && waitOf(batch)?.for === 'held-rows';
  const summary = isLetGo ? { ...summed, waitingFor: null } : summed;
  const repeated = summary.outcomes.held === 0 ? null : repeatedWords(batch);
  const wait = isLetGo ? null : waitOf(batch);
  const said = [answerWords(batch), repeated, fault?.words ?? wait?.words ?? null].filter(
    (each) => each !== null,
  );
  const words = said.length === 0 ? null : say(joinWords(said), language);
  const carrier = await carrierOf(records, batch);
  const standing = say(standingWords(summary, carrier, wait), language);
  const place = placeOf(summary, { isUnsound: fault !== null, carrier });
  const command = nextCommand(summary, place, wait);
  const next = command === null ? null : say(command, language);
  return { ...summary, paused, acceptedAt, words, standing, place, next, approval: approvalStatus(batch) };
}

/** A run that is known to be dead works on nothing any more. */
async function carrierOf({ ledger }: Records, { owner }: BatchRecord): Promise<Carrier> {
  if (owner === ledger.run || ledger.runs.isElsewhere(owner)) return 'working';
  return (await daemonNotes(ledger)).length > 0 ? 'watch' : 'nobody';
}

/** What is being taken or rebuilt at this moment has a part of its notes. */
function isOpen(batch: BatchRecord): boolean {
  return !['taking', 'closed', 'refused'].includes(batch.state) && !isBeingRebuilt(batch);
}

/** The one question about a file of which most was paid before. */
function repeatedWords(batch: BatchRecord): Words | null {
  const { id, rows, checked } = batch;
  const repeats = checked?.waitingTo === undefined ? null : repeatsOf(batch, checked);
  if (repeats === null) return null;
  const of = [String(repeats.rows), String(rows)];
  return sentence('batchStatus.repeated', {
    join: of.join(' of '),
    batch: repeats.batch,
    id,
    join2: of.join(' lignes sur '),
  });
}

/** What a closed batch has answered last is what it still says: its rows need not be read for it. */
async function summaryOf(records: Records, batch: BatchRecord): Promise<Summary> {
  const isKept = batch.state === 'closed' && (batch.answersDue ?? null) === null && batch.wait === null;
  const kept = isKept ? await lastSummary(await answersOf(records, batch)) : null;
  return kept?.summary.state === 'closed' ? kept.summary : summarize(records.ledger, batch, []);
}

type Seen = {
  /** What halts everything, in words; null when nothing does. */
  readonly stopped: string | null;
  readonly inbox: InboxStatus;
  readonly batches: readonly BatchStatus[];
};

/** What stands in the workspace. */
export type Status = Seen & {
  readonly earlier: number;
  /** Who could not be told something. */
  readonly untold: readonly string[];
  readonly accounts: readonly AccountStatus[];
  /** Who works on a ledger that several machines share; empty where it is a file. */
  readonly nodes: readonly NodeStatus[];
};

/** `rows`: those of the last batch that need somebody. */
export type NamedStatus = Seen & { readonly rows: readonly RowStatus[] };

export async function statusOfAll(records: Records, isAll: boolean): Promise<Status> {
  const { batches, earlier } = await batchStatuses(records, isAll);
  const inbox = await inboxStatus(records);
  const untold = await untoldWords(records);
  const accounts = await accountStatuses(records);
  const nodes = await nodeStatuses(records);
  return { stopped: stopFileOf(records), inbox, batches, earlier, untold, accounts, nodes };
}

export async function statusOfNamed(records: Records, name: string): Promise<NamedStatus | null> {
  const found = await batchesNamed(records, name);
  const inbox = await inboxStatus(records);
  const files = inbox.files.filter((file) => isCalled(file, name));
  if (found.length + files.length === 0) return null;
  const batches: BatchStatus[] = [];
  for (const batch of found) batches.push(await statusOf(records, batch));
  const last = found.at(-1);
  const rows = last === undefined ? [] : await rowsThatNeedAttention(records, last);
  return { stopped: stopFileOf(records), inbox: { ...inbox, files }, batches, rows };
}
