// What a closed batch last told of its rows, as a hash beside its answers: two rows that change against each other leave every sum as it was.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';

export type LastAnswered = {
  /** The number of the answers that told it, from 1. */
  readonly version: number;
  readonly digest: string;
  /** False until the last of these answers stands in the outbox. */
  readonly isPublished: boolean;
  /** SHA-256 in hex of each of these answers, by its name. */
  readonly answers: Readonly<Record<string, string>>;
};

/** A dot file, so that no document can be called so. */
const NAME = '.last-answered.json';

/** Null when the batch was never closed. */
export async function readLastAnswered(folder: string): Promise<LastAnswered | null> {
  const text = await readFile(join(folder, NAME), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'null';
    throw error;
  });
  return JSON.parse(text) as LastAnswered | null;
}

/** To be kept before the last of the answers is published, so that none is taken for another. */
export async function keepLastAnswered(folder: string, answered: LastAnswered): Promise<void> {
  await publishFile(join(folder, NAME), [JSON.stringify(answered)]);
}
