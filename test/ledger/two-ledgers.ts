// The store that a conformance suite is run against, and the few lines that its parts share.
import type { DueRequest, Ledger } from '../../src/ledger/ledger.ts';
import type { NewRow, RowRecord } from '../../src/ledger/records.ts';
import { STAGES } from '../../src/payouts/lifecycle.ts';
import { BATCH, readBy } from './records.ts';
import { own } from './own.ts';

export type TwoLedgers = {
  readonly ledger: Ledger;
  /** Another run on the same store, of another process. */
  readonly other: Ledger;
  /** Ends the process of `ledger` as a kill does: the other one can see that it is gone. */
  readonly kill: () => void | Promise<void>;
};

export type OpenLedgers = () => Promise<TwoLedgers>;

/** A moment. */
export const NOW_MS = 1_000_000;

/** Everything that is due of the usual batch. */
export const EVERYTHING: DueRequest & { readonly batch: string } = {
  batch: BATCH.id,
  now: NOW_MS,
  limit: 100,
  stages: STAGES,
  withoutFunds: [],
  except: [],
};

/** The usual batch with these rows. */
export async function withRows(open: OpenLedgers, rows: readonly NewRow[]): Promise<TwoLedgers> {
  const ledgers = await open();
  await ledgers.ledger.addBatch(readBy(ledgers.ledger));
  await ledgers.ledger.addRows(await own(ledgers.ledger, BATCH.id), rows);
  return ledgers;
}

export function positions(rows: readonly { readonly position: number }[]): readonly number[] {
  return rows.map(({ position }) => position);
}

/** The one row that a test expects. */
export function onlyOne(rows: readonly RowRecord[]): RowRecord {
  const [row, ...more] = rows;
  if (row === undefined || more.length > 0)
    throw new Error(`There are ${String(rows.length)} rows, not one.`);
  return row;
}
