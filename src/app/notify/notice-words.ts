// Sums and counts as a message has them: outcomes by number, money by currency; never a row's own.
import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { OUTCOMES, type Outcome } from '../../payouts/outcome.ts';
import type { Summary } from '../../results/summary.ts';
import { OUTCOME_CAPTIONS } from '../../results/totals-sheet.ts';
import { sentence } from '../../messages/messages.ts';

/** `1 row`, `12 rows`. */
export function rowsWords(count: number): Words {
  return count === 1 ? sentence('notice.rows.row') : sentence('notice.rows.rows', { count });
}

/** `118 paid, 1 failed`: those that there are. */
export function outcomesWords(outcomes: Readonly<Record<Outcome, number>>): Words {
  const counted = OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map((outcome) =>
    joinWords([sameWords(String(outcomes[outcome])), agreed(OUTCOME_CAPTIONS[outcome], outcomes[outcome])]),
  );
  return joinWords(counted, ', ');
}

/** The captions are of many rows; in French one row has another ending. */
function agreed({ en, fr }: Words, count: number): Words {
  return { en, fr: count === 1 ? fr.replace(/ées$/, 'ée') : fr };
}

/** A line for each currency that money left, and for each that arrived. */
export function moneyLines({ totals, received }: Pick<Summary, 'totals' | 'received'>): readonly Words[] {
  return [
    ...totals.map(({ sourceCurrency, debited, reserved, feeAmount }) =>
      sentence('notice.moneyLines.debitedReservedFees', { sourceCurrency, debited, reserved, feeAmount }),
    ),
    ...received.map(({ destinationCurrency, receiveAmount }) =>
      sentence('notice.moneyLines.received', { destinationCurrency, receiveAmount }),
    ),
  ];
}
