// A service that answers others as usual, and one row never, is not out of reach: that row is for a person, and the batch goes on.
import type { RowRecord } from '../ledger/records.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { sentence } from '../messages/messages.ts';

/** A step whose answers the interface does not describe, while others are answered as usual, is tried this often before a person looks. */
const ODD_ANSWERS_MOST = 10;

/** So many usable answers meanwhile show that the service is well. */
const WELL_LEAST = 3;

type Odd = { readonly times: number; readonly answersBefore: number };

export class OddAnswers {
  /** By the row's position. */
  readonly #rows = new Map<number, Odd>();

  /** The verdict, or `held` when patience is no longer the answer. `answers`: how many usable answers the service has given in this run. */
  judge({ position, progress }: RowRecord, verdict: Verdict, answers: number): Verdict {
    // A look between two odd answers is answered well, and changes nothing.
    if (verdict.kind === 'advanced' && verdict.stage !== progress.stage) this.#rows.delete(position);
    if (verdict.kind !== 'later' || verdict.oddity === undefined) return verdict;
    const known = this.#rows.get(position) ?? { times: 0, answersBefore: answers };
    const odd = { ...known, times: known.times + 1 };
    this.#rows.set(position, odd);
    if (odd.times < ODD_ANSWERS_MOST || !this.#isServiceWell(odd, answers)) return verdict;
    const reason = sentence('oddAnswers.judge', { oddity: verdict.oddity });
    return { kind: 'held', code: 'unexpected_refusal', learned: { ...verdict.learned, reason } };
  }

  /** Others have been answered since, or this row is the only one that is not and they were before. */
  #isServiceWell({ answersBefore }: Odd, answers: number): boolean {
    if (this.#rows.size === 1 && answers > 0) return true;
    return answers - answersBefore >= WELL_LEAST;
  }
}
