// Every write of a row: its record, the amount that it counts for against the limits, and the event for both, in one commit. Each statement writes all rows
// that wait.
import { attemptNumberOf, stageOrHeld } from '../../payouts/progress.ts';
import type { Reservation, RowChange } from '../ledger.ts';
import type { BatchRecord, NewRow, RowRecord } from '../records.ts';
import { isWithoutCall } from '../row-rules.ts';
import { type Found, REGISTERED, rowDigest } from '../seals.ts';
import { countedOf, stateAfter, toRowRecord } from '../stored-rows.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { pausedAmong } from './paused-batches.ts';
import { reserveRows, type RowReservation } from './reservations.ts';
import type { Tx } from './group-commit.ts';
import { insertRows, keyOf, type KnownLines, lockedLines, removeRows } from './rows-table.ts';
import { Sums } from './spent-table.ts';
import { nameKnown, nameTransfers } from './transfers-table.ts';

/** A write of a row that was seen. */
export type RowWrite = { readonly row: RowRecord; readonly change: RowChange };

type Parts = { readonly run: string; readonly batches: BatchesTable; readonly known: KnownLines };

/** Whether it was written, and which batches were paused. That answer may be lost on its way while all that was written is taken. */
export type Recorded = { readonly written: boolean; readonly paused: Promise<ReadonlySet<string>> };

export type RowWrites = ReturnType<typeof rowWrites>;

