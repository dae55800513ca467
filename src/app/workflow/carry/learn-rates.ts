// What the corridors of a batch pay, before its first row is sent at a price: of one price alone nobody can say whether the service errs.
import { samplePrices } from '../../../delivery/quotations.ts';
import type { DeliveryTools } from '../../../delivery/tools.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { type BatchRecord, type RowRecord, tenureOf } from '../../../ledger/records.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { isFault } from '../../../service/errors.ts';
import { askedAtOnce } from '../../config/config.ts';
import type { Paydrop } from '../../parts.ts';

/** Fewer rows of a corridor say nothing together, and more are not asked for ahead of the others. */
const ROWS_LEAST = 3;
const ROWS_ASKED = 5;

/** Learns the rates that the ledger knows, once in each process, and asks for some of each corridor. A quotation moves no money, and the run that follows uses it. */
export async function learnRates(paydrop: Paydrop, batch: BatchRecord, tools: DeliveryTools): Promise<void> {
  const { rates } = tools;
  if (rates.isLearned) return;
  const { ledger, config, rateControl } = paydrop;
  const run = tenureOf(batch, ledger.run);
  const unpriced = new Map<string, RowRecord[]>();
  for await (const row of batchRows(ledger, batch.id)) noteRow(row, tools, unpriced, run);
  rates.isLearned = true;
  const asked = [...unpriced.values()].flatMap((rows) => toAsk(rows, tools));
  const concurrency = askedAtOnce(config.service, rateControl);
  try {
    await samplePrices(asked, { ledger, leased: batch, run, tools, fileId: batch.fileId, concurrency });
  } catch (error) {
    // The run meets the same fault again and knows how to handle it.
    if (!isFault(error)) throw error;
  }
}

function noteRow(
  row: RowRecord,
  { rates }: DeliveryTools,
  unpriced: Map<string, RowRecord[]>,
  run: string,
): void {
  const { payout, position, progress } = row;
  if (payout === null) return;
  const price = progress.transfer ?? progress.price;
  // A price that a person was shown and has not accepted says nothing of the others.
  if (price !== null && progress.hold?.code !== 'price_moved') rates.add(position, price, payout);
  // Of a row that nobody vouches for a transfer may exist already: it is looked for first.
  if (stageOrHeld(progress) !== 'ready' || progress.begunBy !== run || progress.lookedBy !== run) return;
  const key = `${payout.sourceCurrency}/${payout.payoutCorridorId}`;
  const rows = unpriced.get(key) ?? [];
  if (rows.length < ROWS_ASKED) rows.push(row);
  unpriced.set(key, rows);
}

function toAsk(rows: readonly RowRecord[], { rates }: DeliveryTools): readonly RowRecord[] {
  const [first] = rows;
  if (first?.payout === undefined || first.payout === null) return [];
  const known = rates.count(first.payout);
  return known + rows.length < ROWS_LEAST ? [] : rows.slice(0, Math.max(0, ROWS_ASKED - known));
}
