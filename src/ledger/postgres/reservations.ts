// Limits: one commit after the other, over all processes, asks what they leave. Of those that share a commit each sees what was counted for the ones before.
import { addDecimals, type DecimalText } from '../../base/decimal.ts';
import type { Limits } from '../../payouts/limits.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import type { Reservation } from '../ledger.ts';
import type { BatchRecord, Counted, LeasedBatch, RowRecord } from '../records.ts';
import { reservationOf, type SumsAsked } from '../row-rules.ts';
import { type Found, rowDigest } from '../seals.ts';
import { countedOf } from '../stored-rows.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { standingsOf } from './batch-standings.ts';
import { carryOutBy } from './plans.ts';
import type { Tx } from './group-commit.ts';
import { keyOf, type KnownLines, lockedLines } from './rows-table.ts';
import { amountOf, lockLimits, paidOn, sumOfDay, sumOfFile, Sums } from './spent-table.ts';

export type RowReservation = {
  readonly leased: LeasedBatch;
  readonly row: RowRecord;
  readonly amount: DecimalText;
  readonly limits: Limits;
  /** `yyyy-mm-dd`, UTC. */
  readonly day: string;
};

type Parts = { readonly run: string; readonly batches: BatchesTable; readonly known: KnownLines };

const COUNT = `
  UPDATE row_states s SET counted_day = w.counted_day, counted = w.counted
    FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS w (batch, position, counted_day, counted)
   WHERE s.batch = w.batch AND s.position = w.position`;

export async function reserveRows(
  parts: Parts,
  tx: Tx,
  items: readonly RowReservation[],
): Promise<readonly Reservation[]> {
  lockLimits(tx);
  // Their batches stay as they are until all is counted: a person's word is heard before or after it.
  const ids = [...new Set(items.map(({ row }) => row.batch))];
  const rows = items.map(({ row }) => row);
  const [standings, batches, lines, approved] = await Promise.all([
    standingsOf(tx.query, parts.run, ids),
    carryOutBy(tx.query, parts.batches.of(ids)),
    lockedLines(tx.query, rows),
    approvedAmong(tx.query, rows),
  ]);
  const asking = {
    batches: new Map(batches.map((batch) => [batch.id, batch])),
    lines: new Map(lines),
    approved,
    sums: new Sums(),
    counted: new Map<string, Found>(),
    spent: new Map<string, DecimalText>(),
  };
  const answers: Reservation[] = [];
  for (const item of items)
    answers.push(standings.isLeasedAs(item.leased) ? await reserveOne(tx, asking, item) : 'gone');
  await writeCounted(parts, tx, asking);
  return answers;
}

type Asking = {
  readonly batches: ReadonlyMap<string, BatchRecord>;
  readonly lines: Map<string, Found>;
  readonly approved: ReadonlySet<string>;
  readonly sums: Sums;
  /** Lines that count otherwise now. */
  readonly counted: Map<string, Found>;
  /** Sums as they stood when the commit began. */
  readonly spent: Map<string, DecimalText>;
};

async function reserveOne(
  tx: Tx,
  asking: Asking,
  { row, amount, limits, day }: RowReservation,
): Promise<Reservation> {
  const key = keyOf(row);
  const line = asking.lines.get(key);
  if (line?.['version'] !== row.version) return 'gone';
  const [currency, after] = [String(line['source_currency']), { day, amount }];
  const batch = asking.batches.get(row.batch) ?? null;
  const isCovered = (): boolean => asking.approved.has(key);
  const wish = { row, currency, before: countedOf(line), after, batch, limits, isCovered };
  const decided = reservationOf(wish, await sumsFor(tx, asking, line, limits, day));
  if (decided === 'counts') return null;
  if (decided !== 'count') return decided;
  count(tx, asking, { row, line, after });
  return null;
}

function count(
  tx: Tx,
  { sums, lines, counted }: Asking,
  { row, line, after }: { readonly row: RowRecord; readonly line: Found; readonly after: Counted },
): void {
  sums.move(line, countedOf(line), after);
  const counts = { ...line, counted_day: after.day, counted: after.amount };
  lines.set(keyOf(row), counts);
  counted.set(keyOf(row), counts);
  const { batch, position, progress } = row;
  const [stage, detail] = [stageOrHeld(progress), `${after.amount} on ${after.day}`];
  tx.tell({ batch, position, event: 'within the limits', stage, detail, digest: rowDigest(counts) });
}

/** The amount that counts by now, including what this commit has counted. */
async function sumsFor(
  { query }: Tx,
  asking: Asking,
  line: Found,
  limits: Limits,
  day: string,
): Promise<SumsAsked> {
  const currency = String(line['source_currency']);
  const sum = async (key: ReturnType<typeof sumOfDay>): Promise<DecimalText> => {
    const name = key.join('\n');
    const known = asking.spent.get(name) ?? (await amountOf(query, key));
    asking.spent.set(name, known);
    return addDecimals(known, asking.sums.changeOf(key));
  };
  const [ofFile, ofDay] = [
    await sum(sumOfFile(String(line['batch']), currency)),
    await sum(sumOfDay(day, currency)),
  ];
  if (limits.perPayeePerDay === null)
    return { ofFile: () => ofFile, ofDay: () => ofDay, ofPayee: () => null };
  // Sums of a payee are read from the rows: amounts counted here must be written there.
  await writeLinesCounted(query, asking.counted);
  const paid = await paidOn(query, line, day, [...asking.batches.keys()]);
  return { ofFile: () => ofFile, ofDay: () => ofDay, ofPayee: (by) => paid[by] };
}

async function writeLinesCounted(query: Tx['query'], counted: ReadonlyMap<string, Found>): Promise<void> {
  const lines = [...counted.values()];
  if (lines.length === 0) return;
  const of = (name: string) => lines.map((line) => line[name] as string);
  await query(COUNT, [
    of('batch'),
    lines.map((line) => Number(line['position'])),
    of('counted_day'),
    of('counted'),
  ]);
}

async function writeCounted({ known }: Parts, { query }: Tx, asking: Asking): Promise<void> {
  await Promise.all([writeLinesCounted(query, asking.counted), asking.sums.write(query)]);
  for (const line of asking.counted.values()) known.set(line);
}

const APPROVED = `
  SELECT a.batch, a.position FROM approved_rows a
    JOIN unnest($1::text[], $2::int[]) AS r (batch, position) ON a.batch = r.batch AND a.position = r.position`;

/** Which of these rows its batch's question was about, by their keys. */
async function approvedAmong(query: Tx['query'], rows: readonly RowRecord[]): Promise<ReadonlySet<string>> {
  const found = await query(APPROVED, [rows.map(({ batch }) => batch), rows.map(({ position }) => position)]);
  return new Set(found.map(keyOf));
}
