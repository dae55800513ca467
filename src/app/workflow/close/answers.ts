// Where and under which names the answers of a batch are published.
import { answerName } from '../../../inbox/answer-name.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { AnswerPlace } from '../../../results/write-results.ts';
import type { Records } from '../../parts.ts';

/** The answers of a batch that was taken: in the outbox, and in its own folder wherever that stands now. */
export async function answersOf(
  records: Pick<Records, 'workspace' | 'config'>,
  batch: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'>,
): Promise<AnswerPlace> {
  const folder = await standingFolder(records.workspace, batch.id);
  return { ...answersOfUntaken(records, batch), folder };
}

/** The answers to a file that was not taken: in the outbox alone. */
export function answersOfUntaken(
  { workspace, config }: Pick<Records, 'workspace' | 'config'>,
  { id, fileName, sandbox }: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'>,
): AnswerPlace {
  return {
    outbox: workspace.outbox,
    folder: null,
    language: config.language,
    sandbox,
    nameOf: (kind, extension) => answerName(fileName, id, kind, extension),
  };
}
