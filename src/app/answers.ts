// Where and under which names the answers of a batch are published.
import { answerName } from '../inbox/batch-name.ts';
import type { BatchRecord } from '../ledger/records.ts';
import type { AnswerPlace } from '../results/write-results.ts';
import type { Paydrop } from './compose.ts';

export function answersOf({ workspace }: Paydrop, batch: Pick<BatchRecord, 'id' | 'fileName'>): AnswerPlace {
  return {
    outbox: workspace.outbox,
    nameOf: (kind, extension) => answerName(batch.fileName, batch.id, kind, extension),
  };
}
