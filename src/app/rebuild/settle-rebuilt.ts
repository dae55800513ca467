// After a rebuild, once every lost batch stands again: their rows are held against each other, oldest batch first, as they were when the files
// first came, and what an older ledger knew as open against them. Only then may anything be sent.
import { readClosedUnpaid } from '../../inbox/closed-unpaid.ts';
import { archiveFolder, standingFolder } from '../../inbox/workspace.ts';
import { isOtherRunHere } from '../../ledger/open-ledger.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { acknowledge } from '../acknowledge.ts';
import type { Paydrop } from '../compose.ts';
import { crossCheck, crossCheckClosed, isUnsent } from '../checks/cross-check.ts';
import { checkOpenAgain, OPEN } from './check-open-again.ts';
import { untilOf } from './held-unseen.ts';
import { settleUnseen } from './settle-unseen.ts';
import { closedUnpaid } from '../../payouts/closed-unpaid.ts';

type Held = Pick<Paydrop, 'ledger' | 'workspace'>;

/** Brings all rebuilt batches to where they can be paid, and closes what was closed unpaid beside its file. To be called once the ledger knows all. */
export async function settleRebuilt(paydrop: Paydrop): Promise<void> {
  const { ledger, workspace } = paydrop;
  await checkOpenAgain(paydrop);
  for (const seen of await ledger.batches()) {
    const { id, state, takenBy } = seen;
    if (state !== 'rebuilt' || isOtherRunHere(takenBy, ledger.run)) continue;
    const batch = await ledger.takeOver(id, seen);
    if (batch === null) continue;
    const wasClosed = (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
    // What was closed is answered already.
    if (!wasClosed) await acknowledge(paydrop, batch);
    await (wasClosed ? crossCheckClosed : crossCheck)(paydrop, batch, {
      state: wasClosed || (await hasBegun(paydrop, id)) ? 'paying' : 'accepted',
      unseenUntil: untilOf(batch, paydrop),
    });
  }
  // Only now: a row that was held because of one that was closed later has met it once more.
  for (const { id, state } of await ledger.batches()) if (OPEN.has(state)) await closeAgain(paydrop, id);
  await settleUnseen(paydrop);
}

/** What has a transfer was let go before the ledger was lost, and is followed to its end whatever it waited for then. */
async function hasBegun({ ledger }: Held, batch: string): Promise<boolean> {
  for await (const { progress } of batchRows(ledger, batch)) if (progress.transfer !== null) return true;
  return false;
}

/** What a person had closed unpaid is closed again, in the same words: after a rebuild, and where an older ledger that was put back would send it. */
async function closeAgain({ ledger, workspace }: Held, batch: string): Promise<void> {
  const folder = await standingFolder(workspace, batch);
  const closed = new Map(
    (folder === null ? [] : await readClosedUnpaid(folder)).map(({ row, reason }) => [row, reason]),
  );
  if (closed.size === 0) return;
  for await (const row of batchRows(ledger, batch)) {
    const reason = closed.get(row.row);
    if (reason === undefined || !(row.progress.heldCode === 'rebuilt_unsent' || isUnsent(row.progress)))
      continue;
    const progress = { ...row.progress, ...closedUnpaid(reason) };
    await ledger.record(row, {
      progress,
      dueAt: null,
      keepClaim: false,
      event: 'closed unpaid before',
    });
  }
}
