// The columns of an answer that mirrors its input: the input's own, without the `payout.*` ones of an earlier answer, then the new ones.
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { answerCell } from '../rows/account-digits.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { Column, Row, Table } from '../rows/row.ts';
import type { AnswerRow, AnswerTable } from './answer-table.ts';
import { batchRows } from '../ledger/batch-rows.ts';

/** The input's columns that are repeated. */
export function ownColumns(table: Table): readonly Column[] {
  return table.columns.filter(({ canonical }) => canonical?.startsWith('payout.') !== true);
}

/** The row's cells in these columns, but no digits of an account that a workbook has spoilt. */
export function ownCells(row: Row, columns: readonly Column[]): readonly string[] {
  return columns.map(({ index, canonical }) =>
    answerCell(row.cells[index] ?? '', row.kinds?.[index] ?? 'text', canonical),
  );
}

/** Each row of the file with its record; a record that is missing is a bug, because rows in is rows out. */
export async function* rowsWithRecords(
  file: ReadFile,
  ledger: Ledger,
  batch: string,
): AsyncGenerator<{ readonly row: Row; readonly record: RowRecord }> {
  const records = batchRows(ledger, batch);
  for await (const row of file.rows()) {
    const next = await records.next();
    if (next.done === true || next.value.row !== row.place)
      throw new Error(`Row ${row.place} of batch ${batch} has no record.`);
    yield { row, record: next.value };
  }
}

/** Play money must not pass for a payment in the books of whoever imports the table. */
const SANDBOX_COLUMN = { header: 'payout.sandbox', kind: 'text' } as const;
const SANDBOX_CELL = 'SANDBOX';

/** The table of a sandbox run: each of its rows says so, in the last column. */
export function sandboxTable(table: AnswerTable): AnswerTable {
  return { ...table, added: [...table.added, SANDBOX_COLUMN], rows: sandboxRows(table.rows) };
}

async function* sandboxRows(rows: AnswerTable['rows']): AsyncGenerator<AnswerRow> {
  for await (const row of rows) yield { ...row, added: [...row.added, SANDBOX_CELL] };
}
