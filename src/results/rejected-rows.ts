// The rows that go back to their owner, to be fixed and dropped again as they are.
import { rejectionText, type Rejection } from '../payouts/rejection.ts';
import type { Column, Row } from '../rows/row.ts';
import { ownCells } from './table-file.ts';

export const REJECTED_COLUMNS = ['payout.error', 'payout.batch', 'payout.row'] as const;

/** A row with what is wrong with it; nothing, for a good row of a file that is refused whole. */
export type RejectedRow = { readonly row: Row; readonly rejections: readonly Rejection[] };

export async function* rejectedLines(
  rows: AsyncIterable<RejectedRow>,
  columns: readonly Column[],
  batch: string,
): AsyncGenerator<readonly string[]> {
  for await (const { row, rejections } of rows) {
    yield [...ownCells(row, columns), rejectionText(rejections), batch, row.place];
  }
}
