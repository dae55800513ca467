// Where, and under which names, the answers of a batch are published.
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { WhileOwned } from '../../../base/atomic-file.ts';
import { answerName, readAnswerName } from '../../../inbox/answer-name.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { endedAs, type Standing } from '../../../results/standing.ts';
import { rowsDigest, type Summary } from '../../../results/summary.ts';
import type { AnswerPlace } from '../../../results/write-results.ts';
import type { Records } from '../../parts.ts';

/** The answers of a batch that was taken: in the outbox, and in its own folder, wherever that is now. */
export async function answersOf(
  records: Pick<Records, 'workspace' | 'config'>,
  batch: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'>,
): Promise<AnswerPlace> {
  const folder = await standingFolder(records.workspace, batch.id);
  return { ...answersOfUntaken(records, batch), folder };
}

/** The same for the run that carries the batch and writes them: none takes its place once another run carries the batch. */
export async function ownAnswersOf(
  records: Pick<Records, 'workspace' | 'config' | 'ledger'>,
  batch: BatchRecord,
): Promise<AnswerPlace> {
  const whileOwned: WhileOwned = (publish) =>
    records.ledger.revise(batch, () => {
      publish();
      return null;
    });
  return { ...(await answersOf(records, batch)), whileOwned };
}

/** The answers to a file that was not taken: in the outbox only. */
export function answersOfUntaken(
  { workspace, config }: Pick<Records, 'workspace' | 'config'>,
  { id, fileName, sandbox }: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'>,
): AnswerPlace {
  return {
    outbox: workspace.outbox,
    folder: null,
    language: config.language,
    sandbox,
    nameOf: (kind, extension) => answerName(fileName, id, kind, extension),
  };
}

// The answers of a batch that are in the outbox at this moment, for a caller that asks by kind: no name or path comes from outside.

type OutboxAnswer = {
  /** As in the name, with the number of a later version: `result`, `result-2`, `ack`. */
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
};

/** By name. An answer that is published or fetched at this moment may be included or not. */
export async function answersInOutbox(
  { workspace }: Pick<Records, 'workspace'>,
  batch: string,
): Promise<readonly OutboxAnswer[]> {
  const found: OutboxAnswer[] = [];
  for (const name of (await readdir(workspace.outbox)).sort()) {
    if (readAnswerName(name)?.batch !== batch) continue;
    const path = join(workspace.outbox, name);
    const stats = await stat(path).catch(() => null);
    const kind = name.slice(name.indexOf(`.${batch}.`) + batch.length + 2).replace(/\.[^.]*$/, '');
    if (stats?.isFile() === true) found.push({ kind, name, path, bytes: stats.size });
  }
  return found;
}

/** The names of all answers in the outbox, by batch. */
export async function answerNames({
  workspace,
}: Pick<Records, 'workspace'>): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = (await readdir(workspace.outbox)).sort();
  return Map.groupBy(names, (name) => readAnswerName(name)?.batch ?? '');
}

/** Null where the outbox has none of this kind. If files of other names have several, the one with the batch's own file name. */
export async function openAnswer(
  records: Pick<Records, 'workspace'>,
  { id, fileName }: Pick<BatchRecord, 'id' | 'fileName'>,
  kind: string,
): Promise<(OutboxAnswer & { readonly sha256: string }) | null> {
  const ofKind = (await answersInOutbox(records, id)).filter((answer) => answer.kind === kind);
  const own = ofKind.find(({ name }) => name.startsWith(answerName(fileName, id, kind, '')));
  const answer = own ?? ofKind[0];
  return answer === undefined ? null : { ...answer, sha256: await hashFile(answer.path) };
}

// The answers of a closed batch are never edited: a later change is published in addition, under the next number, and says what it supersedes.

export type KeptSummary = { readonly name: string; readonly version: number; readonly summary: Summary };

/** The last summary in the batch's own folder; null when there is none. @param known as it was read before: that of a closed batch is never edited. */
export async function lastSummary(
  place: AnswerPlace,
  known: KeptSummary | null = null,
): Promise<KeptSummary | null> {
  const { folder, nameOf } = place;
  if (folder === null) return null;
  const names = new Set(await readdir(folder));
  let version = 0;
  while (names.has(nameOf(numbered('summary', version + 1), 'json'))) version += 1;
  if (version === 0) return null;
  const name = nameOf(numbered('summary', version), 'json');
  if (known?.name === name && known.summary.state === 'closed') return known;
  const summary = JSON.parse(await readFile(join(folder, name), 'utf8')) as WrittenSummary;
  // One of an earlier version names no standing.
  return { name, version, summary: { ...summary, standing: standingOfSummary(summary) } };
}

type WrittenSummary = Omit<Summary, 'standing'> & Partial<Pick<Summary, 'standing'>>;

function standingOfSummary({ standing, state, outcomes }: WrittenSummary): Standing {
  return standing ?? (state === 'refused' ? state : endedAs(outcomes));
}

/** The number of the next answers: the last one's, or the next number when that one belonged to a closed batch. */
export function nextVersion(last: KeptSummary | null): number {
  if (last === null) return 1;
  return last.version + (last.summary.state === 'closed' ? 1 : 0);
}

/** `summary`, `summary-2`, `summary-3`… */
export function numbered(kind: string, version: number): string {
  return version === 1 ? kind : `${kind}-${String(version)}`;
}

/** True when a closed batch was already answered with exactly the present state of its rows. */
export async function isAnswered(
  { summary, version }: KeptSummary,
  { folder }: AnswerPlace,
  ledger: Ledger,
  batch: string,
): Promise<boolean> {
  if (summary.state !== 'closed') return false;
  const kept = folder === null ? undefined : (await readManifest(folder))?.answered;
  // A kill came before the summary of the next version: that still has to be published.
  return kept?.version === version && kept.digest === (await rowsDigest(ledger, batch));
}
