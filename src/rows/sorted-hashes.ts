// The hashes of a million rows in the order of their bytes: 32 bytes each, where as many strings would take three times as much and stop
// everything else while they are sorted.
import { setImmediate as turn } from 'node:timers/promises';

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
