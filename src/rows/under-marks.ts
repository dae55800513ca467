// In one column of a workbook some amounts are numbers and some are text with a decimal comma. Once the column's mark is known, its numbers
// are written with that mark, so that all its cells are read in one way.
import type { CellKind } from './cell-kind.ts';
import type { Table } from './row.ts';

type Marked = Pick<Table, 'decimalMarks' | 'indexOf'>;

export function underMarks(
  cells: readonly string[],
  kinds: readonly CellKind[],
  { decimalMarks, indexOf }: Marked,
): readonly string[] {
  let written: string[] | null = null;
  for (const [canonical, mark] of decimalMarks) {
    const index = indexOf.get(canonical) ?? -1;
    if (mark !== ',' || kinds[index] !== 'number') continue;
    written ??= [...cells];
    written[index] = (cells[index] ?? '').replace('.', ',');
  }
  return written ?? cells;
}
