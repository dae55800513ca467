// The rows that go back to their owner, to be fixed and dropped again as they are.
import { rejectionText, type Rejection } from '../payouts/rejection.ts';
import type { Column, Row, Table } from '../rows/row.ts';
import { showMark } from '../rows/show-mark.ts';
import { ownCells } from './table-file.ts';

export const REJECTED_COLUMNS = ['payout.error', 'payout.batch', 'payout.row'] as const;

/** A row with what is wrong with it; nothing, for a good row of a file that is refused whole. */
export type RejectedRow = { readonly row: Row; readonly rejections: readonly Rejection[] };

export async function* rejectedLines(
  rows: AsyncIterable<RejectedRow>,
  columns: readonly Column[],
  marks: Table['decimalMarks'],
  batch: string,
): AsyncGenerator<readonly string[]> {
  for await (const { row, rejections } of rows) {
    const cells = ownCells(row, columns).map((cell, index) => readable(cell, columns[index], marks));
    yield [...cells, rejectionText(rejections), batch, row.place];
  }
}

/** A few rows alone may no longer show which mark is the decimal one; what goes back must be readable when it comes again. */
function readable(cell: string, column: Column | undefined, marks: Table['decimalMarks']): string {
  const mark = marks.get(column?.canonical ?? '');
  return mark === undefined ? cell : showMark(cell, mark);
}
