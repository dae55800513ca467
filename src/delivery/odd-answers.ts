// A service that answers others as usual, and one row never, is not out of reach: that row is for a person, and the batch goes on.
import type { Verdict } from '../payouts/verdict.ts';

/** A step whose answers the interface does not describe, while others are answered as usual, is tried this often before a person looks. */
const ODD_ANSWERS_MOST = 10;

type Odd = { readonly times: number; readonly answersBefore: number };

export class OddAnswers {
  /** By the row's position. */
  readonly #rows = new Map<number, Odd>();

  /** The verdict, or `held` when patience is no longer the answer. `answers`: how many usable answers the service has given in this run. */
  judge(position: number, verdict: Verdict, answers: number): Verdict {
    if (verdict.kind !== 'later' || verdict.oddity === undefined) return verdict;
    const known = this.#rows.get(position) ?? { times: 0, answersBefore: answers };
    const odd = { ...known, times: known.times + 1 };
    this.#rows.set(position, odd);
    const isServiceWell = answers - odd.answersBefore >= ODD_ANSWERS_MOST;
    if (odd.times < ODD_ANSWERS_MOST || !isServiceWell) return verdict;
    const reason = `The service answers in a way that its interface does not describe (${verdict.oddity}). Look the transfer up at the service.`;
    return { kind: 'held', code: 'unexpected_refusal', learned: { ...verdict.learned, reason } };
  }
}
