// Tells what holds a run up (an open circuit breaker: no funds, no service) at the moment at which it begins, and takes it back when it is over. What
// was sent is followed meanwhile.
import type { RunControl } from '../../parts/run-options.ts';
import type { Paydrop } from '../../parts.ts';
import { SERVICE_WORDS } from '../../parts/wait-for-service.ts';
import type { Words } from '../../../base/language.ts';
import type { Halt } from '../../../delivery/runner.ts';
import type { BatchChange, BatchRecord } from '../../../ledger/records.ts';
import { isOfService, type Wait, waitFor } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';
import { keepWait, recordWait, SERVICE_AWAY } from '../tell.ts';
import { describeShortfall, shortfallWords } from './stops.ts';

type Meanwhile = {
  readonly view: RunControl['view'];
  /** Prices make a shortfall exact; null where there are too many rows for that. Ends when the signal fires. */
  readonly price: ((signal: AbortSignal) => Promise<void>) | null;
  /** Follows what was sent, until the signal fires; null where the run itself does. */
  readonly follow: ((signal: AbortSignal) => Promise<void>) | null;
  /** What the batch waits for once nothing holds the run up. */
  readonly otherWait: () => Promise<Wait | null>;
};

export class HaltTeller {
  readonly #paydrop: Paydrop;
  readonly #batch: BatchRecord;
  readonly #meanwhile: Meanwhile;
  /** What was told last is over when this fires; null while nothing holds the run up. */
  #over: AbortController | null = null;
  /** A wait of an earlier run, which nothing has disproved yet. */
  #isStale: boolean;
  #work: Promise<void> = Promise.resolve();
  #aside: Promise<void> = Promise.resolve();
  /** People get one message a run: money that comes bit by bit would send one for each. */
  #isNotified = false;
  #fault: { readonly error: unknown } | null = null;

  constructor(paydrop: Paydrop, batch: BatchRecord, meanwhile: Meanwhile) {
    this.#paydrop = paydrop;
    this.#batch = batch;
    this.#meanwhile = meanwhile;
    this.#isStale = batch.wait !== null && isOfService(batch.wait);
  }

  /** Call it whenever something else holds the run up; null once nothing does. */
  readonly changed = (halt: Halt | null): void => {
    this.#over?.abort();
    this.#isStale = false;
    const over = halt === null ? null : new AbortController();
    this.#over = over;
    if (halt === null) this.#meanwhile.view.halted?.(null);
    this.#next(() => (halt === null || over === null ? this.#takeBack() : this.#tell(halt, over.signal)));
  };

  /** Call it when a row has come nearer to its confirm: what an earlier run waited for is over. */
  readonly moved = (): void => {
    if (this.#isStale && this.#over === null) this.changed(null);
  };

  /** At the end of the run. What is told stays. Throws what went wrong meanwhile. */
  async close(): Promise<void> {
    await this.#work;
    this.#over?.abort();
    await this.#aside;
    if (this.#fault !== null) throw this.#fault.error;
  }

  #next(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(this.#keepFault);
  }

  readonly #keepFault = (error: unknown): void => {
    this.#fault ??= { error };
  };

  async #tell(halt: Halt, over: AbortSignal): Promise<void> {
    if (over.aborted) return;
    const { price, follow } = this.#meanwhile;
    const isToPrice = price !== null && halt.currencies.length > 0;
    await this.#record(halt, isToPrice);
    const before = this.#aside;
    this.#aside = before
      .then(() => Promise.all([follow?.(over), isToPrice ? this.#tellExactly(halt, price, over) : undefined]))
      .then(() => undefined)
      .catch(this.#keepFault);
  }

  async #tellExactly(
    halt: Halt,
    price: (signal: AbortSignal) => Promise<void>,
    over: AbortSignal,
  ): Promise<void> {
    await price(over);
    if (!over.aborted) await this.#record(halt);
  }

  /** @param isInexact it is known better in a moment. */
  async #record({ currencies }: Halt, isInexact = false): Promise<void> {
    const { view } = this.#meanwhile;
    const record = isInexact || this.#isNotified ? recordWait : keepWait;
    this.#isNotified ||= !isInexact;
    const [paydrop, batch] = [this.#paydrop, this.#batch];
    if (currencies.length === 0) {
      view.halted?.(SERVICE_AWAY);
      await record(paydrop, batch, waitFor('service', SERVICE_WORDS), true, unlessAsked);
      return;
    }
    const words = await describeShortfall(paydrop, batch, currencies);
    view.halted?.(await this.#short(currencies));
    await record(paydrop, batch, waitFor('funds', words), true, unlessAsked);
  }

  async #short(currencies: readonly string[]): Promise<Words> {
    return sentence('halt.funds', { missing: await shortfallWords(this.#paydrop, this.#batch, currencies) });
  }

  async #takeBack(): Promise<void> {
    const wait = await this.#meanwhile.otherWait();
    await keepWait(this.#paydrop, this.#batch, wait, false, (now) =>
      now.wait !== null && isOfService(now.wait) ? {} : null,
    );
  }
}

/** The ledger itself stops a run whose rows no approval covers. */
function unlessAsked({ wait }: BatchRecord): BatchChange | null {
  return wait?.for === 'approval' ? null : {};
}
