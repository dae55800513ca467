// How a file differs from the last one of its kind: the first question of a person who approves a payroll each month.
import { addDecimals, type DecimalText } from '../../base/decimal.ts';
import { plainWords } from '../../base/plain-text.ts';
import type { Comparison } from '../../contract/files.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { payeeKey } from '../../payouts/payment-keys.ts';
import { requestedCurrency } from '../../payouts/payout.ts';
import { readManifest } from '../../inbox/manifest.ts';
import { standingFolder } from '../../inbox/workspace.ts';
import type { Records } from '../parts.ts';
import { newestBatches } from '../parts/newest-batches.ts';

/** As many as a person looks through row by row. */
const ROWS_NAMED = 500;

async function lastBefore(ledger: Records['ledger'], batch: BatchRecord): Promise<BatchRecord | null> {
  for await (const each of newestBatches(ledger, batch))
    if (each.acceptedAt < batch.acceptedAt && each.state !== 'refused' && kindOf(each) === kindOf(batch))
      return each;
  return null;
}

/** Null where there is no such batch. The previous file is the last one that was not refused and whose name begins with the same word. */
export async function compareWithLast(records: Records, id: string): Promise<Comparison | null> {
  const { ledger } = records;
  const batch = await ledger.batch(id);
  if (batch === null) return null;
  const earlier = await lastBefore(ledger, batch);
  const now = await paidBy(ledger, id);
  const before = earlier === null ? NOTHING : await paidBy(ledger, earlier.id);
  const both = [...now.payees].filter(([payee]) => before.payees.has(payee));
  const changed = both.filter(([payee, amounts]) => before.payees.get(payee) !== amounts);
  const added = [...now.payees].filter(([payee]) => !before.payees.has(payee));
  const rowsTo = (payees: readonly (readonly [payee: string, amounts: string])[]): readonly string[] =>
    payees.flatMap(([payee]) => now.rows.get(payee) ?? []).slice(0, ROWS_NAMED);
  return {
    corrected: await correctedIn(records, id),
    with: earlier?.id ?? null,
    file: earlier?.fileName ?? null,
    receivers: {
      now: now.payees.size,
      before: before.payees.size,
      added: added.length,
      gone: before.payees.size - both.length,
    },
    amounts: { changed: changed.length },
    rows: { added: earlier === null ? [] : rowsTo(added), changed: rowsTo(changed) },
    totals: [...new Set([...now.totals.keys(), ...before.totals.keys()])].sort().map((currency) => ({
      currency,
      now: now.totals.get(currency) ?? '0',
      before: before.totals.get(currency) ?? '0',
    })),
  };
}

/** "Payroll November.xlsx" and "payroll-2026-12.csv" are of one kind. */
function kindOf({ fileName }: Pick<BatchRecord, 'fileName'>): string {
  return plainWords(fileName.replace(/\.[^.]*$/, '').replaceAll(/[^\p{L}]+/gu, ' '))[0] ?? '';
}

type Paid = {
  readonly payees: ReadonlyMap<string, string>;
  /** By receiver, in the order of the file. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  readonly totals: ReadonlyMap<string, DecimalText>;
};

const NOTHING: Paid = { payees: new Map(), rows: new Map(), totals: new Map() };

/** The amounts of a batch, by receiver and by currency. */
async function paidBy(ledger: Records['ledger'], batch: string): Promise<Paid> {
  const sums = new Map<string, Map<string, DecimalText>>();
  const [rows, totals] = [new Map<string, string[]>(), new Map<string, DecimalText>()];
  for await (const { payout, row } of batchRows(ledger, batch)) {
    if (payout === null) continue;
    const [payee, currency] = [payeeKey(payout) ?? row, requestedCurrency(payout)];
    const { amount } = payout.requested;
    const own = sums.get(payee) ?? new Map<string, DecimalText>();
    sums.set(payee, own.set(currency, addDecimals(own.get(currency) ?? '0', amount)));
    totals.set(currency, addDecimals(totals.get(currency) ?? '0', amount));
    const to = rows.get(payee);
    if (to === undefined) rows.set(payee, [row]);
    else to.push(row);
  }
  const inOrder = (own: ReadonlyMap<string, DecimalText>): string =>
    JSON.stringify([...own].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { payees: new Map([...sums].map(([payee, own]) => [payee, inOrder(own)])), rows, totals };
}

async function correctedIn({ ledger, workspace }: Records, id: string): Promise<Comparison['corrected']> {
  const folder = await standingFolder(workspace, id);
  const { corrected = [] } = (folder === null ? null : await readManifest(folder)) ?? {};
  return Promise.all(
    corrected.map(async ({ position, ...cell }) => {
      const [row] = await ledger.rows(id, position, 1);
      return { row: row?.row ?? '', ...cell };
    }),
  );
}
