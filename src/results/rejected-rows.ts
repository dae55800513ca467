// The rows that go back to their owner, to be fixed and dropped again as they are.
import { rejectionText, type Rejection } from '../payouts/rejection.ts';
import type { Column, Row, Table } from '../rows/row.ts';
import { columnLetters } from '../rows/name-cell.ts';
import { showMark } from '../rows/show-mark.ts';
import type { AnswerRow, AnswerTable } from './answer-table.ts';
import { ownCells, ownColumns } from './table-file.ts';

export const REJECTED_COLUMNS = ['payout.error', 'payout.batch', 'payout.row'] as const;

/** A row with what is wrong with it; nothing, for a good row of a file that is refused whole. */
export type RejectedRow = { readonly row: Row; readonly rejections: readonly Rejection[] };

/** `rejected`, as a table. */
export function rejectedTable(input: Table, rows: AsyncIterable<RejectedRow>, batch: string): AnswerTable {
  const own = ownColumns(input);
  const added = REJECTED_COLUMNS.map((header) => ({ header, kind: 'text' }) as const);
  return { own, added, rows: tableRows(rows, own, input, batch) };
}

async function* tableRows(
  rows: AsyncIterable<RejectedRow>,
  own: readonly Column[],
  input: Table,
  batch: string,
): AsyncGenerator<AnswerRow> {
  for await (const { row, rejections } of rows) {
    yield {
      row,
      own: ownCells(row, own).map((cell, index) => readable(cell, own[index], input.decimalMarks)),
      added: [errorText(row, rejections, input), batch, row.place],
      faults: rejections,
    };
  }
}

/** In a workbook each fault is told with its sheet and cell as the program shows them. */
function errorText(row: Row, rejections: readonly Rejection[], { form, columns }: Table): string {
  if (form.kind !== 'xlsx') return rejectionText(rejections);
  const number = row.place.split('!').at(-1) ?? '';
  const placed = rejections.map((rejection) => {
    const found = columns.find(({ header }) => header.trim() === rejection.column);
    const cell = found === undefined ? number : `${columnLetters(found.index)}${number}`;
    return { ...rejection, column: `${form.sheet}!${cell} ${rejection.column}` };
  });
  return rejectionText(placed);
}

/** A few rows alone may no longer show which mark is the decimal one; what goes back must be readable when it comes again. */
function readable(cell: string, column: Column | undefined, marks: Table['decimalMarks']): string {
  const mark = marks.get(column?.canonical ?? '');
  return mark === undefined ? cell : showMark(cell, mark);
}
