// What a closed batch last told of its rows, as a hash beside its answers: two rows that change against each other leave every sum as it was.
import { z } from 'zod';

import { readNote, writeNote, type Note } from './batch-note.ts';
import { sentence } from '../messages/messages.ts';

export type LastAnswered = {
  /** The number of the answers that told it, from 1. */
  readonly version: number;
  readonly digest: string;
  /** False until the last of these answers stands in the outbox. */
  readonly isPublished: boolean;
  /** SHA-256 in hex of each of these answers, by its name. */
  readonly answers: Readonly<Record<string, string>>;
};

export const LAST_ANSWERED_NOTE: Note<LastAnswered> = {
  name: '.last-answered.json',
  schema: z.object({
    version: z.int(),
    digest: z.string(),
    isPublished: z.boolean(),
    answers: z.record(z.string(), z.string()),
  }),
  holds: sentence('lastAnswered.holds'),
};

/** Null when the batch was never closed. */
export function readLastAnswered(folder: string): Promise<LastAnswered | null> {
  return readNote(folder, LAST_ANSWERED_NOTE);
}

/** To be kept before the last of the answers is published, so that none is taken for another. */
export async function keepLastAnswered(folder: string, answered: LastAnswered): Promise<void> {
  await writeNote(folder, LAST_ANSWERED_NOTE, answered);
}