/** Each is called inside a commit. */
export function rowWrites(parts: Parts) {
  const writes = {
    record: async (tx: Tx, items: readonly RowWrite[]): Promise<readonly Recorded[]> => {
      const paused = pausedAmong(tx.query, [...new Set(items.map(({ row }) => row.batch))]);
      paused.catch(() => undefined);
      const written = await writeAll(parts, tx, items);
      return items.map((_, index) => ({ written: written[index] === true, paused }));
    },
    writeAll: async (tx: Tx, items: readonly RowWrite[]): Promise<void> => {
      await writeAll(parts, tx, items);
    },
    reserve: (tx: Tx, items: readonly RowReservation[]): Promise<readonly Reservation[]> =>
      reserveRows(parts, tx, items),
    register: async (tx: Tx, batch: BatchRecord, rows: readonly NewRow[]): Promise<void> => {
      const lines = insertRows(tx, parts.run, batch.id, rows);
      for (const [index, { position, row, progress }] of rows.entries()) {
        const digest = rowDigest(lines[index] ?? {});
        const stage = stageOrHeld(progress);
        tx.tell({ batch: batch.id, position, event: REGISTERED, stage, detail: row, digest });
      }
      await nameKnown(tx.query, batch, rows);
    },
    /** Each row as it is judged; null leaves one as it is. */
    judgeEach: async (
      tx: Tx,
      lines: readonly Found[],
      judge: (row: RowRecord) => Pick<RowChange, 'progress' | 'event'> | null,
    ): Promise<void> => {
      const items = lines.flatMap((line) => {
        const row = toRowRecord(line);
        const mark = judge(row);
        if (mark === null) return [];
        parts.known.set(line);
        return [{ row, change: { ...mark, dueAt: null, keepClaim: false } }];
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

/** Of two writes of one row, the second sees the result of the first. */
async function writeAll(parts: Parts, tx: Tx, items: readonly RowWrite[]): Promise<readonly boolean[]> {
  const written = new Map<RowWrite, boolean>();
  for (let left = items; left.length > 0;) {
    const seen = new Set<string>();
    const round = left.filter(({ row }) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
    await writeRound(parts, tx, round, written);
    const done = new Set(round);
    left = left.filter((item) => !done.has(item));
  }
  return items.map((item) => written.get(item) === true);
}

async function writeRound(
  { run, known }: Parts,
  tx: Tx,
  round: readonly RowWrite[],
  written: Map<RowWrite, boolean>,
): Promise<void> {
  const unknown = round.filter(({ row }) => known.get(row) === null).map(({ row }) => row);
  const read = unknown.length === 0 ? new Map<string, Found>() : await lockedLines(tx.query, unknown);
  const sums = new Sums();
  const names = new Map<string, { readonly row: RowRecord; readonly attempt: number }>();
  const lines: WrittenLine[] = [];
  for (const item of round) {
    const { row, change } = item;
    const before = known.get(row) ?? read.get(keyOf(row));
    const stands = before?.['version'] === row.version;
    written.set(item, stands);
    if (!stands) continue;
    const after = { ...before, ...stateAfter(row, change, countedOf(before), run) };
    sums.move(before, countedOf(before), countedOf(after));
    lines.push({ before, after, change });
    const { batch, position } = row;
    const stage = stageOrHeld(change.progress);
    tx.tell({ batch, position, event: change.event, stage, digest: rowDigest(after) });
    if (change.transferExternalId !== undefined)
      names.set(change.transferExternalId, { row, attempt: attemptNumberOf(row.progress) });
  }
  // The commit waits for what they answer.
  writeLines(tx, lines, known);
  for (const sent of [sums.write(tx.query), nameTransfers(tx.query, names)]) sent.catch(() => undefined);
}

type WrittenLine = { readonly before: Found; readonly after: Found; readonly change: RowChange };

/** All or none. A step that is followed by the next at once leaves claim and queue alone, and so every index. */
const WRITE = `
  WITH written AS (
  UPDATE row_states s
     SET stage = w.stage, held = w.held, progress = w.progress, rejections = w.rejections, version = s.version + 1, written_by = w.written_by,
         counted_day = w.counted_day, counted = w.counted, due_at = ${dueAfter('w', 's')},
         lease_owner = CASE WHEN w.keeps THEN s.lease_owner END, lease_until = CASE WHEN w.keeps THEN s.lease_until END,
         queue = CASE WHEN (w.keeps AND s.lease_until IS NOT NULL) OR ${dueAfter('w', 's')} IS NULL THEN NULL ELSE w.stage END,
         queue_at = CASE WHEN w.keeps AND s.lease_until IS NOT NULL THEN NULL ELSE ${dueAfter('w', 's')} END
    FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                $11::bigint[], $12::boolean[], $13::boolean[], $14::text[], $15::text[])
      AS w (batch, position, version, stage, held, progress, rejections, written_by, counted_day, counted,
            due_at, keeps, has_no_call, day_before, counted_before)
   WHERE s.batch = w.batch AND s.position = w.position AND s.version = w.version
     AND s.counted_day IS NOT DISTINCT FROM w.day_before AND s.counted IS NOT DISTINCT FROM w.counted_before
  RETURNING 1)
  SELECT CASE WHEN (SELECT count(*) FROM written) = $16 THEN 1 ELSE met_another() END AS is_written`;

function dueAfter(given: string, row: string): string {
  return `CASE WHEN ${given}.held IS NOT NULL THEN NULL WHEN ${row}.hinted AND NOT ${given}.has_no_call THEN 0 ELSE ${given}.due_at END`;
}

function writeLines({ query }: Tx, lines: readonly WrittenLine[], known: KnownLines): void {
  if (lines.length === 0) return;
  const of = (name: string) => lines.map(({ after }) => after[name] as string | null);
  const before = (name: string) => lines.map((line) => line.before[name] as string | null);
  const numbers = (name: string) => lines.map((line) => Number(line.before[name]));
  for (const { after, change } of lines)
    if (change.keepClaim) known.set(after);
    else known.forget({ batch: String(after['batch']), position: Number(after['position']) });
  query(WRITE, [
    of('batch'),
    numbers('position'),
    numbers('version'),
    ...['stage', 'held', 'progress', 'rejections', 'written_by', 'counted_day', 'counted'].map(of),
    lines.map(({ change }) => change.dueAt),
    lines.map(({ change }) => change.keepClaim),
    lines.map(({ change }) => isWithoutCall(change.progress)),
    before('counted_day'),
    before('counted'),
    lines.length,
  ]).catch(() => {
    // Another one may have written such a row since this run wrote it: all of them are read again.
    for (const { after } of lines)
      known.forget({ batch: String(after['batch']), position: Number(after['position']) });
  });
}
