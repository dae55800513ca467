// Where and under which names the answers of a batch are published.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { answerName } from '../../../inbox/answer-name.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { rowsDigest } from '../../../results/rows-digest.ts';
import type { Summary } from '../../../results/summary.ts';
import type { AnswerPlace } from '../../../results/write-results.ts';
import type { Records } from '../../parts.ts';

/** The answers of a batch that was taken: in the outbox, and in its own folder wherever that stands now. */
export async function answersOf(
  records: Pick<Records, 'workspace' | 'config'>,
  batch: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'>,
): Promise<AnswerPlace> {
  const folder = await standingFolder(records.workspace, batch.id);
  return { ...answersOfUntaken(records, batch), folder };
}

/** The answers to a file that was not taken: in the outbox alone. */
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

// What a closed batch has answered is never edited: a later change is published beside it, under the next number, and says what it supersedes.

export type KeptSummary = { readonly name: string; readonly version: number; readonly summary: Summary };

/** The last summary that the batch's own folder keeps; null when there is none. */
export async function lastSummary(place: AnswerPlace): Promise<KeptSummary | null> {
  const { folder, nameOf } = place;
  if (folder === null) return null;
  const names = new Set(await readdir(folder));
  let version = 0;
  while (names.has(nameOf(numbered('summary', version + 1), 'json'))) version += 1;
  return keptSummary(place, version);
}

/** The summary of this number, which the folder keeps; null for none, which is number 0. */
export async function keptSummary(
  { folder, nameOf }: AnswerPlace,
  version: number,
): Promise<KeptSummary | null> {
  if (folder === null || version === 0) return null;
  const name = nameOf(numbered('summary', version), 'json');
  return { name, version, summary: JSON.parse(await readFile(join(folder, name), 'utf8')) as Summary };
}

/** The number under which the next answers stand: the last one's, and the next when that one was of a closed batch. */
export function nextVersion(last: KeptSummary | null): number {
  if (last === null) return 1;
  return last.version + (last.summary.state === 'closed' ? 1 : 0);
}

/** `summary`, `summary-2`, `summary-3`… */
export function numbered(kind: string, version: number): string {
  return version === 1 ? kind : `${kind}-${String(version)}`;
}

/** True when a closed batch has been answered already with exactly what its rows say now. */
export async function isAnswered(
  { summary, version }: KeptSummary,
  { folder }: AnswerPlace,
  ledger: Ledger,
  batch: string,
): Promise<boolean> {
  if (summary.state !== 'closed') return false;
  const kept = folder === null ? undefined : (await readManifest(folder))?.answered;
  // Killed before the summary of the next version: that is still to be told.
  return kept?.version === version && kept.digest === (await rowsDigest(ledger, batch));
}
