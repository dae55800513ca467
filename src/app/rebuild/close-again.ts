// What a person closed unpaid stands beside the file and outlives every ledger: after a rebuild, and where an older ledger that was put back
// would send or hold it once more, it is closed again in the same words, once the service has shown that it was not paid.
import { readClosedUnpaid } from '../../inbox/closed-unpaid.ts';
import { standingFolder } from '../../inbox/workspace.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import type { RowRecord } from '../../ledger/records.ts';
import type { Words } from '../../base/language.ts';
import { closedUnpaid } from '../../payouts/closed-unpaid.ts';
import { BEFORE_CONFIRM } from '../../payouts/lifecycle.ts';
import type { Progress } from '../../payouts/progress.ts';
import { isFault } from '../../service/errors.ts';
import { mayClose } from '../close-in-time.ts';
import type { Paydrop } from '../compose.ts';
import { batchOf } from '../finish-batch.ts';
import { lookBeforeClosing, type Looked } from '../look-before-closing.ts';

/** Holds what else would be sent, and closes again what can be. */
export async function closeAgain(paydrop: Paydrop, id: string): Promise<void> {
  const { ledger, workspace } = paydrop;
  const folder = await standingFolder(workspace, id);
  const listed = folder === null ? [] : await readClosedUnpaid(folder);
  if (listed.length === 0) return;
  const reasons = new Map(listed.map(({ row, reason }) => [row, reason]));
  await holdFirst(paydrop, id, reasons);
  const isAsked = (row: RowRecord): boolean => reasons.has(row.row) && isToClose(row.progress);
  const looked = await lookOrNothing(paydrop, id, isAsked);
  for await (const row of batchRows(ledger, id)) {
    const reason = reasons.get(row.row);
    if (reason === undefined || !isToClose(row.progress)) continue;
    if (looked.quiet.has(row.row) && mayCloseAgain(row, looked))
      await write(paydrop, row, { ...row.progress, ...closedUnpaid(reason) }, 'closed unpaid before');
  }
}

async function holdFirst(paydrop: Paydrop, id: string, reasons: ReadonlyMap<string, Words>): Promise<void> {
  for await (const row of batchRows(paydrop.ledger, id)) {
    const reason = reasons.get(row.row);
    if (reason !== undefined && BEFORE_CONFIRM.has(row.progress.stage))
      await write(paydrop, row, heldFor(row.progress, reason), 'held: closed before');
  }
}

/** Where the service does not tell, nothing is closed. */
async function lookOrNothing(
  paydrop: Paydrop,
  id: string,
  isAsked: (row: RowRecord) => boolean,
): Promise<Looked> {
  try {
    return await lookBeforeClosing(paydrop, await batchOf(paydrop, id), isAsked);
  } catch (error) {
    if (!isFault(error)) throw error;
    return { quiet: new Set(), followed: [], at: -Infinity, timeless: new Set() };
  }
}

function isToClose({ stage, finalAt, confirmedAt }: Progress): boolean {
  return stage === 'held' && finalAt === null && confirmedAt === null;
}

/** Of what nobody has seen a transfer of, and of what a rebuild has just looked for, the word of the person still stands. */
function mayCloseAgain(row: RowRecord, looked: Looked): boolean {
  const { transfer, heldCode } = row.progress;
  return transfer === null || heldCode === 'rebuilt_unsent' || mayClose(row, looked);
}

/** What has a transfer waits until nothing can confirm it any more. */
function heldFor(progress: Progress, reason: Words): Progress {
  const code = progress.transfer === null ? 'rebuilt_unsent' : 'confirm_uncertain';
  return { ...progress, stage: 'held', heldCode: code, errorCode: code, reason };
}

async function write({ ledger }: Paydrop, row: RowRecord, progress: Progress, event: string): Promise<void> {
  await ledger.record(row, { progress, dueAt: null, keepClaim: false, event });
}
