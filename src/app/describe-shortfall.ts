// How much money is missing: what the unsent rows of a currency will debit, against what the balance shows. Balances advise, they decide nothing.
import { addDecimals, compareDecimals, subtractDecimals, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { batchRows } from '../results/batch-rows.ts';
import { isFault } from '../service/errors.ts';
import { debitOf, type Balance } from '../service/wire.ts';
import type { Paydrop } from './compose.ts';

type Need = { rows: number; unpriced: number; debit: DecimalText };

/** One sentence for each currency, ready for a person. */
export async function describeShortfall(
  paydrop: Paydrop,
  batch: BatchRecord,
  currencies: readonly string[],
): Promise<string> {
  const balances = await readBalances(paydrop);
  const needs = await needsOf(paydrop, batch);
  const sentences = currencies.map((currency) =>
    sentenceOf(
      currency,
      needs.get(currency),
      balances.find((balance) => balance.currency === currency),
    ),
  );
  return `${sentences.join(' ')} Top up the balance, then run "paydrop resume". No row has failed because of it.`;
}

async function needsOf({ ledger }: Paydrop, batch: BatchRecord): Promise<ReadonlyMap<string, Need>> {
  const needs = new Map<string, Need>();
  for await (const { payout, progress } of batchRows(ledger, batch.id)) {
    if (payout === null || (progress.stage !== 'ready' && progress.stage !== 'quoted')) continue;
    const need = needs.get(payout.sourceCurrency) ?? { rows: 0, unpriced: 0, debit: '0' };
    need.rows += 1;
    if (progress.price === null) need.unpriced += 1;
    else need.debit = addDecimals(need.debit, debitOf(progress.price));
    needs.set(payout.sourceCurrency, need);
  }
  return needs;
}

function sentenceOf(currency: string, need: Need | undefined, balance: Balance | undefined): string {
  if (need === undefined) return `The ${currency} balance ran out.`;
  const least = need.unpriced === 0 ? '' : 'at least ';
  const rows = need.rows === 1 ? '1 payment waits' : `${String(need.rows)} payments wait`;
  const needed = `${rows} and ${need.rows === 1 ? 'needs' : 'need'} ${least}${formatAmount(need.debit, currency)} ${currency}`;
  if (balance === undefined) return `The ${currency} balance ran out: ${needed}.`;
  const missing = subtractDecimals(need.debit, balance.available);
  const available = `${formatAmount(balance.available, currency)} ${currency} are available`;
  return compareDecimals(missing, '0') > 0
    ? `The ${currency} balance ran out: ${needed}, ${available}, ${least}${formatAmount(missing, currency)} ${currency} are missing.`
    : `The ${currency} balance ran out: ${needed}, ${available} now.`;
}

async function readBalances({ service }: Paydrop): Promise<readonly Balance[]> {
  try {
    return (await service.balances()).value;
  } catch (error) {
    // Without balances the sentence is shorter; nothing else depends on them.
    if (isFault(error)) return [];
    throw error;
  }
}
