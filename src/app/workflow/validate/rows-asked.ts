// The questions that a file itself raises about its rows, asked of its taken copy once more: after a kill, and after a lost ledger.
import { type DocumentList, readDocumentList } from '../../../inbox/documents.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Paydrop } from '../../parts.ts';
import { listGone } from '../../parts/describe-error.ts';
import type { OpenedFile } from '../batch/profile-for.ts';
import { rulesFor } from './check-rules.ts';
import { RowQuestions, type RowsAsked } from './row-questions.ts';
import { validateFile } from './validate-file.ts';

/** Throws where the list of documents is gone, a `Fault` when the service does not give the corridors. */
export async function rowsAskedOf(
  paydrop: Paydrop,
  batch: { readonly id: string; readonly fileName: string },
  { file, read }: OpenedFile,
): Promise<RowsAsked> {
  const documents = await readDocumentList(file.folder);
  if (documents === null) throw listGone(batch.id);
  return askedIn(paydrop, batch.fileName, read, documents);
}

async function askedIn(
  paydrop: Paydrop,
  fileName: string,
  read: ReadFile,
  documents: DocumentList,
): Promise<RowsAsked> {
  const questions = new RowQuestions(read.table, fileName);
  for await (const checked of validateFile(read, await rulesFor(paydrop, read, documents)))
    questions.take(checked);
  return questions.finish(read.rows);
}
