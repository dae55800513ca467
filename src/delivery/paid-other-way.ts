// The same payment, once by the amount that is sent and once by the amount that arrives (duplicate payment): only prices tell, so a row is compared again
// once it has its own, before its transfer is created.
import { moneyWords } from '../base/currency.ts';
import type { Words } from '../base/language.ts';
import { isStanding } from '../ledger/encounters.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import { isAbout } from '../payouts/moved-price.ts';
import { type Comparison, type Progress, type QuotedPrice, withForeign } from '../payouts/progress.ts';
import type { PriceStop } from '../payouts/row-machine/row-state.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

type Priced = {
  readonly row: DueRow['row'];
  readonly price: QuotedPrice;
  readonly comparison: Comparison;
};

type Comparing = Pick<DeliveryTools, 'maxDrift' | 'rowAt'>;

/** Null where the row is no such payment. A person is asked once: from then on the row is compared no more. */
export async function stopAsPaidOtherWay(
  { row, price, comparison }: Priced,
  { maxDrift, rowAt }: Comparing,
): Promise<PriceStop | null> {
  const { otherWays } = comparison;
  if (otherWays === null) return null;
  for (const place of otherWays) {
    const other = await rowAt(place);
    if (other === null || !isSamePayment(row, price, other, maxDrift)) continue;
    const code = row.reference === null ? 'same_payment_recently' : 'same_payment_other_reference';
    return { code, reason: wordsOf(row, price, other), comparison: { ...comparison, otherWays: null } };
  }
  return null;
}

function isSamePayment(
  own: DueRow['row'],
  price: QuotedPrice,
  other: RowRecord,
  maxDrift: DeliveryTools['maxDrift'],
): boolean {
  const { payout, progress } = other;
  if (payout === null || !isStanding(progress)) return false;
  const isSameSource = payout.sourceCurrency === own.payout.sourceCurrency;
  const known = amountsOf(progress);
  if (known !== null) {
    const isSent = !isSameSource || isAbout(known.sendAmount, price.sendAmount, maxDrift);
    return isSent && isAbout(known.receiveAmount, price.receiveAmount, maxDrift);
  }
  // It has no price yet, and will be compared with nothing when it gets one: what it asks for is what it will pay.
  const { side, amount } = payout.requested;
  return side === 'source'
    ? isSameSource && isAbout(amount, price.sendAmount, maxDrift)
    : isAbout(amount, price.receiveAmount, maxDrift);
}

function amountsOf(progress: Progress): Pick<QuotedPrice, 'sendAmount' | 'receiveAmount'> | null {
  const { transfer, price } = withForeign(progress);
  return transfer ?? price;
}

function wordsOf({ payout }: DueRow['row'], price: QuotedPrice, { batch, row }: RowRecord): Words {
  const sent = moneyWords(price.sendAmount, payout.sourceCurrency);
  const received = moneyWords(price.receiveAmount, payout.targetCurrency);
  return sentence('paidOtherWay.text', { batch, row, sent, received });
}
