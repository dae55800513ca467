// What the program that wrote a message has been told about it: the statuses that its manifest keeps, under numbers that none of its days uses twice.
import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { answerName, readAnswerName, withoutDay } from '../../../inbox/answer-name.ts';
import {
  folderNow,
  manifestNow,
  type Manifest,
  readManifest,
  type StatusTold,
} from '../../../inbox/manifest.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { TX_STATUSES, type TxStatus } from '../../../results/status-codes.ts';
import { type AnswerPlace, publishKept } from '../../../results/write-results.ts';
import type { Paydrop } from '../../parts.ts';
import { keepManifest } from '../epoch.ts';
import { answersOf } from './answers.ts';

/** A letter for each status, in the order of `TX_STATUSES`. */
const LETTERS = 'APSCR';

/** The statuses of many payments, by their positions. */
export class Statuses {
  readonly #letters: string[] = [];

  static read(text: string): Statuses {
    const statuses = new Statuses();
    for (const [, letter = '', count = ''] of text.matchAll(/([A-Z])(\d+)/g))
      for (let left = Number(count); left > 0; left -= 1) statuses.#letters.push(letter);
    return statuses;
  }

  add(status: TxStatus): void {
    this.#letters.push(LETTERS.charAt(TX_STATUSES.indexOf(status)));
  }

  at(position: number): TxStatus | undefined {
    return TX_STATUSES[LETTERS.indexOf(this.#letters[position] ?? '-')];
  }

  /** In the form of the manifest. */
  text(): string {
    return this.#letters.join('').replace(/(.)\1*/g, (run, letter: string) => letter + String(run.length));
  }
}

/** The last report that a manifest keeps, if there is one. */
export function reportsIn(manifest: Pick<Manifest, 'statusTold'> | null): readonly Statuses[] {
  const told = manifest?.statusTold;
  return told === undefined ? [] : [Statuses.read(told.statuses)];
}

const NOTHING: StatusTold = {
  msgId: '',
  number: 0,
  statuses: '',
  before: '',
  at: '',
  sha256: '',
  isPublished: true,
};

/** The last report, by this batch or by another day of its message. */
export async function toldOf(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: KeptPlace,
  days: readonly BatchRecord[],
): Promise<StatusTold> {
  const found = (await readManifest(place.folder))?.statusTold;
  const own = await finishLast(paydrop, batch, place, found ?? NOTHING);
  let last = own;
  for (const day of days) {
    const other = day.id === batch.id ? null : await toldByDay(paydrop, day);
    if (other !== null && other.number > last.number) last = other;
  }
  if (found === undefined) {
    const before = await toldBefore(paydrop, batch);
    if (before.number > last.number) last = { ...last, number: before.number };
  }
  const { msgId, number, statuses, before, at, sha256, isPublished } = last;
  const closed = own.closed === undefined ? {} : { closed: own.closed };
  return { msgId, number, statuses, before, at, sha256, isPublished, ...closed };
}

/** A report that a kill left in the folder of another day leaves now, so that no later one precedes it. */
async function toldByDay(paydrop: Paydrop, day: BatchRecord): Promise<StatusTold | null> {
  const place = await answersOf(paydrop, day);
  const { folder } = place;
  const told = folder === null ? undefined : (await readManifest(folder))?.statusTold;
  if (folder === null || told === undefined) return null;
  if (told.isPublished) return told;
  const name = place.nameOf(`status-${String(told.number)}`, 'xml');
  const hash = await hashFile(join(folder, name)).catch(() => null);
  if (hash !== told.sha256) return { ...told, number: told.number - 1, statuses: told.before };
  await publishKept(place, name);
  return told;
}

/** The same bytes may have been refused before, and a batch's folder may have been lost: a number that was visibly used is not used again. */
export async function toldBefore(
  { workspace }: Pick<Paydrop, 'workspace'>,
  { id }: Pick<BatchRecord, 'id'>,
): Promise<StatusTold> {
  const message = withoutDay(id);
  const refused = (await readdir(workspace.refused).catch(() => [])).filter(
    (batch) => withoutDay(batch) === message,
  );
  const folders = [...refused.map((batch) => join(workspace.refused, batch)), workspace.outbox];
  const names = (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
  const numbers = names.flatMap((name) => {
    const answer = readAnswerName(name);
    return answer?.kind === 'status' && withoutDay(answer.batch) === message ? [answer.version] : [];
  });
  return { ...NOTHING, number: Math.max(0, ...numbers) };
}

export type KeptPlace = AnswerPlace & { readonly folder: string };

/** Finishes the last message after a kill: if it was written, it leaves now; if not, it was never sent. */
async function finishLast(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: KeptPlace,
  told: StatusTold,
): Promise<StatusTold> {
  if (told.isPublished) return told;
  const name = place.nameOf(`status-${String(told.number)}`, 'xml');
  const hash = await hashFile(join(place.folder, name)).catch(() => null);
  if (hash !== told.sha256) {
    return { ...NOTHING, number: told.number - 1, statuses: told.before };
  }
  await publishKept(place, name);
  return markPublished(paydrop, batch, told);
}

export async function markPublished(
  paydrop: Paydrop,
  batch: BatchRecord,
  told: StatusTold,
): Promise<StatusTold> {
  const published = { ...told, isPublished: true };
  await keepManifest(paydrop, batch, { statusTold: published });
  return published;
}

/** The number that this run was about to use is taken by now. */
export class Overtaken extends Error {}

/** Call it while the ledger is locked: under the lock, each day claims its number and writes its message. */
export function assertNext(
  paydrop: Paydrop,
  own: BatchRecord,
  number: number,
  days: readonly BatchRecord[],
): void {
  for (const { id, fileName } of days) {
    const told = id === own.id ? undefined : manifestNow(paydrop.workspace, id)?.statusTold;
    if (told === undefined || told.number < number) continue;
    const name = answerName(fileName, id, `status-${String(told.number)}`, 'xml');
    const path = join(folderNow(paydrop.workspace, id) ?? '', name);
    if (told.isPublished || isLaid(path, told)) throw new Overtaken();
  }
}

/** A different file under that name was not put there by paydrop. */
function isLaid(path: string, { sha256 }: StatusTold): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return createHash('sha256').update(readFileSync(path)).digest('hex') === sha256;
}

/** The same chunks; their hash is computed on the way. */
export async function* hashed(chunks: AsyncIterable<string | Uint8Array>, hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
