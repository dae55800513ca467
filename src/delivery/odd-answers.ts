// A service that answers others as usual, and one row never, is not out of reach: that row is for a person, and the batch goes on.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { type Fault, Unanswered } from '../service/errors.ts';

/** A step whose answers the interface does not describe, while others are answered as usual, is tried this often before a person looks. */
const ODD_ANSWERS_MOST = 10;

/** So many usable answers meanwhile show that the service is well. */
const WELL_LEAST = 3;

type Odd = { readonly times: number; readonly answersBefore: number };

export class OddAnswers {
  /** By the row's position. */
  readonly #rows = new Map<number, Odd>();

  /** The row has got further. */
  forget(position: number): void {
    this.#rows.delete(position);
  }

  /** Null while patience is the answer. @param answers how many usable answers the service has given in this run. */
  judge(position: number, fault: Fault, answers: number): Words | null {
    if (!(fault instanceof Unanswered) || !fault.isOdd) return null;
    const known = this.#rows.get(position) ?? { times: 0, answersBefore: answers };
    const odd = { ...known, times: known.times + 1 };
    this.#rows.set(position, odd);
    if (odd.times < ODD_ANSWERS_MOST || !this.#isServiceWell(odd, answers)) return null;
    return sentence('oddAnswers.judge', { oddity: fault.said });
  }

  /** Others have been answered since, or this row is the only one that is not and they were before. */
  #isServiceWell({ answersBefore }: Odd, answers: number): boolean {
    if (this.#rows.size === 1 && answers > 0) return true;
    return answers - answersBefore >= WELL_LEAST;
  }
}
