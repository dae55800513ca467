// What the process that reads workbooks is told and what it answers. Everything is plain data, because it crosses from one process to another.
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

// A small workbook is read by a process once: what it said is kept, because another process takes longer to start than its rows take to read.

/** Five hundred rows of twenty columns: under two megabytes of memory, and read in less time than a process takes to start. */
const CELLS_MAX = 10_000;

/** Text of all cells; one alone may be long. */
const CHARS_MAX = 500_000;

export type Keeping = {
  readonly take: (message: ReaderMessage) => void;
  /** All messages that were taken; null when they were too large to keep. */
  readonly kept: () => readonly ReaderMessage[] | null;
};

export function startKeeping(): Keeping {
  let messages: ReaderMessage[] | null = [];
  let cellCount = 0;
  let charCount = 0;
  const take = (message: ReaderMessage): void => {
    if (messages === null) return;
    if (message.kind === 'rows')
      for (const [, cells] of message.rows) {
        cellCount += cells.length;
        for (const cell of cells) charCount += cell.length;
      }
    if (cellCount > CELLS_MAX || charCount > CHARS_MAX) messages = null;
    else messages.push(message);
  };
  return { take, kept: () => messages };
}

/** What was kept, while the file still is the one that it was read from. Throws `FileRefused`, as a reading does. */
export async function* readAgain(
  source: SourceFile,
  kept: readonly ReaderMessage[],
): AsyncGenerator<ReaderMessage> {
  const file = await openSame(source);
  try {
    yield* kept;
    await checkSame(source, file);
  } finally {
    await file.close();
  }
}
