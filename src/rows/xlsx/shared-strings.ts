// Texts that cells refer to by number. There may be millions, so they are kept as bytes outside the heap and made into strings when asked for.
import { FileRefused } from '../file-refused.ts';
import { SHARED_STRINGS_MAX, SHARED_TEXT_BYTES_MAX } from './limits.ts';
import { SPREADSHEET } from './namespaces.ts';
import type { Parts } from './package-parts.ts';
import { richText, unescapeText } from './rich-text.ts';
import { sentence } from '../../messages/messages.ts';

/** The text of a number, or undefined where there is none. */
export type SharedStrings = (index: number) => string | undefined;

export async function readSharedStrings(parts: Parts, part: string | null): Promise<SharedStrings> {
  const store = startStore();
  if (part === null) return store.get;
  let text = '';
  const si = {
    open: () => void (text = ''),
    close: () => store.add(unescapeText(text)),
    children: richText((piece) => void (text += piece)),
  };
  await parts.walk(part, { name: 'sst', namespaces: SPREADSHEET, shape: { children: { si } } });
  return store.get;
}

type Store = { readonly add: (text: string) => void; readonly get: SharedStrings };

/** The first texts are mostly those that repeat (currencies, countries), so these are kept as strings once made. */
const KEPT = 4_096;

const BYTES_FIRST = 64 * 1024;
const COUNT_FIRST = 4_096;

/** A UTF-16 unit becomes at most three bytes. */
const BYTES_A_UNIT = 3;

function startStore(): Store {
  let bytes = Buffer.allocUnsafeSlow(BYTES_FIRST);
  let ends = new Uint32Array(COUNT_FIRST);
  let count = 0;
  let used = 0;
  const kept: string[] = [];
  return {
    add: (text) => {
      const needed = used + text.length * BYTES_A_UNIT;
      if (count === SHARED_STRINGS_MAX || used + text.length > SHARED_TEXT_BYTES_MAX) throw tooMuch();
      if (needed > bytes.length) bytes = grown(bytes, used, needed);
      if (count === ends.length) ends = grownList(ends);
      used += bytes.write(text, used);
      ends[count] = used;
      count += 1;
    },
    get: (index) => {
      if (!(index >= 0 && index < count)) return undefined;
      const known = kept[index];
      if (known !== undefined) return known;
      const text = bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index]);
      if (index < KEPT) kept[index] = text;
      return text;
    },
  };
}

function grown(bytes: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, needed));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

function grownList(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(list.length * 2);
  larger.set(list);
  return larger;
}

function tooMuch(): FileRefused {
  return new FileRefused('workbook_bomb', sentence('sharedStrings.tooMuch'));
}
