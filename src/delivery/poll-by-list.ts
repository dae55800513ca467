// Looks at many submitted payouts by the list at once: a hundred a call. Payouts that the list shows as we sent them, on their
// way or at their end, are settled by it. All others are read one by one, also when the service does not list.
import { judgeTransfer } from './judge-transfer.ts';
import {
  isSameTransfer,
  isUnchanged,
  keyOf,
  listedWhereTold,
  listLeastOf,
  type ShownTransfer,
} from './observe.ts';
import { ENDED, nextLook } from './time-left.ts';
import { type DeliveryTools, type DueRow, lookOf } from './tools.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Verdict } from '../payouts/verdict.ts';

/** Rows that are taken up for one look at the list. */
export const TOGETHER_ROWS = 1_000;

type Settle = (due: DueRow, verdict: Verdict) => Promise<unknown>;

/** Gives the rows that have to be read one by one. */
export async function lookTogether(
  rows: readonly DueRow[],
  tools: DeliveryTools,
  settle: Settle,
): Promise<readonly DueRow[]> {
  if (rows.length < listLeastOf(tools)) return rows;
  const listed = await listedWhereTold(
    tools,
    rows.flatMap(({ row }) => row.progress.transfer ?? []),
  );
  const verdicts = new Map<DueRow, Verdict>();
  for (const due of rows) {
    const verdict = byList(due, listed, tools);
    if (verdict !== null) verdicts.set(due, verdict);
  }
  const together = atOnce([...verdicts.values()]);
  await Promise.all([...verdicts].map(([due, verdict]) => settle(due, together(verdict))));
  return rows.filter((due) => !verdicts.has(due));
}

/** Null for a row that the list does not settle. */
function byList(
  due: DueRow,
  listed: ReadonlyMap<string, ShownTransfer>,
  tools: DeliveryTools,
): Verdict | null {
  const { transfer } = due.row.progress;
  const shown = shownOf(due.row, listed);
  if (transfer === null || shown === null) return null;
  // A confirmed payout that shows as `created` is a look that lags, or a case for a person.
  if (shown.value.status === 'created' || !isSameTransfer(transfer, shown.value)) return null;
  const verdict = judgeTransfer(due.row.progress, shown.value, lookOf(due, tools, shown.serverTime));
  return isPlain(verdict) ? verdict : null;
}

/** Null where the list shows nothing of the row's transfer, or a given-up attempt has to be looked at, too. */
function shownOf({ progress }: RowRecord, listed: ReadonlyMap<string, ShownTransfer>): ShownTransfer | null {
  const { transfer, deadAttempts } = progress;
  if (transfer === null || deadAttempts.length > 0) return null;
  return listed.get(keyOf(transfer)) ?? null;
}

/** On its way, paid or failed: nothing that somebody has to look at more closely. */
function isPlain(verdict: Verdict): boolean {
  if (verdict.kind === 'advanced') return verdict.stage === 'paid';
  return verdict.kind === 'waiting' || (verdict.kind === 'refused' && verdict.stage === 'failed');
}

/** Those that are still on their way stay together, or the next look would be at each by itself. */
function atOnce(verdicts: readonly Verdict[]): (verdict: Verdict) => Verdict {
  const waits = verdicts.flatMap((verdict) => (verdict.kind === 'waiting' ? verdict.lookAgainMs : []));
  const lookAgainMs = waits.reduce((least, ms) => Math.min(least, ms), Infinity);
  return (verdict) => (verdict.kind === 'waiting' ? { ...verdict, lookAgainMs } : verdict);
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
