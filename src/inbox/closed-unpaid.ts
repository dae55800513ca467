// Rows that a person cancelled, kept beside the file: the one thing about a batch that neither the file nor the service could tell again.
import { z } from 'zod';

import type { Words } from '../base/language.ts';
import { readNote, wordsSchema, writeNote, type Note } from './batch-note.ts';
import { sentence } from '../messages/messages.ts';

/** `row` is the row identity, `reason` the whole sentence with the person's name. */
export type ClosedUnpaid = {
  readonly row: string;
  readonly code: 'cancelled' | 'declined';
  readonly reason: Words;
};

export const CLOSED_UNPAID_NOTE: Note<readonly ClosedUnpaid[]> = {
  name: '.closed-unpaid.json',
  schema: z.array(
    z.object({ row: z.string(), code: z.enum(['cancelled', 'declined']), reason: wordsSchema }),
  ),
  holds: sentence('closedUnpaid.holds'),
};

export async function readClosedUnpaid(folder: string): Promise<readonly ClosedUnpaid[]> {
  return (await readNote(folder, CLOSED_UNPAID_NOTE)) ?? [];
}

/** Durable when it resolves; a row that was named before keeps its last reason. */
export async function addClosedUnpaid(folder: string, rows: readonly ClosedUnpaid[]): Promise<void> {
  const all = new Map((await readClosedUnpaid(folder)).map((closed) => [closed.row, closed]));
  for (const closed of rows) all.set(closed.row, closed);
  await writeNote(folder, CLOSED_UNPAID_NOTE, [...all.values()]);
}
