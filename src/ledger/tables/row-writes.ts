// Every write of a row: its record, the amount that it counts for against the limits, and the event for both, in one commit. Each statement writes all rows
// that wait.
import { attemptNumberOf, stageOrHeld } from '../../payouts/progress.ts';
import type { Judged, Reservation } from '../ledger.ts';
import type { Plan } from '../plan.ts';
import type { BatchRecord, LeasedBatch, NewRow, RowRecord } from '../records.ts';
import { REGISTERED, rowDigest, type Tells } from '../seals.ts';
import { countedOf, stateAfter, toRowRecord } from '../stored-rows.ts';
import { reserveRows, type RowReservation } from './reservations.ts';
import {
  keyOf,
  type Place,
  removeRows,
  type RowParts,
  type RowWrite,
  writeLines,
  type WrittenLine,
} from './row-lines.ts';
import { linesBetween, type PositionRange } from './rows.ts';
import { type Standings, standingsLater, standingsOf } from './standings.ts';
import { Sums } from './sums.ts';
import { nameKnown, nameTransfer } from './transfers.ts';

/** Whether it was written, and how its batch stood. That answer may be lost on its way while all that was written is taken. */
export type Recorded = { readonly written: boolean; readonly standings: Promise<Standings> };

/** Each is called inside a commit. */
export class RowWrites {
  readonly #parts: RowParts;

  constructor(parts: RowParts) {
    this.#parts = parts;
  }

  *record(tx: Tells, items: readonly RowWrite[]): Plan<readonly Recorded[]> {
    const { run, memory } = this.#parts;
    const ids = items.map(({ leased }) => leased.id);
    if (!ids.some((id) => memory.doubts.has(id))) {
      const standings = yield* standingsLater(run, ids);
      const written = yield* this.writeAll(tx, items);
      return items.map((item) => ({ written: written.has(item), standings }));
    }
    const known = yield* standingsOf(run, ids);
    for (const id of ids) memory.doubts.delete(id);
    const written = yield* this.writeAll(
      tx,
      items.filter(({ leased }) => known.isLeasedAs(leased)),
    );
    return items.map((item) => ({ written: written.has(item), standings: Promise.resolve(known) }));
  }

  reserve(tx: Tells, items: readonly RowReservation[]): Plan<readonly Reservation[]> {
    return reserveRows(this.#parts, tx, items);
  }

  *register(tx: Tells, batch: BatchRecord, rows: readonly NewRow[]): Plan<void> {
    const { run, lines } = this.#parts;
    const written = yield* lines.insert(run, batch.id, rows);
    for (const [index, { position, row, progress }] of rows.entries()) {
      const digest = rowDigest(written[index] ?? {});
      const stage = stageOrHeld(progress);
      tx.tell({ batch: batch.id, position, event: REGISTERED, stage, detail: row, digest });
    }
    yield* nameKnown(batch, rows);
  }

  /** Each row of a range as it is judged; null leaves one as it is. */
  *judgeEach(
    tx: Tells,
    leased: LeasedBatch,
    range: PositionRange,
    judge: (row: RowRecord) => Judged | null,
  ): Plan<void> {
    const items = (yield* linesBetween(leased.id, range)).flatMap((line) => {
      const row = toRowRecord(line);
      const mark = judge(row);
      if (mark === null) return [];
      this.#parts.memory.learn(line);
      return [{ leased, row, change: { ...mark, dueAt: null } }];
    });
    yield* this.writeAll(tx, items);
  }

  /** All rows of a batch go, and what they counted for goes with them. */
  *clear(batch: string): Plan<void> {
    const sums = new Sums();
    yield* this.#parts.forgetKeys(batch);
    for (const line of yield* removeRows(batch)) sums.move(line, countedOf(line), null);
    yield* sums.write();
  }

  /** An event that leaves the record as it was. */
  *note(tx: Tells, place: Place, event: string): Plan<void> {
    const line = (yield* this.#parts.lines.whole([place])).get(keyOf(place));
    if (line === undefined) return;
    const { batch, position } = place;
    const stage = line['held'] === null ? String(line['stage']) : 'held';
    tx.tell({ batch, position, event, stage, digest: rowDigest(line) });
  }

  /** Gives those that still stood as they were seen. Of two writes of one row, the second sees the result of the first. */
  *writeAll(tx: Tells, items: readonly RowWrite[]): Plan<ReadonlySet<RowWrite>> {
    const written = new Set<RowWrite>();
    for (let left = items; left.length > 0;) {
      const seen = new Set<string>();
      const round = left.filter(({ row }) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
      yield* this.#writeRound(tx, round, written);
      const done = new Set(round);
      left = left.filter((item) => !done.has(item));
    }
    return written;
  }

  *#writeRound(tx: Tells, round: readonly RowWrite[], written: Set<RowWrite>): Plan<void> {
    const { run, memory, lines } = this.#parts;
    const read = yield* lines.toWrite(round.map(({ row }) => row).filter((row) => memory.line(row) === null));
    const sums = new Sums();
    const changed: WrittenLine[] = [];
    for (const item of round) {
      const { row, change } = item;
      const before = memory.line(row) ?? read.get(keyOf(row));
      if (before?.['version'] !== row.version) continue;
      written.add(item);
      const after = { ...before, ...stateAfter(row, change, countedOf(before), run) };
      sums.move(before, countedOf(before), countedOf(after));
      changed.push({ before, after, item });
      const { batch, position } = row;
      const stage = stageOrHeld(change.progress);
      tx.tell({ batch, position, event: change.event, stage, digest: rowDigest(after) });
    }
    for (const { item } of changed)
      if (item.change.transferExternalId !== undefined)
        yield* nameTransfer(item.change.transferExternalId, item.row, attemptNumberOf(item.row.progress));
    yield* this.#writeLines(changed);
    yield* sums.write();
  }

  *#writeLines(lines: readonly WrittenLine[]): Plan<void> {
    const { run, memory } = this.#parts;
    for (const { after } of lines) memory.learn(after);
    const answer = yield* writeLines(run, lines);
    answer.catch(() => {
      // Another owner may have them by now: all are asked and read again.
      for (const { item } of lines) {
        memory.forget(item.row);
        memory.doubts.add(item.leased.id);
      }
    });
  }
}
