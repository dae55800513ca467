// Looks at many submitted payouts by the list at once: a hundred a call. Payouts that the list shows as we sent them, on their
// way or at their end, are settled by it. All others are read one by one, also when the service does not list.
import type { Ledger } from '../ledger/ledger.ts';
import type { LeasedBatch, RowRecord } from '../ledger/records.ts';
import {
  isUnchanged,
  keyOf,
  type Listed,
  listedWhereTold,
  listLeastOf,
  type ShownTransfer,
} from './observe.ts';
import { ENDED, nextLook } from './time-left.ts';
import type { DeliveryTools } from './tools.ts';

/** Rows that are taken up for one look at the list. */
export const TOGETHER_ROWS = 1_000;

/** A row, and what the list shows of its transfer. */
export type ListedRow = { readonly row: RowRecord; readonly shown: ShownTransfer };

/** Gives the rows that have to be read one by one. @param hear records what the list settles, and gives the others. */
export async function lookTogether(
  rows: readonly RowRecord[],
  tools: DeliveryTools,
  hear: (listed: readonly ListedRow[]) => Promise<readonly RowRecord[]>,
): Promise<readonly RowRecord[]> {
  if (rows.length < listLeastOf(tools)) return rows;
  const known = rows.flatMap(({ progress }) => progress.transfer ?? []);
  const found = await listedWhereTold(tools, known);
  const shown = rows.map((row) => ({ row, shown: shownOf(row, found) }));
  const unlisted = shown.filter((each) => each.shown === null).map(({ row }) => row);
  const listed = shown.filter((each): each is ListedRow => each.shown !== null);
  return [...unlisted, ...(await hear(listed))];
}

/** Null where the list shows nothing of the row's transfer, or a given-up attempt has to be looked at, too. */
function shownOf({ progress }: RowRecord, listed: ReadonlyMap<string, ShownTransfer>): ShownTransfer | null {
  const { transfer, deadAttempts } = progress;
  if (transfer === null || deadAttempts.length > 0) return null;
  return listed.get(keyOf(transfer)) ?? null;
}

// Looks at many ended payouts by the list at once. Payouts that the list shows as we know them need no more until their next
// look. All others are read one by one, also when the service does not answer, and only that reading changes anything.

/** Ended rows, and what the list has shown of them since they were read: what has changed meanwhile is not taken from it. */
export type EndedRows = { readonly rows: readonly RowRecord[]; readonly listed: Listed };

/** @param ended what a list for many batches has shown of the rows of this one. */
export async function sweepEnded(
  ledger: Ledger,
  tools: DeliveryTools,
  leased: LeasedBatch,
  ended: EndedRows | null,
): Promise<void> {
  if (ended !== null) {
    await sweep(ledger, leased, tools, ended);
    return;
  }
  const left: number[] = [];
  for (;;) {
    const limits = { limit: TOGETHER_ROWS, withoutFunds: [], except: left };
    const rows = await ledger.dueRows(leased, { now: tools.clock.now(), stages: ENDED, ...limits });
    const unseen = await sweep(ledger, leased, tools, { rows, listed: await listEnded(tools, rows) });
    left.push(...unseen.map(({ position }) => position));
    // A service that shows nothing is not asked for the same rows again and again.
    if (rows.length < TOGETHER_ROWS || unseen.length === rows.length) return;
  }
}

/** A look at an ended payout is not urgent, and comes many times: even of two, the list tells more for less. */
const ENDED_LEAST = 2;

export function listEnded(tools: DeliveryTools, rows: readonly RowRecord[]): Promise<Listed> {
  const known = rows.flatMap(({ progress: { transfer } }) => (transfer === null ? [] : [transfer]));
  return listedWhereTold(tools, known, tools.listLeast ?? ENDED_LEAST);
}

/** Gives the rows that the list did not settle. */
async function sweep(
  ledger: Ledger,
  leased: LeasedBatch,
  tools: DeliveryTools,
  { rows, listed }: EndedRows,
): Promise<readonly RowRecord[]> {
  const seen = new Set(rows.filter((row) => isAsItEnded(row, shownOf(row, listed))));
  const now = tools.clock.now();
  const later = ({ progress }: RowRecord) => nextLook(progress.finalAt, now, tools.reversalWindowMs);
  await ledger.reschedule(
    leased,
    [...seen].map((row) => ({ row, dueAt: later(row) })),
  );
  return rows.filter((row) => !seen.has(row));
}

function isAsItEnded({ progress: { stage, transfer } }: RowRecord, shown: ShownTransfer | null): boolean {
  if (transfer === null || shown === null || !isUnchanged(transfer, shown.value)) return false;
  return (stage === 'paid') === (shown.value.status === 'paid');
}
