// Looks at many submitted payouts by the list at once: a hundred a call. What the list shows as we sent it, still on its way or at its end, is
// settled by that; everything else, also a service that does not list, is left to be read one by one.
import type { Verdict } from '../payouts/verdict.ts';
import { judgeTransfer } from './judge-transfer.ts';
import { isSameTransfer, keyOf, listedWhereTold, listLeastOf, type ShownTransfer } from './observe.ts';
import { lookOf, type DeliveryTools, type DueRow } from './tools.ts';

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
  const { transfer, deadAttempts } = due.row.progress;
  const shown = transfer === null ? undefined : listed.get(keyOf(transfer));
  if (transfer === null || shown === undefined || deadAttempts.length > 0) return null;
  // What is confirmed and shows as `created` is a look that lags, or something for a person.
  if (shown.value.status === 'created' || !isSameTransfer(transfer, shown.value)) return null;
  const verdict = judgeTransfer(due.row.progress, shown.value, lookOf(due.run, tools, shown.serverTime));
  return isPlain(verdict) ? verdict : null;
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
