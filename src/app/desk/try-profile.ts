// What a proposed profile would make of its file: the surest way to see what is still missing is to check every row by it.
import { isAmountColumn } from '../../rows/known-columns.ts';
import { SPLIT_RULES, splitName, type SplitRule } from '../../rows/cell.ts';
import type { Proposal } from './propose-profile.ts';
import type { ProposedColumn } from './proposed-columns.ts';
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
  /** Options that may close a gap, for a person to confirm by saying them. */
  readonly hints: readonly string[];
};

/** More are told by `check`, once the first are mended. */
const FAULTS_MOST = 6;

/** Null while it has to be asked which column is to be paid. Throws `FileRefused` when the file cannot be read by the profile, a `Fault` when the corridors cannot be had. */
export async function tryProfile(
  paydrop: Paydrop,
  path: string,
  { profile, columns, questions }: Proposal,
): Promise<Trial | null> {
  if (questions.length > 0 && !columns.some(({ column }) => isAmountColumn(column))) return null;
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
  return { rows: file.table.rowCount, payable, faults, hints: hintsOf(faults, columns) };
}

function hintsOf(faults: Trial['faults'], columns: readonly ProposedColumn[]): readonly string[] {
  const isMissing = (column: string) => faults.some((fault) => fault.column === column);
  const name = columns.find(({ column }) => column === 'receiver.name');
  const rule = name === undefined ? undefined : SPLIT_RULES.find((by) => splitsAll(name, by));
  const hints: string[] = [];
  if (name !== undefined && rule !== undefined && isMissing('receiver.lastName'))
    hints.push(`--split "${name.header}=${partsOf(name, rule)},${rule}"`);
  const whole = columns.find(
    ({ column }) => column === 'receiver.name' || column === 'receiver.registeredName',
  );
  if (whole !== undefined && isMissing(HOLDER)) hints.push(`--same "${HOLDER}=${whole.column ?? ''}"`);
  return hints;
}

const HOLDER = 'delivery.bankAccountHolderFullName';

function splitsAll({ samples }: ProposedColumn, by: SplitRule): boolean {
  return samples.length > 0 && samples.every((cell) => splitName(cell, by) !== null);
}

/** Capitals are the family name, and so is what stands before a comma; of words alone the header tells which comes first. */
function partsOf({ header }: ProposedColumn, rule: SplitRule): string {
  const isFirstNameFirst = rule.endsWith('word') && /^(?:pr[eé]nom|first|given)/i.test(header);
  const parts = ['receiver.lastName', 'receiver.firstName'];
  return (isFirstNameFirst ? parts.toReversed() : parts).join(',');
}
