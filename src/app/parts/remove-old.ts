// Old data is kept for ever unless the config says otherwise: archived batches and their answers in the outbox. Only what nothing needs any more
// is removed; the ledger keeps everything, so a file that comes again is still recognised.
import { readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { readAnswerName } from '../../inbox/answer-name.ts';
import { archiveFolder, isFolder } from '../../inbox/workspace.ts';
import { isAtRest } from '../../ledger/batch-rules.ts';
import type { EventRecord } from '../../ledger/history.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { STAGES } from '../../payouts/lifecycle.ts';
import { dueAnswers } from './due-answers.ts';
import type { Records } from '../parts.ts';

type Old = {
  readonly batch: BatchRecord;
  /** Its folder in the archive; null when that stays. */
  readonly archived: string | null;
  /** Its answers in the outbox that are old enough. */
  readonly answers: readonly string[];
};

/** What may be removed at this moment; removes nothing. */
export async function findOld(records: Records): Promise<readonly Old[]> {
  const { archive, outbox } = records.config.retention;
  if ((archive ?? outbox) === null) return [];
  const answers = outbox === null ? new Map<string, string[]>() : await oldAnswers(records, outbox);
  const old: Old[] = [];
  for (const batch of await records.ledger.batches()) {
    if (batch.state !== 'closed' && batch.state !== 'refused') continue;
    const archived = archive !== null && (await isOldArchived(records, batch, archive)) ? batch : null;
    const found = answers.get(batch.id) ?? [];
    if (archived === null && found.length === 0) continue;
    const folder = archived === null ? null : archiveFolder(records.workspace, batch.id);
    old.push({ batch, archived: folder, answers: found });
  }
  return old;
}

/**
 * Removes it, and records that in the history of the ledger. Repeating it after a kill is harmless, and each of several processes that do it at the same
 * moment gives and records only what it removed itself.
 */
export async function removeOld(records: Records): Promise<readonly Old[]> {
  const removed: Old[] = [];
  for (const { batch, ...old } of await findOld(records)) {
    const answers: string[] = [];
    for (const path of old.answers) if (await wasThere(unlink(path))) answers.push(path);
    const archived = old.archived !== null && (await removeFolder(old.archived)) ? old.archived : null;
    const code = [...(archived === null ? [] : ['archive']), ...(answers.length === 0 ? [] : ['outbox'])];
    if (code.length === 0) continue;
    const event = `${REMOVED}${code.join(' ')}`;
    await records.ledger.revise(batch.id, () => ({ change: {}, event }));
    records.log.info('removed by retention', { batch: batch.id, code: code.join(' ') });
    removed.push({ batch, archived, answers });
  }
  return removed;
}

const REMOVED = 'removed by retention: ';

/** Whether the history tells that the archive of the batch was removed. */
export function isArchiveRemoval({ position, event }: Pick<EventRecord, 'position' | 'event'>): boolean {
  return position === null && event.startsWith(`${REMOVED}archive`);
}

/** False when another process was faster. */
async function wasThere(leaving: Promise<void>): Promise<boolean> {
  try {
    await leaving;
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Old, and final: every row is past the time in which the service may reverse it, and the batch waits for nobody. */
async function isOldArchived(
  { ledger, clock, config, workspace }: Records,
  batch: BatchRecord,
  keepMs: number,
): Promise<boolean> {
  const { id, finished } = batch;
  if (finished === null || !isAtRest(batch)) return false;
  const ageMs = clock.now() - Date.parse(finished.at);
  if (ageMs <= Math.max(keepMs, config.tracking.reversalWindow)) return false;
  if ((await ledger.nextDueAt(id, STAGES)) !== null) return false;
  return isFolder(archiveFolder(workspace, id));
}

/** By the batch in their names; answers without a batch are not ours to judge. */
async function oldAnswers(records: Records, keepMs: number): Promise<ReadonlyMap<string, string[]>> {
  const { workspace, clock } = records;
  const found = new Map<string, string[]>();
  const due = await stillDue(records);
  for (const name of await readdir(workspace.outbox)) {
    const batch = readAnswerName(name)?.batch;
    if (batch === undefined || due.has(name)) continue;
    const path = join(workspace.outbox, name);
    const seen = await stat(path).catch(() => null);
    if (seen?.isFile() !== true || clock.now() - seen.mtimeMs <= keepMs) continue;
    found.set(batch, [...(found.get(batch) ?? []), path]);
  }
  return found;
}

/** Answers that an account has not got yet: its server may have been away for longer than answers are kept. */
async function stillDue(records: Records): Promise<ReadonlySet<string>> {
  const due = new Set<string>();
  for (const account of records.config.sftpAccounts ?? [])
    for (const { name } of await dueAnswers(records, account, new Map())) due.add(name);
  return due;
}

/** The folder is renamed before it is removed: half a folder would pass for a batch without its file. Of several processes one does it. */
async function removeFolder(folder: string): Promise<boolean> {
  const leaving = `${folder}.removed`;
  await rm(leaving, { recursive: true, force: true });
  if (!(await wasThere(rename(folder, leaving)))) return false;
  await rm(leaving, { recursive: true, force: true });
  return true;
}
