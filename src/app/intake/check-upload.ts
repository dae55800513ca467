// The check of one upload, cell by cell.
import { type Reader, say, type Words } from '../../base/language.ts';
import type { Upload as ShownUpload } from '../../contract/uploads.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { Profile } from '../../rows/profile.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import type { FileWork } from '../parts/file-thread.ts';
import { readEarlierDigits } from '../workflow/validate/check-rules.ts';
import { FileExamination } from '../workflow/validate/examine-file.ts';
import { validateFile } from '../workflow/validate/validate-file.ts';
import { payAtOf } from '../workflow/batch/decide-pay-at.ts';
import { documentsOf, readBatchFile, type ReadingConfig } from '../workflow/batch/read-batch-file.ts';
import { type Missing, missingOf, type Upload, type UploadCheck } from './upload-folder.ts';
import { rowToFill } from './row-to-fill.ts';
import { type SheetPlace, SheetWriter } from './upload-sheet.ts';

/** Nothing in it but values: it may go to another thread. */
type CheckJob = Pick<Paydrop, 'workspace' | 'sender'> & {
  readonly path: string;
  readonly bytes: number;
  /** When it is checked, in ms: a day may be too far off. */
  readonly now: number;
  readonly sheet: SheetPlace;
  readonly profile: Profile | null;
  readonly corridors: readonly PayoutCorridor[];
  readonly config: ReadingConfig;
};

/** What it finds in the file, whatever profile it was told to read by. */
type CheckedFile = Omit<UploadCheck, 'readWith'>;

/** How far it is, and what it has found so far. */
export type CheckProgress = Pick<UploadCheck, 'rows' | 'faulty'> & Missing & { readonly checked: number };

export const UNBEGUN: CheckProgress = { rows: 0, checked: 0, faulty: 0, documentsMissing: 0, missing: [] };

/** @param stopped why its check waits; null where it goes on. */
export function viewOf(
  upload: Upload,
  progress: CheckProgress,
  stopped: Words | null,
  reader: Reader,
): ShownUpload {
  const { id, name, bytes, createdAt: sentAt, checked, batch } = upload;
  const about = { name, bytes, sentAt, corrected: upload.corrected.length, batch };
  if (checked === null) {
    const reason = stopped === null ? null : say(stopped, reader);
    return { id, state: 'checking', ...about, ...progress, sums: [], code: null, reason };
  }
  const { rows, faulty, documentsMissing, missing, sums, refused } = checked;
  const state = refused === null ? 'checked' : 'refused';
  const why = {
    code: refused?.code ?? null,
    reason: refused === null ? null : say(refused.words, reader),
  };
  return { id, state, ...about, rows, checked: rows, faulty, documentsMissing, missing, sums, ...why };
}

type Tell = (progress: CheckProgress) => void;

export const WORK: FileWork<CheckJob, CheckedFile, CheckProgress> = { module: import.meta.url, does: check };

async function check(
  { path, now, sheet: place, profile, corridors, ...parts }: CheckJob,
  tell: Tell,
  signal: AbortSignal,
): Promise<CheckedFile> {
  let progress = UNBEGUN;
  try {
    const read = await readBatchFile(path, parts.config, profile);
    // A day that nobody can pay on refuses the file now, not only once it is submitted.
    await payAtOf(parts.config, path, read, () => now);
    const documents = await documentsOf(parts, path, read, null);
    progress = { ...progress, rows: read.table.rowCount, ...missingOf(documents) };
    const earlier = await readEarlierDigits(parts, read, documents.door);
    const rules = { corridors, sender: parts.sender, documents, earlier };
    const examination = new FileExamination(read.table, read.table.fileName ?? '');
    const sheet = await SheetWriter.open(place, read.table);
    try {
      tell(progress);
      for await (const row of validateFile(read, rules)) {
        signal.throwIfAborted();
        examination.take(row);
        if (await sheet.take(row, rowToFill(read.table, corridors, row)))
          tell({ ...progress, checked: sheet.rows, faulty: sheet.faulty });
      }
    } finally {
      await sheet.close();
    }
    const { sums, rejected } = examination.found();
    const { rows, documentsMissing, missing } = progress;
    const said = sums.map(({ currency, amount }) => ({ currency, amount }));
    return { rows, faulty: rejected, documentsMissing, missing, sums: said, refused: null };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return refusedCheck(error, progress.rows);
  }
}

/** What a check says of a file that cannot be taken as a whole. */
export function refusedCheck({ code, words }: FileRefused, rows: number): CheckedFile {
  return { rows, faulty: 0, documentsMissing: 0, missing: [], sums: [], refused: { code, words } };
}
