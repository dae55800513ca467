// What was told about a batch, as its manifest keeps it: to the program of a message the status of each payment, under numbers that none of its days uses
// twice; and to anybody which rows are rejected.
import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { answerName, readAnswerName, withoutDay } from '../../../inbox/answer-name.ts';
import {
  folderNow,
  manifestNow,
  type Manifest,
  readManifest,
  standingManifest,
  type StatusTold,
} from '../../../inbox/manifest.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { statusOf, TX_STATUSES, type TxStatus } from '../../../results/status-codes.ts';
import { type AnswerPlace, publishKept } from '../../../results/write-results.ts';
import type { Paydrop } from '../../parts.ts';
import { keepManifest, raiseEpoch } from '../epoch.ts';
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

// What was reported as rejected, to a program or a person: they may make the payment again, so no later ledger may send it. Each batch keeps its own in
// its manifest before the answer leaves.

/** Of rows by their positions, the error code of each; empty where there is none. */
export type RejectedBefore = ReadonlyMap<number, string>;

/** Under a new epoch, so that a ledger from before is recognised as older. A row that is rejected stays so. */
export async function keepRejected(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger, workspace } = paydrop;
  const manifest = await standingManifest(workspace, batch.id);
  if (manifest === null || !(await ledger.stageCounts(batch.id)).has('rejected')) return;
  const rejected = new Map<string, Positions>();
  for await (const row of batchRows(ledger, batch.id, REJECTED)) {
    if (statusOf(row, batch).status !== 'RJCT') continue;
    const code = row.progress.why?.errorCode ?? '';
    const positions = rejected.get(code) ?? new Positions();
    rejected.set(code, positions);
    positions.add(row.position);
  }
  const facts = Object.fromEntries([...rejected].map(([code, positions]) => [code, positions.text()]));
  if (isDeepStrictEqual(facts, manifest.rejected ?? {})) return;
  await raiseEpoch(paydrop, batch.id, { rejected: facts });
}

const REJECTED = { stages: ['rejected'] } as const;

export function rejectedBefore(manifest: Pick<Manifest, 'rejected'> | null): RejectedBefore {
  const codes = Object.entries(manifest?.rejected ?? {});
  return new Map(codes.flatMap(([code, text]) => Positions.in(text).map((position) => [position, code])));
}

/** Positions in ascending order, as `0 4-9`. */
class Positions {
  readonly #stretches: { readonly from: number; to: number }[] = [];

  static in(text: string): readonly number[] {
    return [...text.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
    );
  }

  add(position: number): void {
    const last = this.#stretches.at(-1);
    if (last?.to === position - 1) last.to = position;
    else this.#stretches.push({ from: position, to: position });
  }

  text(): string {
    return this.#stretches
      .map(({ from, to }) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
      .join(' ');
  }
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
