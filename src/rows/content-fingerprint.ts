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
  const rows: string[] = [];
  for await (const row of file.rows()) rows.push(rowHash(row, fields));
  rows.sort();
  const all = createHash('sha256');
  for (const row of rows) all.update(row, 'binary');
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

function rowHash(row: Row, fields: readonly Field[]): string {
  let said = '';
  for (const { name, index, mark } of fields) {
    const value = canonicalValue(row.cells[index] ?? '', mark);
    // An empty cell and a column that the other file does not have say the same. The lengths keep `ab`, `c` from being `a`, `bc`.
    if (value !== '') said += `${name.length}:${name}${value.length}:${value}`;
  }
  // One character a byte: a million of these stay in memory until they are sorted.
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
