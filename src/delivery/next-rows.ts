// Which rows are taken up next: as many as may be under way, but while something is in doubt only one that finds out.
import type { Clock } from '../base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LeasedBatch, RowRecord } from '../ledger/records.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import { fundedRow, type CircuitBreakers } from './paced-transport.ts';
import type { RowsUnderWay } from './rows-under-way.ts';

type Options = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly leased: LeasedBatch;
  readonly stages: readonly Stage[];
  /** Also rows of days to come. */
  readonly early: boolean;
  readonly underWay: RowsUnderWay;
};

export class NextRows {
  readonly #options: Options;
  readonly #breakers: CircuitBreakers;
  /** Rows that this run has under way. */
  readonly #taken = new Set<RowRecord>();
  /** Currencies whose funds one row is finding out about. */
  readonly #probing = new Set<string>();

  constructor(options: Options, breakers: CircuitBreakers) {
    this.#options = options;
    this.#breakers = breakers;
  }

  /** Up to `free` rows; `isBusy` when others are under way already. */
  async next(free: number, isBusy: boolean): Promise<readonly RowRecord[]> {
    const breakers = this.#breakers;
    if (free === 0 || breakers.serviceTriedAgainAt > this.#options.clock.now()) return [];
    // While the service is in doubt, one row at a time finds out.
    if (breakers.isServiceOut) return isBusy ? [] : this.#take(1, breakers.currenciesBarred());
    const probe = await this.#takeProbe();
    if (free === probe.length) return probe;
    return [...probe, ...(await this.#take(free - probe.length, breakers.currenciesOut))];
  }

  /** The row is no longer under way. */
  ended(row: RowRecord): void {
    this.#taken.delete(row);
    this.#probing.delete(fundedRow(row).currency);
    this.#options.underWay.leave(row);
  }

  /** At the end of the run. */
  leaveAll(): void {
    for (const row of this.#taken) this.ended(row);
  }

  /** Positions of the rows that other runs have under way, and whether any of them is of the stages that this one carries. */
  besides(): { readonly positions: readonly number[]; readonly isAnyOfOurs: boolean } {
    const { underWay, leased, stages } = this.#options;
    const rows = underWay.of(leased.id);
    return {
      positions: [...rows.keys()],
      isAnyOfOurs: rows.values().some((stage) => stages.includes(stage)),
    };
  }

  /** One row of a currency whose time has come finds out whether its funds are back; the others go on meanwhile. */
  async #takeProbe(): Promise<readonly RowRecord[]> {
    const avoided = new Set([...this.#breakers.currenciesBarred(), ...this.#probing]);
    if (this.#breakers.currenciesOut.every((currency) => avoided.has(currency))) return [];
    const taken = await this.#take(1, [...avoided]);
    for (const row of taken) this.#probing.add(fundedRow(row).currency);
    return taken;
  }

  async #take(limit: number, withoutFunds: readonly string[]): Promise<readonly RowRecord[]> {
    const { ledger, clock, leased, stages, early, underWay } = this.#options;
    const except = [...underWay.of(leased.id).keys()];
    const due = await ledger.dueRows(leased, {
      now: clock.now(),
      limit,
      stages,
      withoutFunds,
      except,
      early,
    });
    // Another run of this process may have taken one up while the ledger was asked.
    const taken = due.filter((row) => underWay.take(row));
    for (const row of taken) this.#taken.add(row);
    return taken;
  }
}
