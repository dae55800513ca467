// The same payments in another form (saved again, sorted, with other separators or another encoding) must be known again before they are paid.
import { createHash, hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

import { composed } from '../base/plain-text.ts';
import type { DecimalMark } from './form.ts';
import type { ReadFile } from './format.ts';
import { isAmountColumn } from './known-columns.ts';
import { readSigned } from './read-amount.ts';
import type { Row, Table } from './row.ts';

type Field = {
  /** The column's name behind its length. */
  readonly said: string;
  readonly index: number;
  /** Further columns of the same meaning, one of them where the first is empty. */
  readonly others: readonly number[];
  readonly mark: DecimalMark | null;
};

type ContentFingerprint = {
  readonly take: (row: Row) => void;
  /** SHA-256 in hex over the content of the rows, in any order: columns by canonical name, amounts as exact decimals, without our own columns. */
  readonly digest: () => Promise<string>;
};

/** For a caller that reads the rows anyway. */
export function startContentFingerprint(table: Table): ContentFingerprint {
  const fields = fieldsOf(table);
  const rows = new SortedHashes(table.rowCount);
  return {
    take: (row) => rows.add(rowHash(row, fields)),
    digest: async () => {
      const all = createHash('sha256');
      for await (const section of rows.sections()) all.update(section);
      return all.digest('hex');
    },
  };
}

export async function contentFingerprint(file: ReadFile): Promise<string> {
  const fingerprint = startContentFingerprint(file.table);
  for await (const row of file.rows()) fingerprint.take(row);
  return fingerprint.digest();
}

function fieldsOf({ indexOf, decimalMarks, others, columns, textReference = null }: Table): readonly Field[] {
  // The text of the payments is no identity, and still part of what they say.
  const text = columns.filter(({ canonical }) => textReference !== null && canonical === 'reference');
  const said = [...indexOf, ...text.map(({ index }) => ['reference', index] as const)];
  return said
    .filter(([name]) => !name.startsWith('payout.'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, index]) => ({
      said: `${String(name.length)}:${name}`,
      index,
      others: others?.get(name) ?? NONE,
      mark: isAmountColumn(name) ? (decimalMarks.get(name) ?? '.') : null,
    }));
}

const NONE: readonly number[] = [];

function rowHash(row: Row, fields: readonly Field[]): string {
  let said = '';
  for (const { said: column, index, others, mark } of fields) {
    const first = canonicalValue(row.cells[index] ?? '', mark);
    const other = first === '' ? others.find((each) => (row.cells[each] ?? '').trim() !== '') : undefined;
    const value = other === undefined ? first : canonicalValue(row.cells[other] ?? '', mark);
    // An empty cell and a column that the other file does not have say the same. The lengths keep `ab`, `c` from being `a`, `bc`.
    if (value !== '') said += `${column}${String(value.length)}:${value}`;
  }
  return hash('sha256', said, 'binary');
}

function canonicalValue(cell: string, mark: DecimalMark | null): string {
  const text = composed(cell.trim());
  if (mark === null) return text;
  const read = readSigned(text, mark);
  if (!('amount' in read)) return text;
  // The currency in a cell belongs to its content.
  return `${read.amount} ${read.currency?.codes.join('/') ?? ''}`;
}

// The hashes of a million rows in the order of their bytes: 32 bytes each. As many strings would take three times as much, and stop everything
// else while they are sorted.

const HASH_BYTES = 32;

/** Hashes are spread evenly, so each section, by its first byte, is sorted in a moment. */
const SECTIONS = 256;

/** The event loop gets its turn after so many, which take some milliseconds; a small file need not wait for any. */
const TURN_HASHES = 4_096;

/** The least room, in hashes; it doubles when it is used up. */
const ROOM_LEAST = 1_024;

export class SortedHashes {
  #bytes: Buffer;
  #count = 0;
  readonly #inSection = new Uint32Array(SECTIONS);

  /** @param expected how many hashes will come, as far as it is known. */
  constructor(expected: number) {
    this.#bytes = Buffer.alloc(Math.max(expected, ROOM_LEAST) * HASH_BYTES);
  }

  /** @param hash SHA-256, one character a byte. */
  add(hash: string): void {
    const at = this.#count * HASH_BYTES;
    if (at === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(at)]);
    this.#bytes.write(hash, at, 'latin1');
    const section = this.#bytes[at] ?? 0;
    this.#inSection[section] = (this.#inSection[section] ?? 0) + 1;
    this.#count += 1;
  }

  /** All of them, section by section. */
  async *sections(): AsyncGenerator<Buffer> {
    const members = this.#membersBySection();
    let from = 0;
    let sinceTurn = 0;
    for (const count of this.#inSection) {
      yield this.#sorted(members.subarray(from, from + count));
      from += count;
      sinceTurn += count;
      if (sinceTurn < TURN_HASHES) continue;
      await turn();
      sinceTurn = 0;
    }
  }

  /** The numbers of the hashes, those of each section together. */
  #membersBySection(): Uint32Array {
    const members = new Uint32Array(this.#count);
    const next = new Uint32Array(SECTIONS);
    for (let section = 1; section < SECTIONS; section += 1)
      next[section] = (next[section - 1] ?? 0) + (this.#inSection[section - 1] ?? 0);
    for (let index = 0; index < this.#count; index += 1) {
      const section = this.#bytes[index * HASH_BYTES] ?? 0;
      const place = next[section] ?? 0;
      members[place] = index;
      next[section] = place + 1;
    }
    return members;
  }

  #sorted(members: Uint32Array): Buffer {
    const hashes = Array.from(members, (index) =>
      this.#bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
    );
    return Buffer.concat(hashes.sort((a, b) => a.compare(b)));
  }
}
