// Every write of a row: its record, the amount that it counts for against the limits, and the event for both, in one commit. Each statement writes all rows
// that wait.
import { attemptNumberOf, stageOrHeld } from '../../payouts/progress.ts';
import type { Reservation, RowChange } from '../ledger.ts';
import type { BatchRecord, LeasedBatch, NewRow, RowRecord } from '../records.ts';
import { isWithoutCall } from '../row-rules.ts';
import { type Found, REGISTERED, rowDigest } from '../seals.ts';
import { countedOf, stateAfter, toRowRecord } from '../stored-rows.ts';
import type { RowWrite } from '../tables/batch-writes.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { nameKnown, nameTransfer } from '../tables/transfers.ts';
import { standingsOf, type Standings } from './batch-standings.ts';
import { reserveRows, type RowReservation } from './reservations.ts';
import type { Tx } from './group-commit.ts';
import { carryOutBy } from './plans.ts';
import { insertRows, keyOf, type KnownLines, lockedLines, removeRows } from './rows-table.ts';
import { Sums } from './spent-table.ts';

type Parts = {
  readonly run: string;
  readonly batches: BatchesTable;
  readonly known: KnownLines;
  /** Batches of which a write was refused: whether they are still this run's is asked before the next. */
  readonly doubtful: Set<string>;
};

/** Whether it was written, and how its batch stood. That answer may be lost on its way while all that was written is taken. */
export type Recorded = { readonly written: boolean; readonly standings: Promise<Standings> };

export type RowWrites = ReturnType<typeof rowWrites>;

/** Each is called inside a commit. */
export function rowWrites(given: Omit<Parts, 'doubtful'>) {
  const parts: Parts = { ...given, doubtful: new Set() };
  const writes = {
    record: (tx: Tx, items: readonly RowWrite[]): Promise<readonly Recorded[]> => record(parts, tx, items),
    writeAll: (tx: Tx, items: readonly RowWrite[]): Promise<ReadonlySet<RowWrite>> =>
      writeAll(parts, tx, items),
    reserve: (tx: Tx, items: readonly RowReservation[]): Promise<readonly Reservation[]> =>
      reserveRows(parts, tx, items),
    register: async (tx: Tx, batch: BatchRecord, rows: readonly NewRow[]): Promise<void> => {
      const lines = insertRows(tx, parts.run, batch.id, rows);
      for (const [index, { position, row, progress }] of rows.entries()) {
        const digest = rowDigest(lines[index] ?? {});
        const stage = stageOrHeld(progress);
        tx.tell({ batch: batch.id, position, event: REGISTERED, stage, detail: row, digest });
      }
      await carryOutBy(tx.query, nameKnown(batch, rows));
    },
    /** Each row as it is judged; null leaves one as it is. */
    judgeEach: async (
      tx: Tx,
      leased: LeasedBatch,
      lines: readonly Found[],
      judge: (row: RowRecord) => Pick<RowChange, 'progress' | 'event'> | null,
    ): Promise<void> => {
      const items = lines.flatMap((line) => {
        const row = toRowRecord(line);
        const mark = judge(row);
        if (mark === null) return [];
        parts.known.set(line);
        return [{ leased, row, change: { ...mark, dueAt: null } }];
      });
      await writeAll(parts, tx, items);
    },
    /** All rows of a batch go, and what they counted for goes with them. */
    clear: async (tx: Tx, batch: string): Promise<void> => {
      const sums = new Sums();
      for (const line of await removeRows(tx.query, batch)) sums.move(line, countedOf(line), null);
      await sums.write(tx.query);
    },
    /** An event that leaves the record as it was. */
    note: async (tx: Tx, place: Pick<RowRecord, 'batch' | 'position'>, event: string): Promise<void> => {
      const line = (await lockedLines(tx.query, [place])).get(keyOf(place));
      if (line === undefined) return;
      const { batch, position } = place;
      const stage = line['held'] === null ? String(line['stage']) : 'held';
      tx.tell({ batch, position, event, stage, digest: rowDigest(line) });
    },
  };
  return writes;
}

async function record(parts: Parts, tx: Tx, items: readonly RowWrite[]): Promise<readonly Recorded[]> {
  const ids = items.map(({ leased }) => leased.id);
  const standings = standingsOf(tx.query, parts.run, ids);
  standings.catch(() => undefined);
  const lost = await lostAmong(parts, items, standings);
  const left = items.filter((item) => !lost.has(item));
  const written = await writeAll(parts, tx, left);
  return items.map((item) => ({ written: written.has(item), standings }));
}

