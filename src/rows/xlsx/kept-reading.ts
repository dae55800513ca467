// A small workbook is read by a process once: what it said is kept, because another process takes longer to start than its rows take to read.
import { checkSame, openSame, type SourceFile } from '../source-file.ts';
import type { ReaderMessage } from './messages.ts';

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
