// What whoever ran a batch is told at its end, beside the sums: what it waits for, and the first rows that need somebody.
import { say, type Words } from '../../base/language.ts';
import { waitOf } from '../../ledger/batch-rules.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { rowsThatNeedAttention, type Summary } from '../../results/summary.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { batchOf } from './close/finish-batch.ts';
import { leftOutWords } from './check/check-batch.ts';

/** `first` is said before anything else. */
export async function tellResult(
  paydrop: Paydrop,
  batch: BatchRecord,
  summary: Summary,
  first: readonly Words[] = [],
): Promise<BatchResult> {
  const wait = waitOf(await batchOf(paydrop, batch.id));
  const attention = await rowsThatNeedAttention(paydrop, batch);
  const words = [...first, ...(wait === null ? [] : [wait.words]), ...(await leftOutWords(paydrop, batch))];
  return { summary, words: words.map((each) => say(each, paydrop.config.language)), attention };
}
