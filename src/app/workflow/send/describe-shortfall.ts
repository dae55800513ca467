// How much money is missing: what the unsent rows of a currency will debit, against what the balance shows. Balances advise, they decide nothing.
import { joinWords, sameWords, type Words } from '../../../base/language.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { addDecimals, compareDecimals, subtractDecimals, type DecimalText } from '../../../base/decimal.ts';
import { moneyWords } from '../../../base/currency.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isFault } from '../../../service/errors.ts';
import { debitOf, type Balance } from '../../../service/wire.ts';
import type { Paydrop } from '../../parts.ts';
import { sentence } from '../../../messages/messages.ts';

type Need = { rows: number; unpriced: number; debit: DecimalText };

/** One sentence for each currency, ready for a person. */
export async function describeShortfall(
  paydrop: Paydrop,
  batch: BatchRecord,
  currencies: readonly string[],
): Promise<Words> {
  const balances = await readBalances(paydrop);
  const needs = await needsOf(paydrop, batch);
  const sentences = currencies.map((currency) =>
    sentenceOf(
      currency,
      needs.get(currency),
      balances.find((balance) => balance.currency === currency),
    ),
  );
  return joinWords([...sentences, TOP_UP]);
}

const TOP_UP: Words = sentence('describeShortfall.topUp');

async function needsOf({ ledger }: Paydrop, batch: BatchRecord): Promise<ReadonlyMap<string, Need>> {
  const needs = new Map<string, Need>();
  for await (const { payout, progress } of batchRows(ledger, batch.id)) {
    if (payout === null || !['ready', 'quoted'].includes(stageOrHeld(progress))) continue;
    const need = needs.get(payout.sourceCurrency) ?? { rows: 0, unpriced: 0, debit: '0' };
    need.rows += 1;
    if (progress.price === null) need.unpriced += 1;
    else need.debit = addDecimals(need.debit, debitOf(progress.price));
    needs.set(payout.sourceCurrency, need);
  }
  return needs;
}

function sentenceOf(currency: string, need: Need | undefined, balance: Balance | undefined): Words {
  const ranOut = sentence('describeShortfall.sentenceOf.balanceRanOut', { currency });
  if (need === undefined) return joinWords([ranOut, sameWords('.')], '');
  const show = (amount: DecimalText) => moneyWords(amount, currency);
  const least = need.unpriced === 0 ? sameWords('') : sentence('describeShortfall.sentenceOf.atLeast');
  const needed = neededWords(need, show(need.debit), least);
  if (balance === undefined) return sentence('describeShortfall.sentenceOf.shortly', { ranOut, needed });
  const missing = subtractDecimals(need.debit, balance.available);
  const left: Words =
    compareDecimals(missing, '0') > 0
      ? sentence('describeShortfall.sentenceOf.availableMissing', { least, show: show(missing) })
      : sentence('describeShortfall.sentenceOf.availableNow');
  const available = show(balance.available);
  return sentence('describeShortfall.sentenceOf.whole', { ranOut, needed, available, left });
}

function neededWords({ rows }: Need, debit: Words, least: Words): Words {
  return rows === 1
    ? sentence('describeShortfall.needed.paymentWaitsNeeds', { least, debit })
    : sentence('describeShortfall.needed.paymentsWaitNeed', { rows, least, debit });
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
