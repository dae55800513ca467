// Holds a batch against all others, some rows a commit. Every commit sees each row that was checked before it, of whatever batch and by whatever
// process, and is seen by each that is checked after it: that is why no two rows that meet can miss each other, however their checks interleave.
import { isBeingRead } from '../batch-states.ts';
import type { CrossCheck } from '../ledger.ts';
import { repeatsOf } from '../batch-rows.ts';
import type { BatchChange, BatchRecord, Checked, Encounter } from '../records.ts';
import type { BatchesTable } from './batches-table.ts';
import { byPosition } from './by-position.ts';
import type { RowWrites } from './row-writes.ts';
import type { PositionRange } from './position-ranges.ts';
import type { RowsTable } from './rows-table.ts';
import { isSameBytes, sameContentAmong } from '../batch-rules.ts';

type Tables = { readonly batches: BatchesTable; readonly rows: RowsTable; readonly rowWrites: RowWrites };

/** Checks the next rows of a batch; gives how the batch changes by it, and whether they were the last. */
export function checkNext(
  { batches, rows, rowWrites }: Tables,
  own: BatchRecord,
  check: CrossCheck,
): { readonly change: BatchChange; readonly isDone: boolean } {
  const done =
    own.checked !== undefined && own.checked.to !== null ? own.checked : begin(batches, rows, own, check);
  if (done.waitingTo !== undefined) return holdRest({ rows, rowWrites }, own, check, done);
  const { sameContent } = done;
  const from = done.to ?? 0;
  const range = { from, to: from + check.limit };
  const met = encountersOf({ batches, rows }, own, range, check);
  const same = sameContent === null ? null : batches.where('id', sameContent);
  const repeats = new Map(Object.entries(done.repeats ?? {}));
  if (check.everyRow || same !== null || met.size > 0)
    rowWrites.judgeEach(rows.between(own.id, range), (row) => {
      const judged = check.judge(row, { encounters: met.get(row.position) ?? [], sameContent: same });
      if (judged?.repeats !== undefined) repeats.set(judged.repeats, (repeats.get(judged.repeats) ?? 0) + 1);
      return judged;
    });
  const isLast = range.to >= rows.end(own.id);
  if (isBeingRead(own) || isLast) assertComplete(rows, own);
  const checked: Checked = { ...done, to: range.to, repeats: Object.fromEntries(repeats) };
  if (!isLast) return { change: { checked }, isDone: false };
  return check.judgeRest !== undefined && repeatsOf(own, checked) !== null
    ? { change: { checked: { ...checked, waitingTo: 0 } }, isDone: false }
    : { change: { checked: { ...checked, to: null }, ...check.change }, isDone: true };
}

/** Before its first row is judged: what may still become of the file says how its own rows count for each other. */
function begin(batches: BatchesTable, rows: RowsTable, own: BatchRecord, { at }: CrossCheck): Checked {
  const { id, contentFingerprint } = own;
  const same =
    contentFingerprint === null ? null : sameContentAmong(batches.withContent(contentFingerprint, id), own);
  const pricesDecide = own.onInvalidRows === 'refuse-file' && rows.arePricesOpen(id);
  const checked = { at: own.checked?.at ?? at, to: 0, sameContent: same?.id ?? null, pricesDecide };
  batches.change(id, { checked });
  return checked;
}

/** All others of the file wait with those that were paid before: one answer decides about the file. */
function holdRest(
  { rows, rowWrites }: Pick<Tables, 'rows' | 'rowWrites'>,
  own: BatchRecord,
  { limit, judgeRest, change }: CrossCheck,
  checked: Checked,
): { readonly change: BatchChange; readonly isDone: boolean } {
  const repeats = repeatsOf(own, checked);
  const from = checked.waitingTo ?? 0;
  const range = { from, to: from + limit };
  if (repeats !== null)
    rowWrites.judgeEach(rows.between(own.id, range), (row) => judgeRest?.(row, repeats) ?? null);
  if (range.to < rows.end(own.id))
    return { change: { checked: { ...checked, waitingTo: range.to } }, isDone: false };
  return { change: { checked: { ...checked, to: null }, ...change }, isDone: true };
}

/** A row that is missing would never be paid, and nobody would be told: such a batch stays where it can be read anew, or is halted. */
function assertComplete(rows: RowsTable, { id, state, rows: expected }: BatchRecord): void {
  if (state !== 'checking') return;
  const registered = rows.total(id);
  if (registered !== expected)
    throw new Error(`Batch ${id} has ${String(expected)} rows, and ${String(registered)} are registered.`);
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
