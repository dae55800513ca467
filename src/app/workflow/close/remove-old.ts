// What is kept for ever unless the config says otherwise: archived batches and their answers in the outbox. Only what nothing needs any more is
// removed; that the same file came before is known from the ledger, which keeps everything.
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { APPROVAL_REFUSED, type AnswerName, readAnswerName } from '../../../inbox/answer-name.ts';
import { archiveFolder, isFolder } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { STAGES } from '../../../payouts/lifecycle.ts';
import type { SftpAccount } from '../../../sftp/connect.ts';
import type { Records } from '../../parts.ts';

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

/** Removes it, and has the history of the ledger say so. Doing it again after a kill is harmless. */
export async function removeOld(records: Records): Promise<readonly Old[]> {
  const old = await findOld(records);
  for (const { batch, archived, answers } of old) {
    for (const path of answers) await rm(path, { force: true });
    if (archived !== null) await removeFolder(archived);
    const code = [
      ...(archived === null ? [] : ['archive']),
      ...(answers.length === 0 ? [] : ['outbox']),
    ].join(' ');
    await records.ledger.revise(batch.id, () => ({ change: {}, event: `removed by retention: ${code}` }));
    records.log.info('removed by retention', { batch: batch.id, code });
  }
  return old;
}

/** Old, and nothing may happen to it any more: every row is past the time in which the service may reverse it, and nobody is waited for. */
async function isOldArchived(
  { ledger, clock, config, workspace }: Records,
  batch: BatchRecord,
  keepMs: number,
): Promise<boolean> {
  const { id, state, finishedAt, answersDue = null, wait } = batch;
  if (state !== 'closed' || finishedAt === null || answersDue !== null || wait !== null) return false;
  const ageMs = clock.now() - Date.parse(finishedAt);
  if (ageMs <= Math.max(keepMs, config.tracking.reversalWindow)) return false;
  if ((await ledger.nextDueAt(id, STAGES)) !== null) return false;
  return isFolder(archiveFolder(workspace, id));
}

/** By the batch in their names; those of no batch are not ours to judge. */
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

/** What an account has not got yet: its server may have been away for longer than answers are kept. */
async function stillDue(records: Records): Promise<ReadonlySet<string>> {
  const due = new Set<string>();
  for (const account of records.config.sftpAccounts ?? [])
    for (const { name } of await dueAnswers(records, account, new Map())) due.add(name);
  return due;
}

/** Under its own name a folder is whole or gone: half of one would pass for a batch without its file. */
async function removeFolder(folder: string): Promise<void> {
  const leaving = `${folder}.removed`;
  await rm(leaving, { recursive: true, force: true });
  await rename(folder, leaving);
  await rm(leaving, { recursive: true, force: true });
}

// Which answers of the outbox are still to be brought to an account, in the order in which its owner should see them.

export type DueAnswer = {
  readonly name: string;
  readonly path: string;
  /** Of the version that lies there now. */
  readonly signature: string;
};

type Parsed = AnswerName & { readonly name: string };

/** That a file was accepted comes before what became of it, and the summary, which ends it, last; a kind of which nothing is known here, in between. */
const ORDER: readonly string[] = [
  'ack',
  'refused',
  'duplicate',
  'status',
  '',
  'rejected',
  'preview',
  'result',
  'reconciliation',
  'summary',
];

/** @param settled the versions that are known to need nothing, by name; added to. */
export async function dueAnswers(
  records: Pick<Records, 'workspace' | 'ledger' | 'config'>,
  account: SftpAccount,
  settled: Map<string, string>,
): Promise<readonly DueAnswer[]> {
  const due: (DueAnswer & Parsed)[] = [];
  if (account.push === null) return due;
  const since = (await records.ledger.exchange.account(account.name))?.since ?? '';
  for (const parsed of await answersIn(records.workspace.outbox)) {
    const path = join(records.workspace.outbox, parsed.name);
    // Whoever collects from the outbox may have taken it meanwhile.
    const seen = await stat(path).catch(() => null);
    if (seen === null) continue;
    const signature = `${String(seen.size)} ${String(seen.mtimeMs)} ${String(seen.ino)}`;
    if (settled.get(parsed.name) === signature) continue;
    const isSince = seen.mtimeMs >= Date.parse(since) && (await mayLeave(records, parsed));
    if (isSince && (await isDue(records, account, parsed, signature)))
      due.push({ ...parsed, path, signature });
    else settled.set(parsed.name, signature);
  }
  return due.toSorted(inOrder);
}

/** What tells of play money is not for the program that books it, unless the config says so. */
async function mayLeave(
  { config, ledger }: Pick<Records, 'config' | 'ledger'>,
  { batch, kind }: Parsed,
): Promise<boolean> {
  if ((kind !== 'status' && kind !== 'camt054') || config.iso20022.statusReports.sandbox) return true;
  const found = await ledger.batch(batch);
  return found === null ? !config.sandbox && config.baseUrl !== null : !found.sandbox;
}

/**
 * Of two listings, the second has all that was published before anything that the first has: with what both have and every acknowledgement of
 * the second, nothing goes out ahead of what came before it.
 */
async function answersIn(outbox: string): Promise<readonly Parsed[]> {
  const first = new Set(await readdir(outbox));
  const all = (await readdir(outbox)).map(parse).filter((parsed) => parsed !== null);
  return all.filter(({ name, kind }) => first.has(name) || kind === 'ack');
}

function parse(name: string): Parsed | null {
  const parsed = readAnswerName(name);
  return parsed === null ? null : { name, ...parsed };
}

async function isDue(
  { ledger: { exchange } }: Pick<Records, 'ledger'>,
  { name: account, answers }: SftpAccount,
  { name, stem, hashStart, kind }: Parsed,
  signature: string,
): Promise<boolean> {
  const brought = await exchange.answer(account, name);
  if (brought?.phase === 'delivered' && brought.signature === signature) return false;
  if (answers === 'all') return true;
  if (kind === APPROVAL_REFUSED) return stem === account;
  const pulls = await exchange.pullsLike(account, hashStart);
  return pulls.some(({ target }) => basename(target).replace(/\.[^.]*$/, '') === stem);
}

function inOrder(a: Parsed, b: Parsed): number {
  if (a.batch !== b.batch) return a.batch < b.batch ? -1 : 1;
  return a.version - b.version || rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}

function rank({ kind }: Parsed): number {
  const known = ORDER.indexOf(kind);
  return known === -1 ? ORDER.indexOf('') : known;
}
