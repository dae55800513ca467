// The same payments in another form (saved again, sorted, with other separators or another encoding) must be known again before they are paid.
import { createHash, hash } from 'node:crypto';

import type { DecimalMark } from './decimal-mark.ts';
import { isAmountColumn } from './known-columns.ts';
import { readSigned } from './read-amount.ts';
import type { ReadFile } from './read-file.ts';
import type { Row, Table } from './row.ts';
import { SortedHashes } from './sorted-hashes.ts';

type Field = { readonly name: string; readonly index: number; readonly mark: DecimalMark | null };

export type ContentFingerprint = {
  readonly take: (row: Row) => void;
  /** SHA-256 in hex over what the rows say, whatever their order: columns by canonical name, amounts as exact decimals, our own columns left out. */
  readonly digest: () => Promise<string>;
};

/** For whoever reads the rows anyway. */
export function startContentFingerprint(table: Table): ContentFingerprint {
  const fields = fieldsOf(table);
  const rows = new SortedHashes(table.rowCount);
  return {
    take: (row) => rows.add(rowHash(row, fields)),
    digest: async () => {
      const all = createHash('sha256');
      for await (const section of rows.sections()) all.update(section);
      return all.digest('hex');
    },
  };
}

export async function contentFingerprint(file: ReadFile): Promise<string> {
  const fingerprint = startContentFingerprint(file.table);
  for await (const row of file.rows()) fingerprint.take(row);
  return fingerprint.digest();
}

function fieldsOf({ indexOf, decimalMarks }: Table): readonly Field[] {
  return [...indexOf]
    .filter(([name]) => !name.startsWith('payout.'))
    .map(([name, index]) => ({
      name,
      index,
      mark: isAmountColumn(name) ? (decimalMarks.get(name) ?? '.') : null,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function rowHash(row: Row, fields: readonly Field[]): string {
  let said = '';
  for (const { name, index, mark } of fields) {
    const value = canonicalValue(row.cells[index] ?? '', mark);
    // An empty cell and a column that the other file does not have say the same. The lengths keep `ab`, `c` from being `a`, `bc`.
    if (value !== '') said += `${name.length}:${name}${value.length}:${value}`;
  }
  return hash('sha256', said, 'binary');
}

function canonicalValue(cell: string, mark: DecimalMark | null): string {
  const text = cell.trim().normalize('NFC');
  if (mark === null) return text;
  const read = readSigned(text, mark);
  if (!('amount' in read)) return text;
  // A currency beside the number is part of what the cell says.
  return `${read.amount} ${read.currency?.codes.join('/') ?? ''}`;
}
