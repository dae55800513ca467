// The balances of the last 24 hours. The service tells only the present ones: they are read every five minutes while the page is served, and kept in the
// file of the people who look at them, so that a restart leaves a gap and not a beginning.
import { isoTime } from '../../base/clock.ts';
import { formatAmount } from '../../base/currency.ts';
import { compareDecimals, type DecimalText } from '../../base/decimal.ts';
import type { PeopleFile } from '../people/people-file.ts';
import type { Paydrop } from '../parts.ts';

const EVERY_MS = 5 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

/** In major units, with the currency's decimals. */
type Point = { readonly at: string; readonly available: DecimalText };
export type BalanceLine = {
  readonly currency: string;
  /** The oldest first; none for a time at which the service told nothing. */
  readonly points: readonly Point[];
  readonly lowest: Point;
  readonly highest: Point;
};

export class BalanceHistory {
  readonly #file: PeopleFile;

  constructor(file: PeopleFile) {
    this.#file = file;
  }

  /** Until the signal fires; the file may be closed once it has returned. */
  async follow({ service }: Pick<Paydrop, 'service'>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const told = await service.balances().catch(() => null);
      for (const balance of told?.value ?? []) this.#keep(balance);
      await this.#file.clock.sleep(EVERY_MS, signal);
    }
  }

  /** Other processes of the workspace look too: one of them keeps it. */
  #keep({ currency, available }: { readonly currency: string; readonly available: DecimalText }): void {
    const { database, clock } = this.#file;
    const now = clock.now();
    database.prepare('DELETE FROM balances WHERE at <= ?').run(now - KEPT_MS);
    database
      .prepare('INSERT OR IGNORE INTO balances (slot, currency, at, available) VALUES (?, ?, ?, ?)')
      .run(Math.floor(now / EVERY_MS), currency, now, available);
  }

  lines(): readonly BalanceLine[] {
    const { database, clock } = this.#file;
    const found = database
      .prepare('SELECT currency, at, available FROM balances WHERE at > ? ORDER BY currency, at')
      .all(clock.now() - KEPT_MS);
    const points = Map.groupBy(found, ({ currency }) => String(currency));
    return [...points].map(([currency, rows]) => lineOf(currency, rows));
  }
}

function lineOf(currency: string, rows: readonly Readonly<Record<string, unknown>>[]): BalanceLine {
  const points = rows.map(({ at, available }) => ({
    at: isoTime(Number(at)),
    available: formatAmount(String(available), currency),
  }));
  const beyond = (sign: 1 | -1) =>
    points.reduce((one, other) => (compareDecimals(other.available, one.available) * sign > 0 ? other : one));
  return { currency, points, lowest: beyond(-1), highest: beyond(1) };
}
