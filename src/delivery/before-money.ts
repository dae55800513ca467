// What is asked before money can move: is the price acceptable, is it the same payment as another one, and is there room in the limits? An amount that the ledger allows
// counts from then on, for every process.
import type { DecimalText } from '../base/decimal.ts';
import { joinWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import type { LimitCode } from '../payouts/hold.ts';
import { describeHit, isPriceLifted, type LimitHit, type LimitName, priceHits } from '../payouts/limits.ts';
import { movedWords } from '../payouts/moved-price.ts';
import type { Comparison, QuotedPrice } from '../payouts/progress.ts';
import type { RowEvent } from '../payouts/row-machine/row-event.ts';
import type { PriceStop } from '../payouts/row-machine/row-state.ts';
import type { Stop } from '../payouts/stop.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

type Priced = {
  readonly price: QuotedPrice;
  readonly comparison: Comparison;
  readonly payout: DueRow['row']['payout'];
};

/** A price that nobody has seen or agreed to, or that exceeds a limit, is for a person; null where the row may be paid at it. */
export function priceStopOf(
  priced: Priced,
  tools: Pick<DeliveryTools, 'priceLimits' | 'maxDrift' | 'rates'>,
): PriceStop | null {
  const { price, comparison, payout } = priced;
  const tooDear = priceHits(price, payout, tools.priceLimits).find(
    ({ code }) => !isPriceLifted({ comparison }, code, price, tools.maxDrift),
  );
  if (tooDear !== undefined)
    return { code: tooDear.code, reason: limitWords(comparison, tooDear.code, tooDear.words) };
  return movedStopOf(priced, tools);
}

export function movedStopOf(
  { price, comparison, payout }: Priced,
  tools: Pick<DeliveryTools, 'maxDrift' | 'rates'>,
): PriceStop | null {
  const words = movedWords(comparison, price, payout, tools);
  return words === null ? null : { code: 'price_moved', reason: joinWords([words, RELEASE_PRICE]) };
}

const RELEASE_PRICE: Words = sentence('movedPrice.release');

/** The row counts (`event`), it is held or the file is stopped; `gone`: another process has the row, and asks for itself. */
export type Counted = { readonly event: RowEvent } | { readonly stop: Stop } | 'gone';

/** The hold of a row that exceeds this limit; null where the whole file stops. */
const HOLD_OF_LIMIT: Readonly<Record<LimitName, LimitCode | null>> = {
  perRow: 'over_row_limit',
  perPayeePerDay: 'over_payee_limit',
  perFile: null,
  perDay: null,
};

/** Durable when it resolves. @param debit what would leave the account, fees included. */
export async function countRow(
  row: DueRow['row'],
  debit: DecimalText,
  { reserve }: Pick<DeliveryTools, 'reserve'>,
): Promise<Counted> {
  const answer = reserve === null ? null : await reserve(row, debit);
  if (answer === null) return { event: { on: 'count', debit } };
  if (answer === 'gone') return 'gone';
  if (answer === 'unapproved') return { stop: { by: 'approval', words: UNAPPROVED } };
  return overLimit(row, answer);
}

function overLimit({ progress }: DueRow['row'], hit: LimitHit): Counted {
  const code = HOLD_OF_LIMIT[hit.name];
  const words = describeHit(hit);
  if (code === null) return { stop: { by: 'limits', words } };
  return { event: { on: 'hold', code, reason: limitWords(progress.comparison, code, words) } };
}

/** A limit that was lifted at another price is asked again, and the person is told so. */
function limitWords({ lifted }: Comparison, code: LimitCode, words: Words): Words {
  const isAgain = lifted.some((each) => each.code === code);
  return joinWords([words, ...(isAgain ? [RELEASED] : []), RELEASE]);
}

const UNAPPROVED: Words = sentence('withinLimits.unapproved');

const RELEASE: Words = sentence('withinLimits.release');

const RELEASED: Words = sentence('withinLimits.released');
