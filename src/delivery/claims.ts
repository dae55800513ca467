// Which rows are taken up next: as many as may be under way, but while something is in doubt only one that finds out.
import type { Clock } from '../base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import { fundedRow, type CircuitBreakers } from './paced-transport.ts';

/** Calls from the claim of a row to its end, each with its tries, and some waits: no chain of steps is longer. */
const CALLS_MOST = 12;

/** A lease that is too long costs nothing on one machine, where the claims of dead processes end at once. */
const LEASE_LEAST_MS = 180_000;

export type ClaimOptions = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly batch: string;
  readonly stages: readonly Stage[];
  readonly callTimeoutMs: number;
};

export class Claims {
  readonly #options: ClaimOptions;
  readonly #breakers: CircuitBreakers;
  /** Currencies whose funds one row is finding out about. */
  readonly #probing = new Set<string>();
  /** Positions of the rows that this run carries: after a sleep of the machine their claims have run out, and they are still ours. */
  readonly #carried = new Set<number>();

  constructor(options: ClaimOptions, breakers: CircuitBreakers) {
    this.#options = options;
    this.#breakers = breakers;
  }

  /** Up to `free` rows; `isBusy` when others are under way already. */
  async next(free: number, isBusy: boolean): Promise<readonly RowRecord[]> {
    const breakers = this.#breakers;
    if (free === 0 || breakers.serviceTriedAgainAt > this.#options.clock.now()) return [];
    // While the service is in doubt, one row at a time finds out.
    if (breakers.isServiceOut) return isBusy ? [] : this.#claim(1, breakers.currenciesBarred());
    const probe = await this.#claimProbe();
    if (free === probe.length) return probe;
    return [...probe, ...(await this.#claim(free - probe.length, breakers.currenciesOut))];
  }

  /** The row is no longer under way. */
  ended(row: RowRecord): void {
    this.#probing.delete(fundedRow(row).currency);
    this.#carried.delete(row.position);
  }

  /** One row of a currency whose time has come finds out whether its funds are back; the others go on meanwhile. */
  async #claimProbe(): Promise<readonly RowRecord[]> {
    const avoided = new Set([...this.#breakers.currenciesBarred(), ...this.#probing]);
    if (this.#breakers.currenciesOut.every((currency) => avoided.has(currency))) return [];
    const claimed = await this.#claim(1, [...avoided]);
    for (const row of claimed) this.#probing.add(fundedRow(row).currency);
    return claimed;
  }

  async #claim(limit: number, withoutFunds: readonly string[]): Promise<readonly RowRecord[]> {
    const { ledger, clock, batch, stages, callTimeoutMs } = this.#options;
    const leaseMs = Math.max(LEASE_LEAST_MS, CALLS_MOST * callTimeoutMs);
    const claimed = await ledger.claim({ batch, now: clock.now(), leaseMs, limit, stages, withoutFunds });
    const fresh = claimed.filter(({ position }) => !this.#carried.has(position));
    for (const { position } of fresh) this.#carried.add(position);
    return fresh;
  }
}
