// Holds a batch against all others, some rows a commit. Every commit sees each row that was checked before it, of whatever batch and by whatever
// process, and is seen by each that is checked after it: that is why no two rows that meet can miss each other, however their checks interleave.
import { isBeingRead } from '../batch-states.ts';
import type { CrossCheck } from '../ledger.ts';
import type { BatchChange, BatchRecord, Checked, Encounter } from '../records.ts';
import type { BatchesTable } from './batches-table.ts';
import { byPosition } from './by-position.ts';
import type { RowWrites } from './row-writes.ts';
import type { PositionRange } from './position-ranges.ts';
import type { RowsTable } from './rows-table.ts';
import { batchOfSameContent, isSameBytes } from './same-batches.ts';

type Tables = { readonly batches: BatchesTable; readonly rows: RowsTable; readonly rowWrites: RowWrites };

/** Checks the next rows of a batch; gives how the batch changes by it, and whether they were the last. */
export function checkNext(
  { batches, rows, rowWrites }: Tables,
  own: BatchRecord,
  check: CrossCheck,
): { readonly change: BatchChange; readonly isDone: boolean } {
  const { to: from, sameContent } = own.checked ?? startOf(batches, own);
  const range = { from, to: from + check.limit };
  const met = encountersOf({ batches, rows }, own, range, check);
  const same = sameContent === null ? null : batches.where('id', sameContent);
  if (check.everyRow || same !== null || met.size > 0)
    rowWrites.judgeEach(rows.between(own.id, range), (row) =>
      check.judge(row, { encounters: met.get(row.position) ?? [], sameContent: same }),
    );
  const isDone = range.to >= rows.end(own.id);
  if (isBeingRead(own) || isDone) assertComplete(rows, own);
  if (isDone) return { change: { checked: undefined, ...check.change }, isDone };
  const checked: Checked = { to: range.to, sameContent };
  return { change: { checked }, isDone };
}

/** A row that is missing would never be paid, and nobody would be told: such a batch stays where it can be read anew, or is halted. */
function assertComplete(rows: RowsTable, { id, state, rows: expected }: BatchRecord): void {
  if (state !== 'checking') return;
  const registered = rows.total(id);
  if (registered !== expected)
    throw new Error(`Batch ${id} has ${String(expected)} rows, and ${String(registered)} are registered.`);
}

function startOf(batches: BatchesTable, own: BatchRecord): Checked {
  return { to: 0, sameContent: batchOfSameContent(batches, own)?.id ?? null };
}

function encountersOf(
  { batches, rows }: Pick<Tables, 'batches' | 'rows'>,
  own: BatchRecord,
  range: PositionRange,
  { since, countsUnseen = false }: Pick<CrossCheck, 'since' | 'countsUnseen'>,
): ReadonlyMap<number, readonly Encounter[]> {
  const counts = new Map([[own.id, true]]);
  const isCounted = ({ other: { batch } }: Encounter): boolean => {
    if (!counts.has(batch)) {
      const other = batches.where('id', batch);
      counts.set(batch, other !== null && !isSameBytes(own, other));
    }
    return counts.get(batch) === true;
  };
  return byPosition(
    rows.encounters(own.id, range, { since, countsUnseen }).filter(isCounted).sort(certainFirst),
  );
}

/** What is paid, or certain to be tried, decides: beside it nothing is left to ask a person. */
function certainFirst(one: Encounter, two: Encounter): number {
  return Number(one.other.stage === 'held') - Number(two.other.stage === 'held');
}
