// In which row each reference of a file stood first, in fifteen bytes a row: the texts themselves would keep the whole file in memory.
import { hash } from 'node:crypto';

/** A fifth of the table stays empty, so that a search ends after a few steps. */
const ROOM_PER_REFERENCE = 1.25;

export class SeenReferences {
  /** 64 bits of each reference's hash: that two of a million agree by chance happens once in forty million files. */
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  /** The row numbers; 0 where nothing stands, because rows are counted from 1. */
  readonly #rows: Uint32Array;
  #free: number;

  /** @param most how many references there can be. */
  constructor(most: number) {
    const room = Math.ceil(most * ROOM_PER_REFERENCE) + 1;
    this.#high = new Uint32Array(room);
    this.#low = new Uint32Array(room);
    this.#rows = new Uint32Array(room);
    this.#free = room - 1;
  }

  /** The number of the row in which the reference stood before; null when it comes for the first time, and stands in this one now. */
  meet(reference: string, row: number): number | null {
    const bytes = hash('sha256', reference, 'binary');
    const [high, low] = [wordAt(bytes, 0), wordAt(bytes, 4)];
    const room = this.#rows.length;
    for (let at = low % room; ; at = (at + 1) % room) {
      const known = this.#rows[at] ?? 0;
      if (known === 0) return this.#keep(at, { high, low, row });
      if (this.#high[at] === high && this.#low[at] === low) return known;
    }
  }

  #keep(
    at: number,
    { high, low, row }: { readonly high: number; readonly low: number; readonly row: number },
  ): null {
    // One place stays empty, where a search for what is not there ends.
    if (this.#free === 0) throw new Error('There are more references than the file has rows.');
    this.#free -= 1;
    this.#high[at] = high;
    this.#low[at] = low;
    this.#rows[at] = row;
    return null;
  }
}

/** Four bytes of a text of one character a byte. */
function wordAt(bytes: string, at: number): number {
  const [a, b] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1)];
  const [c, d] = [bytes.charCodeAt(at + 2), bytes.charCodeAt(at + 3)];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}