/** The writes of batches that have another owner by now. A commit in which that shows is made again without them. */
async function lostAmong(
  { doubtful }: Parts,
  items: readonly RowWrite[],
  standings: Promise<Standings>,
): Promise<ReadonlySet<RowWrite>> {
  if (!items.some(({ leased }) => doubtful.has(leased.id))) return new Set();
  const { isLeasedAs } = await standings;
  for (const { leased } of items) doubtful.delete(leased.id);
  return new Set(items.filter(({ leased }) => !isLeasedAs(leased)));
}

/** Of two writes of one row, the second sees the result of the first. */
async function writeAll(parts: Parts, tx: Tx, items: readonly RowWrite[]): Promise<ReadonlySet<RowWrite>> {
  const written = new Set<RowWrite>();
  for (let left = items; left.length > 0;) {
    const seen = new Set<string>();
    const round = left.filter(({ row }) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
    await writeRound(parts, tx, round, written);
    const done = new Set(round);
    left = left.filter((item) => !done.has(item));
  }
  return written;
}

async function writeRound(
  parts: Parts,
  tx: Tx,
  round: readonly RowWrite[],
  written: Set<RowWrite>,
): Promise<void> {
  const { run, known } = parts;
  const unknown = round.filter(({ row }) => known.get(row) === null).map(({ row }) => row);
  const read = unknown.length === 0 ? new Map<string, Found>() : await lockedLines(tx.query, unknown);
  const sums = new Sums();
  const lines: WrittenLine[] = [];
  const sent: Promise<void>[] = [];
  for (const item of round) {
    const { row, change } = item;
    const before = known.get(row) ?? read.get(keyOf(row));
    if (before?.['version'] !== row.version) continue;
    written.add(item);
    const after = { ...before, ...stateAfter(row, change, countedOf(before), run) };
    sums.move(before, countedOf(before), countedOf(after));
    lines.push({ before, after, item });
    const { batch, position } = row;
    const stage = stageOrHeld(change.progress);
    tx.tell({ batch, position, event: change.event, stage, digest: rowDigest(after) });
    const { transferExternalId: id } = change;
    if (id !== undefined)
      sent.push(carryOutBy(tx.query, nameTransfer(id, row, attemptNumberOf(row.progress))));
  }
  // The commit waits for what they answer.
  writeLines(parts, tx, lines);
  for (const each of [...sent, sums.write(tx.query)]) each.catch(() => undefined);
}

type WrittenLine = { readonly before: Found; readonly after: Found; readonly item: RowWrite };

/** All or none, and only under the lease of each batch. If a hint came since a row was read, the look may have been too early. */
const WRITE = `
  WITH written AS (
  UPDATE row_states s
     SET stage = w.stage, held = w.held, progress = w.progress, rejections = w.rejections, version = s.version + 1, written_by = w.written_by,
         counted_day = w.counted_day, counted = w.counted,
         due_at = CASE WHEN w.held IS NOT NULL THEN NULL WHEN s.hints <> w.hints AND NOT w.has_no_call THEN 0 ELSE w.due_at END
    FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                $11::bigint[], $12::bigint[], $13::boolean[], $14::text[], $15::text[], $18::int[])
      AS w (batch, position, hints, stage, held, progress, rejections, written_by, counted_day, counted,
            due_at, token, has_no_call, day_before, counted_before, version)
   WHERE s.batch = w.batch AND s.position = w.position AND s.version = w.version
     AND EXISTS (SELECT 1 FROM batches b WHERE b.id = w.batch AND b.owner = $17 AND b.token = w.token AND b.is_free = 0)
     AND s.counted_day IS NOT DISTINCT FROM w.day_before AND s.counted IS NOT DISTINCT FROM w.counted_before
  RETURNING 1)
  SELECT CASE WHEN (SELECT count(*) FROM written) = $16 THEN 1 ELSE met_another() END AS is_written`;

function writeLines({ run, known, doubtful }: Parts, { query }: Tx, lines: readonly WrittenLine[]): void {
  if (lines.length === 0) return;
  const of = (name: string) => lines.map(({ after }) => after[name] as string | null);
  const before = (name: string) => lines.map((line) => line.before[name] as string | null);
  for (const { after } of lines) known.set(after);
  query(WRITE, [
    of('batch'),
    lines.map(({ item }) => item.row.position),
    lines.map(({ item }) => item.row.hints),
    ...['stage', 'held', 'progress', 'rejections', 'written_by', 'counted_day', 'counted'].map(of),
    lines.map(({ item }) => item.change.dueAt),
    lines.map(({ item }) => item.leased.token),
    lines.map(({ item }) => isWithoutCall(item.change.progress)),
    before('counted_day'),
    before('counted'),
    lines.length,
    run,
    lines.map(({ item }) => item.row.version),
  ]).catch(() => {
    // Another owner may have them by now: all are asked and read again.
    for (const { leased, row } of lines.map(({ item }) => item)) {
      known.forget(row);
      doubtful.add(leased.id);
    }
  });
}
