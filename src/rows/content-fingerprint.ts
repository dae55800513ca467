// The same payments in another form (saved again, sorted, with other separators or another encoding) must be known again before they are paid.
import { createHash, hash } from 'node:crypto';

import type { DecimalMark } from './decimal-mark.ts';
import { isAmountColumn } from './known-columns.ts';
import { readSigned } from './read-amount.ts';
import type { ReadFile } from './read-file.ts';
import type { Row, Table } from './row.ts';

type Field = { readonly name: string; readonly index: number; readonly mark: DecimalMark | null };

/** SHA-256 in hex over what the rows say, whatever their order: columns by canonical name, amounts as exact decimals, our own columns left out. */
export async function contentFingerprint(file: ReadFile): Promise<string> {
  const fields = fieldsOf(file.table);
  const rows: Buffer[] = [];
  for await (const row of file.rows()) rows.push(rowHash(row, fields));
  rows.sort((a, b) => a.compare(b));
  const all = createHash('sha256');
  for (const row of rows) all.update(row);
  return all.digest('hex');
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

function rowHash(row: Row, fields: readonly Field[]): Buffer {
  const said = fields.flatMap(({ name, index, mark }) => {
    const value = canonicalValue(row.cells[index] ?? '', mark);
    // An empty cell and a column that the other file does not have say the same.
    return value === '' ? [] : [name, value];
  });
  return hash('sha256', said.map(withLength).join(''), 'buffer');
}

/** The length before each text, so that `ab` and `c` are not `a` and `bc`. */
function withLength(text: string): string {
  return `${text.length}:${text}`;
}

function canonicalValue(cell: string, mark: DecimalMark | null): string {
  const text = cell.trim().normalize('NFC');
  if (mark === null) return text;
  const read = readSigned(text, mark);
  if (!('amount' in read)) return text;
  // A currency beside the number is part of what the cell says.
  return `${read.amount} ${read.currency?.codes.join('/') ?? ''}`;
}
