// Looks at many ended payouts by the list at once. What stands there as we know it is done with until its next look; everything else, also a
// service that does not answer, is left to be read one by one, and that reading alone changes anything.
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { ENDED, nextLook } from './time-left.ts';
import { isUnchanged, keyOf, listedWhereTold, listLeastOf } from './observe.ts';
import type { DeliveryTools } from './tools.ts';

/** Rows that one look at the list is for. */
const CHUNK_ROWS = 1_000;

/** Longer than any list of that many; a claim that outlives its process ends with it. */
const LEASE_MS = 600_000;

export async function sweepEnded(ledger: Ledger, tools: DeliveryTools, batch: string): Promise<void> {
  const left: RowRecord[] = [];
  try {
    for (;;) {
      const claimed = await claim(ledger, tools, batch);
      const unseen = claimed.length < listLeastOf(tools) ? claimed : await sweep(ledger, tools, claimed);
      left.push(...unseen);
      // What a service that shows nothing would be asked again and again for, is not.
      if (claimed.length < CHUNK_ROWS || unseen.length === claimed.length) return;
    }
  } finally {
    for (const row of left) await ledger.unclaim(row);
  }
}

function claim(ledger: Ledger, { clock }: DeliveryTools, batch: string): Promise<readonly RowRecord[]> {
  const limits = { leaseMs: LEASE_MS, limit: CHUNK_ROWS, withoutFunds: [] };
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
  const seen = rows.filter(({ progress: { transfer, deadAttempts } }) => {
    const shown = transfer === null ? undefined : listed.get(keyOf(transfer));
    // A given-up attempt is not in question here, and has to be looked at, too.
    return (
      transfer !== null &&
      deadAttempts.length === 0 &&
      shown !== undefined &&
      isUnchanged(transfer, shown.value)
    );
  });
  const now = tools.clock.now();
  const later = ({ progress }: RowRecord) => nextLook(progress.finalAt, now, tools.reversalWindowMs);
  await Promise.all(seen.map((row) => ledger.schedule(row, { now, dueAt: later(row), event: null })));
  const done = new Set(seen);
  return rows.filter((row) => !done.has(row));
}
