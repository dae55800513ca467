// What is kept beside a file that is paid whole or not at all once it was stopped. It stands by itself, so that `status`, which only reads it, loads
// nothing that pays.
import { z } from 'zod';

import type { Words } from '../../../base/language.ts';
import { wordsSchema, type Note } from '../../../inbox/batch-note.ts';
import type { Progress } from '../../../payouts/progress.ts';
import { sentence } from '../../../messages/messages.ts';

/** A row that was refused before it had a transfer, and so is nothing that the service could show. */
export type RefusedRow = { readonly row: string } & Pick<Progress, 'errorCode' | 'reason'>;

/** `refused` names the rows for which it was stopped, for people. */
export type KeptStop = { readonly refused: Words; readonly rows: readonly RefusedRow[] };

const refusedRow = z.object({
  row: z.string(),
  errorCode: z.string().nullable(),
  reason: wordsSchema.nullable(),
});

export const STOP_NOTE: Note<KeptStop> = {
  name: '.not-whole.json',
  schema: z.object({ refused: wordsSchema, rows: z.array(refusedRow) }),
  holds: sentence('stopNote.holds'),
};
