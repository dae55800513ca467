// What was told about a batch, as its manifest keeps it: to the program of a message the status of each payment, under numbers that it never uses
// twice; and to anybody which rows are rejected.
import type { Hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { readAnswerName } from '../../../inbox/answer-name.ts';
import { type Manifest, readManifest, standingManifest, type StatusTold } from '../../../inbox/manifest.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { statusOf, TX_STATUSES, type TxStatus } from '../../../results/status-codes.ts';
import { type AnswerPlace, publishKept } from '../../../results/write-results.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { keepManifest, raiseEpoch } from '../batch/epoch.ts';

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

  get count(): number {
    return this.#letters.length;
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

/** The last report. */
export async function toldOf(records: Records, batch: BatchRecord, place: KeptPlace): Promise<StatusTold> {
  const found = (await readManifest(place.folder))?.statusTold;
  const told = await finishLast(records, batch, place, found ?? NOTHING);
  if (found !== undefined) return told;
  return { ...told, number: Math.max(told.number, (await toldBefore(records, batch)).number) };
}

/** The same bytes may have been refused before, and a batch's folder may have been lost: a number that was visibly used is not used again. */
export async function toldBefore(
  { workspace }: Pick<Paydrop, 'workspace'>,
  { id }: Pick<BatchRecord, 'id'>,
): Promise<StatusTold> {
  const folders = [join(workspace.refused, id), workspace.outbox];
  const names = (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
  const numbers = names.flatMap((name) => {
    const answer = readAnswerName(name);
    return answer?.kind === 'status' && answer.batch === id ? [answer.version] : [];
  });
  return { ...NOTHING, number: Math.max(0, ...numbers) };
}

// What was reported as rejected, to a program or a person: they may make the payment again, so no later ledger may send it. Each batch keeps its own in
// its manifest before the answer leaves.

/** Of rows by their positions, the error code of each; empty where there is none. */
export type RejectedBefore = ReadonlyMap<number, string>;

/** Under a new epoch, so that a ledger from before is recognised as older. A row that is rejected stays so. */
export async function keepRejected(records: Records, batch: BatchRecord): Promise<void> {
  const { ledger, workspace } = records;
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
  await raiseEpoch(records, batch.id, { rejected: facts });
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
  records: Records,
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
  return markPublished(records, batch, told);
}

export async function markPublished(
  records: Records,
  batch: BatchRecord,
  told: StatusTold,
): Promise<StatusTold> {
  const published = { ...told, isPublished: true };
  await keepManifest(records, batch, { statusTold: published });
  return published;
}

/** The same chunks; their hash is computed on the way. */
export async function* hashed(chunks: AsyncIterable<string | Uint8Array>, hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
