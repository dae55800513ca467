// What the process that reads workbooks is told and what it answers. Everything is plain data, because it crosses from one process to another.
import { setImmediate as turn } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

import type { Words } from '../../base/language.ts';
import type { FileRefusalCode } from '../file-refused.ts';
import type { XlsxForm } from '../form.ts';
import type { FoundHeader, HeaderKind } from '../header.ts';
import { checkSame, openSame, type SourceFile } from '../source-file.ts';

export type ReadJob = {
  /** The sheet that a profile names. */
  readonly sheet: string | null;
  /** A profile's own headers, folded, and what they mean. */
  readonly aliases: readonly (readonly [string, string | null])[];
  readonly header: HeaderKind;
  readonly isList: boolean;
  /** Only the first rows are wanted, whatever they mean. */
  readonly isPeek: boolean;
};

/** Sent for each batch of rows that has been used up. */
export const MORE = 'more';

/** Place, cells, and the first letters of their kinds. */
export type WireRow = readonly [place: number, cells: readonly string[], kinds: string];

/** A merged area in words, and the row that it begins in. */
export type MergedArea = { readonly row: number; readonly area: string };

export type ReaderMessage =
  /** A sign of life while much is read and nothing can be given yet. */
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'opened';
      readonly sheet: string;
      readonly isOnlySheet: boolean;
      readonly header: FoundHeader;
    }
  | { readonly kind: 'peeked'; readonly sheet: string; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rows'; readonly rows: readonly WireRow[] }
  /** The rows down to the header, the number format of each column, and the highest merged area below the header, if any. */
  | {
      readonly kind: 'end';
      readonly head: XlsxForm['head'];
      readonly numberFormats: readonly string[];
      readonly firstMerge: MergedArea | null;
    }
  | { readonly kind: 'refused'; readonly code: FileRefusalCode; readonly fault: Words };

// A workbook is read by a process once: what it said is kept, packed, because a process takes ten times longer to read the rows again than it takes to
// unpack them.

/** Of all workbooks that are open, packed: some hundred thousand rows. What is too much is read again each time. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

let keptBytes = 0;
const forgotten = new FinalizationRegistry((bytes: number) => (keptBytes -= bytes));

/** The fastest: texts of a column are much alike. */
const PACKING = { level: 1 };

export type Keeping = {
  readonly take: (message: ReaderMessage) => void;
  /** All messages that were taken; null when they were too large to keep. */
  readonly kept: () => Iterable<ReaderMessage> | null;
};

export function startKeeping(): Keeping {
  let packed: Buffer[] | null = [];
  let bytes = 0;
  const take = (message: ReaderMessage): void => {
    if (packed === null) return;
    const piece = deflateRawSync(JSON.stringify(message), PACKING);
    bytes += piece.length;
    if (keptBytes + bytes > KEPT_BYTES_MAX) packed = null;
    else packed.push(piece);
  };
  const kept = (): Iterable<ReaderMessage> | null => {
    if (packed === null) return null;
    const pieces = packed;
    keptBytes += bytes;
    forgotten.register(pieces, bytes);
    return { [Symbol.iterator]: () => unpacked(pieces) };
  };
  return { take, kept };
}

function* unpacked(packed: readonly Buffer[]): Generator<ReaderMessage> {
  for (const piece of packed) yield JSON.parse(inflateRawSync(piece).toString()) as ReaderMessage;
}

/** What was kept, while the file still is the one that it was read from. Throws `FileRefused`, as a reading does. */
export async function* readAgain(
  source: SourceFile,
  kept: Iterable<ReaderMessage>,
): AsyncGenerator<ReaderMessage> {
  const file = await openSame(source);
  try {
    for (const message of kept) {
      yield message;
      // Unpacking waits for nothing: without this, all pieces together would hold up everybody else.
      await turn();
    }
    await checkSame(source, file);
  } finally {
    await file.close();
  }
}
