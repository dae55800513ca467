// What a closed batch has answered is never edited: a later change is published beside it, under the next number, and says what it supersedes.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { readManifest } from '../../../inbox/manifest.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { rowsDigest } from '../../../results/rows-digest.ts';
import type { AnswerPlace } from '../../../results/write-results.ts';
import type { Summary } from '../../../results/summary.ts';

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
