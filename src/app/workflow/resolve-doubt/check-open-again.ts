// An older ledger that was put back knows of open batches as if nothing had come after them: what was rebuilt since may have paid the same, and
// so they are held against it before anything more of them is sent.
import { isRebuilt, PAYING, type BatchState } from '../../../ledger/batch-states.ts';
import { isOtherRunHere } from '../../../ledger/open-ledger.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { crossCheckAgain } from '../check/cross-check.ts';
import type { Paydrop } from '../../parts.ts';
import { untilOf } from './held-unseen.ts';

/** Checked already, and what is left of them is still to be sent or confirmed. */
export const OPEN: ReadonlySet<BatchState> = new Set<BatchState>(['pricing', 'accepted', ...PAYING]);

/** To be done while those are still resolving: cut short, it is then done again. Until they are settled, only their transfers count. */
export async function checkOpenAgain(paydrop: Paydrop): Promise<void> {
  const batches = await paydrop.ledger.batches();
  const lost = batches.filter(isRebuilt);
  const rebuilt = new Set(lost.map(({ id }) => id));
  if (rebuilt.size === 0) return;
  const unseenUntil = lost
    .map((batch) => untilOf(batch, paydrop))
    .toSorted()
    .at(-1);
  for (const { id } of batches) await checkAgain(paydrop, id, { rebuilt, unseenUntil });
}

type Lost = { readonly rebuilt: ReadonlySet<string>; readonly unseenUntil: string | undefined };

async function checkAgain(paydrop: Paydrop, id: string, lost: Lost): Promise<void> {
  const { ledger } = paydrop;
  const seen = await ledger.batch(id);
  if (seen === null || !OPEN.has(seen.state) || isElsewhere(paydrop, seen)) return;
  const counts = await ledger.stageCounts(id);
  if (![...BEFORE_CONFIRM].some((stage) => (counts.get(stage) ?? 0) > 0)) return;
  const batch = await ledger.takeOver(id, seen);
  // Moved on, or paused, at this very moment: looked at as it stands now.
  if (batch === null) return checkAgain(paydrop, id, lost);
  // From the first row on, also where an earlier check of this kind was cut short.
  await ledger.changeBatch(id, { checked: undefined, unseenUntil: lost.unseenUntil });
  await crossCheckAgain(paydrop, batch, lost.rebuilt);
}

/** Until it is being paid a batch is one process' business, and that one has looked at what was rebuilt too. */
function isElsewhere({ ledger }: Paydrop, { state, takenBy }: BatchRecord): boolean {
  return !PAYING.has(state) && isOtherRunHere(takenBy, ledger.run);
}
