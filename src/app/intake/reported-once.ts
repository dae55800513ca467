// Remembers what a daemon has already reported, so that it reports once and not at every look: waiting files, batches, its own config and inbox.
// It forgets everything that is over, because a daemon runs for months.
import type { Clock } from '../../base/clock.ts';
import { type Language, type Words, say } from '../../base/language.ts';
import type { BatchResult } from '../workflow/batch/work.ts';
import type { WaitingFile } from '../workflow/ready-files.ts';

export type Listener = {
  readonly onResult: (result: BatchResult) => void;
  readonly onWaiting: (file: WaitingFile) => void;
  /** A trouble that a person has to repair; the work is repeated automatically. */
  readonly onTrouble: (words: string) => void;
};

export class ReportedOnce {
  readonly #listener: Listener;
  readonly #batches = new Map<string, string>();
  readonly #own = new Map<string, string>();
  #files: ReadonlyMap<string, string> = new Map();

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  files(waiting: readonly WaitingFile[]): void {
    const files = new Map<string, string>();
    for (const file of waiting) {
      const said = `${file.why} ${file.missing.join()}`;
      if (file.why !== 'settling' && this.#files.get(file.name) !== said) this.#listener.onWaiting(file);
      files.set(file.name, said);
    }
    this.#files = files;
  }

  /** A waiting batch comes back every minute, and is reported only when something is new. */
  batch(id: string, result: BatchResult): void {
    const { state, outcomes } = result.summary;
    const said = JSON.stringify([state, outcomes, result.words]);
    if (this.#batches.get(id) !== said) this.#listener.onResult(result);
    if (isOver(result)) this.#batches.delete(id);
    else this.#batches.set(id, said);
  }

  /** The last report about it; null when all is well. */
  said(what: 'config' | 'inbox'): string | null {
    const said = this.#own.get(what) ?? '';
    return said === '' ? null : said;
  }

  /** `words` null: all is well. True when it was reported. */
  own(what: 'config' | 'inbox' | 'clock' | 'ledger', words: Words | null, language: Language): boolean {
    const said = words === null ? '' : say(words, language);
    if (said === (this.#own.get(what) ?? '')) return false;
    this.#own.set(what, said);
    if (words !== null) this.#listener.onTrouble(said);
    return words !== null;
  }
}

/** Nothing more happens with such a batch, or is reported about it, without a person. */
export function isOver({ summary: { state, waitingFor }, isRepeated }: BatchResult): boolean {
  return isRepeated === true || state === 'refused' || (state === 'closed' && waitingFor === null);
}

// Work that must not be repeated before its time: a batch that failed to go on, a file that could not be taken, a round of work.

export class Later {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #notBefore = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  isEarly(what: string): boolean {
    return (this.#notBefore.get(what) ?? 0) > this.#clock.monotonic();
  }

  after(what: string, ms: number): void {
    this.#notBefore.set(what, this.#clock.monotonic() + ms);
  }

  /** True once in each interval. */
  isTime(what: string, everyMs: number): boolean {
    if (this.isEarly(what)) return false;
    this.after(what, everyMs);
    return true;
  }

  /** It is due now, whatever was set before. */
  forget(what: string): void {
    this.#notBefore.delete(what);
  }

  /** Forgets times that have come; in months they would add up. */
  forgetPast(): void {
    for (const what of this.#notBefore.keys()) if (!this.isEarly(what)) this.#notBefore.delete(what);
  }

  /** Anything that waited may have waited for what has changed now. */
  forgetAll(): void {
    this.#notBefore.clear();
  }
}
