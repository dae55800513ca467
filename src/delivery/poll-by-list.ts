// Looks at many submitted payouts by the list at once: a hundred a call. Payouts that the list shows as we sent them, on their
// way or at their end, are settled by it. All others are read one by one, also when the service does not list.
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { isUnchanged, keyOf, listedWhereTold, listLeastOf, type ShownTransfer } from './observe.ts';
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

/** Longer than any list of that many; a claim that outlives its process ends with it. */
const LEASE_MS = 600_000;

export async function sweepEnded(ledger: Ledger, tools: DeliveryTools, batch: string): Promise<void> {
  const left: RowRecord[] = [];
  try {
    for (;;) {
      const claimed = await claim(ledger, tools, batch);
      const unseen = claimed.length < listLeastOf(tools) ? claimed : await sweep(ledger, tools, claimed);
      left.push(...unseen);
      // A service that shows nothing is not asked for the same rows again and again.
      if (claimed.length < TOGETHER_ROWS || unseen.length === claimed.length) return;
    }
  } finally {
    for (const row of left) await ledger.unclaim(row);
  }
}

function claim(ledger: Ledger, { clock }: DeliveryTools, batch: string): Promise<readonly RowRecord[]> {
  const limits = { leaseMs: LEASE_MS, limit: TOGETHER_ROWS, withoutFunds: [] };
  return ledger.claim({ batch, now: clock.now(), stages: ENDED, ...limits });
}

/** Gives the rows that the list did not settle. */
async function sweep(
  ledger: Ledger,
  tools: DeliveryTools,
  rows: readonly RowRecord[],
): Promise<readonly RowRecord[]> {
  const known = rows.flatMap(({ progress: { transfer } }) => (transfer === null ? [] : [transfer]));
  const listed = await listedWhereTold(tools, known);
  const seen = rows.filter((row) => {
    const { transfer } = row.progress;
    const shown = shownOf(row, listed);
    return transfer !== null && shown !== null && isUnchanged(transfer, shown.value);
  });
  const now = tools.clock.now();
  const later = ({ progress }: RowRecord) => nextLook(progress.finalAt, now, tools.reversalWindowMs);
  await Promise.all(seen.map((row) => ledger.schedule(row, { now, dueAt: later(row), event: null })));
  const done = new Set(seen);
  return rows.filter((row) => !done.has(row));
}
