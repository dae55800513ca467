// The balances of the accounts, the part promised to unpaid files, and the next times of the schedules.
import { join } from 'node:path';

import { dayOf, isoTime } from '../../base/clock.ts';
import { formatAmount } from '../../base/currency.ts';
import { addDecimals, compareDecimals, type DecimalText, subtractDecimals } from '../../base/decimal.ts';
import type { Balance, BalanceLine, Schedule } from '../../contract/money.ts';
import { isFolder } from '../../inbox/workspace.ts';
import type { PeopleFile } from '../people/people-file.ts';
import { nextTimes } from '../config/schedule-config.ts';
import type { Paydrop, Records } from '../parts.ts';
import { earliestNow } from '../parts/wait-for-service.ts';
import { isOfProgram } from './batch-status.ts';
import type { FileViews } from './file-views.ts';

/** By source currency. Throws a `Fault` if the service does not give its balances. */
export async function moneyStatus(
  { ledger, service, config, clock, serviceClock }: Paydrop,
  views: Pick<FileViews, 'open'>,
): Promise<readonly Balance[]> {
  const balances = (await service.balances()).value;
  const promised = new Map<string, Balance['files']>();
  for await (const { batch, tally } of views.open())
    for (const [currency, { amount, unpriced }] of tally.left) {
      const awaitsApproval = batch.wait?.for === 'approval';
      const file = { batch: batch.id, file: batch.fileName, promised: amount, unpriced, awaitsApproval };
      promised.set(currency, [...(promised.get(currency) ?? []), file]);
    }
  const limit = config.limits.perDay;
  const day = dayOf(earliestNow({ serviceClock, clock }));
  const currencies = new Set([
    ...balances.map(({ currency }) => currency),
    ...promised.keys(),
    ...Object.keys(limit ?? {}),
  ]);
  const lines: Balance[] = [];
  for (const currency of [...currencies].sort()) {
    const balance = balances.find((each) => each.currency === currency);
    const files = promised.get(currency) ?? [];
    const amount = files.reduce((sum, file) => addDecimals(sum, file.promised), '0');
    const spent = await ledger.spent('', currency, day);
    const show = (text: DecimalText | null | undefined) =>
      text === null || text === undefined ? null : formatAmount(text, currency);
    lines.push({
      currency,
      available: show(balance?.available),
      reserved: show(balance?.pending),
      promised: formatAmount(amount, currency),
      unpriced: files.reduce((sum, { unpriced }) => sum + unpriced, 0),
      files: files.map((file) => ({ ...file, promised: formatAmount(file.promised, currency) })),
      free: balance === undefined ? null : show(subtractDecimals(balance.available, amount)),
      spentToday: formatAmount(spent.day, currency),
      perDay: show(limit === null || !Object.hasOwn(limit, currency) ? null : limit[currency]),
    });
  }
  return lines;
}

// The balances of the last 24 hours. The service tells only the present ones: they are read every five minutes while the page is served, and kept in the
// file of the people who look at them, so that a restart leaves a gap.

const EVERY_MS = 5 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

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

/** Enough to show the rhythm. */
const SHOWN = 3;

/** In the order of the config. */
/** @param own the name of the program whose waiting files alone are named; null for those of everybody. */
export async function scheduleStatuses(
  { config, clock, workspace, ledger }: Pick<Records, 'config' | 'clock' | 'workspace' | 'ledger'>,
  own: string | null = null,
): Promise<readonly Schedule[]> {
  const all = await ledger.batches({ toLookAt: clock.now() });
  const open = own === null ? all : all.filter((batch) => isOfProgram(batch, own));
  const statuses: Schedule[] = [];
  for (const schedule of config.schedules) {
    const { folder, cron, timeZone, missed, standing } = schedule;
    const waiting = open.flatMap(({ id, fileName, payAt, state, wait }) =>
      payAt?.folder === folder && state === 'accepted'
        ? [{ batch: id, file: fileName, payAt: payAt.at, isMissed: wait?.for === 'missed-time' }]
        : [],
    );
    const next = nextTimes(schedule, clock.now(), SHOWN).map(isoTime);
    const isThere = await isFolder(join(workspace.inbox, folder));
    statuses.push({ folder, isThere, cron, timeZone, missed, standing, next, waiting });
  }
  return statuses;
}
