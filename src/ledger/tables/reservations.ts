// Limits: one commit after the other, over all processes, asks what they leave. Of those that share a commit each sees what was counted for the ones before.
import type { DecimalText } from '../../base/decimal.ts';
import type { Limits } from '../../payouts/limits.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import type { Reservation } from '../ledger.ts';
import { lock, type Plan, together } from '../plan.ts';
import type { BatchRecord, LeasedBatch, RowRecord } from '../records.ts';
import { reservationOf, type SumsAsked } from '../row-rules.ts';
import { type Found, rowDigest, type Tells } from '../seals.ts';
import { countedOf } from '../stored-rows.ts';
import { approvedAmong, countLines, keyOf, type RowParts } from './row-lines.ts';
import { type Standings, standingsOf } from './standings.ts';
import { sumOfDay, sumOfFile, Sums } from './sums.ts';

export type RowReservation = {
  readonly leased: LeasedBatch;
  readonly row: RowRecord;
  readonly amount: DecimalText;
  readonly limits: Limits;
  /** `yyyy-mm-dd`, UTC. */
  readonly day: string;
};

/** One commit at a time asks what a limit leaves, of all processes. In a statement of its own, because a statement sees what stood before it waited. */
const LOCK_LIMITS = `SELECT pg_advisory_xact_lock(hashtext('paydrop limits in ' || current_schema()))`;

export function* reserveRows(
  parts: RowParts,
  tx: Tells,
  items: readonly RowReservation[],
): Plan<readonly Reservation[]> {
  yield* lock(LOCK_LIMITS);
  const rows = items.map(({ row }) => row);
  // Their batches stay as they are until all is counted: a person's word is heard before or after it.
  const ids = [...new Set(rows.map(({ batch }) => batch))];
  const [standings, batches, lines, approved] = yield* together<
    [Standings, readonly BatchRecord[], ReadonlyMap<string, Found>, ReadonlySet<string>]
  >(standingsOf(parts.run, ids), parts.batches.of(ids), parts.lines.whole(rows), approvedAmong(rows));
  const asking = {
    batches: new Map(batches.map((batch) => [batch.id, batch])),
    lines: new Map(lines),
    approved,
    sums: new Sums(),
    counted: new Map<string, Found>(),
  };
  const answers: Reservation[] = [];
  for (const item of items)
    answers.push(standings.isLeasedAs(item.leased) ? yield* reserveOne(parts, tx, asking, item) : 'gone');
  yield* countLines([...asking.counted.values()]);
  yield* asking.sums.write();
  for (const line of asking.lines.values()) parts.memory.learn(line);
  return answers;
}

type Asking = {
  readonly batches: ReadonlyMap<string, BatchRecord>;
  readonly lines: Map<string, Found>;
  readonly approved: ReadonlySet<string>;
  readonly sums: Sums;
  /** Lines that count otherwise now, and are not written yet. */
  readonly counted: Map<string, Found>;
};

function* reserveOne(
  parts: RowParts,
  tx: Tells,
  asking: Asking,
  { row, amount, limits, day }: RowReservation,
): Plan<Reservation> {
  const key = keyOf(row);
  const line = asking.lines.get(key);
  if (line?.['version'] !== row.version) return 'gone';
  const [currency, before, after] = [String(line['source_currency']), countedOf(line), { day, amount }];
  const batch = asking.batches.get(row.batch) ?? null;
  const isCovered = (): boolean => asking.approved.has(key);
  const wish = { row, currency, before, after, batch, limits, isCovered };
  const decided = reservationOf(wish, yield* sumsFor(parts, asking, line, limits, day));
  if (decided === 'counts') return null;
  if (decided !== 'count') return decided;
  const counts = { ...line, counted_day: day, counted: amount };
  asking.sums.move(line, before, after);
  asking.lines.set(key, counts);
  asking.counted.set(key, counts);
  const { batch: of, position, progress } = row;
  const [stage, detail] = [stageOrHeld(progress), `${amount} on ${day}`];
  tx.tell({ batch: of, position, event: 'within the limits', stage, detail, digest: rowDigest(counts) });
  return null;
}

/** The amounts that count by now, including what this commit has counted. */
function* sumsFor(
  { paidOn }: RowParts,
  { sums, counted }: Asking,
  line: Found,
  limits: Limits,
  day: string,
): Plan<SumsAsked> {
  const currency = String(line['source_currency']);
  const asksPayee = limits.perPayeePerDay !== null;
  if (asksPayee) {
    // What a payee gets is read from the rows, and they are found by the sums of their files: what is counted here must stand in both.
    yield* countLines([...counted.values()]);
    counted.clear();
    yield* sums.write('file');
  }
  const ofPayee = (by: 'payee' | 'account') => (asksPayee ? paidOn(line, by, day) : nobody());
  const [ofFile, ofDay, payee, account] = yield* together<
    [DecimalText, DecimalText, DecimalText | null, DecimalText | null]
  >(
    sums.of(sumOfFile(String(line['batch']), currency)),
    sums.of(sumOfDay(day, currency)),
    ofPayee('payee'),
    ofPayee('account'),
  );
  const paid = { payee, account };
  return { ofFile: () => ofFile, ofDay: () => ofDay, ofPayee: (by) => paid[by] };
}

function* nobody(): Plan<null> {
  return null;
}
