// What a proposed profile would make of its file: the surest way to see what is still missing is to check every row by it.
import type { Profile } from '../../rows/profile.ts';
import { rulesFor } from '../workflow/check/check-rules.ts';
import type { Paydrop } from '../parts.ts';
import { documentsOf, readBatchFile } from '../workflow/take/read-batch-file.ts';
import { validateFile } from '../workflow/check/validate-file.ts';

export type Trial = {
  readonly rows: number;
  /** Rows that could be paid as they are. */
  readonly payable: number;
  /** The faults that most rows have, each with the first row's words. */
  readonly faults: readonly {
    readonly code: string;
    readonly column: string;
    readonly rows: number;
    readonly words: string;
  }[];
};

/** More are told by `check`, once the first are mended. */
const FAULTS_MOST = 6;

/** Throws `FileRefused` when the file cannot be read by the profile, a `Fault` when the corridors cannot be had. */
export async function tryProfile(paydrop: Paydrop, path: string, profile: Profile): Promise<Trial> {
  const file = await readBatchFile(path, paydrop.config, profile);
  const documents = await documentsOf(paydrop, path, file, null);
  const found = new Map<string, { code: string; column: string; rows: number; words: string }>();
  let payable = 0;
  for await (const row of validateFile(file, await rulesFor(paydrop, file, documents))) {
    if (row.rejections.length === 0) payable += 1;
    for (const { code, column, message } of row.rejections) {
      const fault = found.get(`${code} ${column}`) ?? { code, column, rows: 0, words: message };
      fault.rows += 1;
      found.set(`${code} ${column}`, fault);
    }
  }
  const faults = [...found.values()].sort((a, b) => b.rows - a.rows).slice(0, FAULTS_MOST);
  return { rows: file.table.rowCount, payable, faults };
}
