// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.
import pLimit from 'p-limit';

import { batchRows } from '../ledger/batch-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { unvouched } from '../payouts/attempt.ts';
import { externalId } from '../payouts/external-id.ts';
import { mayEnd } from '../payouts/hold.ts';
import { isFault, Unavailable } from '../service/errors.ts';
import {
  isSettled,
  judgeHeld,
  lookToClose,
  moved,
  stillCreated,
  waitsWhereItIs,
  type AskedRow,
  type Seen,
} from './look-to-close.ts';
import { readByExternalIds, readTransfers } from './read-transfers.ts';
import { transferExternalId } from './requests.ts';
import type { RunEnd } from './runner.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** Looks once at the held rows of a batch, before it goes on. Nothing is sent; a service that refuses the key is asked nothing more. */
export async function lookAtHeldRows(
  ledger: Ledger,
  { id, fileId }: Pick<BatchRecord, 'id' | 'fileId'>,
  tools: DeliveryTools,
): Promise<RunEnd> {
  if (((await ledger.stageCounts(id)).get('held') ?? 0) === 0) return { kind: 'done' };
  const lanes = pLimit(tools.rateControl.lanes('read'));
  const key = { isRefused: false };
  const look = async (row: RowRecord): Promise<void> => {
    if (!key.isRefused)
      key.isRefused =
        (await lookAndRecord(ledger, { fileId, row, run: ledger.run }, tools)) === 'key refused';
  };
  for await (const rows of pagesOfHeld(ledger, id)) {
    // One finds out whether the key is taken.
    for (const row of rows.slice(0, 1)) await look(row);
    await Promise.all(rows.slice(1).map((row) => lanes(() => look(row))));
    if (key.isRefused) return { kind: 'credentials' };
  }
  return { kind: 'done' };
}

const PAGE_ROWS = 500;

async function* pagesOfHeld(ledger: Ledger, batch: string): AsyncGenerator<readonly RowRecord[]> {
  let page: RowRecord[] = [];
  for await (const row of batchRows(ledger, batch)) {
    if (row.progress.hold !== null) page.push(row);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  yield page;
}

async function lookAndRecord(
  ledger: Ledger,
  asked: AskedRow,
  tools: DeliveryTools,
): Promise<'looked' | 'key refused'> {
  try {
    const seen = await lookAtHeld(asked, tools);
    if (seen !== null) await ledger.record(asked.row, { ...seen, keepClaim: false });
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error instanceof Unavailable && error.reason === 'credentials') return 'key refused';
    // Whoever cannot be asked now is asked by the next resume.
  }
  return 'looked';
}

/** What the look changes: the move of a row whose transfer is on its way or at its end, or what a person's decision will rest on. Throws a `Fault`. */
async function lookAtHeld({ fileId, row, run }: AskedRow, tools: DeliveryTools): Promise<Seen | null> {
  const { payout, progress } = row;
  const { hold, transfer, finalAt } = progress;
  // One that had ended, and was changed by the service, waits for a person who knows why.
  if (hold === null || finalAt !== null) return null;
  if (payout === null || transfer === null) return lookAtUnsent({ fileId, row, run }, tools);
  if (!mayEnd(hold)) return null;
  const due: DueRow = { fileId, row: { ...row, payout, progress: unvouched(progress) }, run };
  const { value, serverTime } = await tools.serviceClock.ask(() =>
    tools.service.transfer(transfer.transferId),
  );
  const isOurs =
    value.id === transfer.transferId && value.externalId.toLowerCase() === transferExternalId(due);
  if (!isOurs) return null;
  if (value.status === 'created') return stillCreated(due, transfer, serverTime);
  const verdict = await judgeHeld(due, { value, serverTime }, tools);
  return isSettled(verdict) ? moved(progress, verdict, tools) : waitsWhereItIs(progress, verdict);
}

/** Of a row that a rebuild left without a transfer, or without a payment to read, one may have been sent before the ledger was lost. */
async function lookAtUnsent(asked: AskedRow, tools: DeliveryTools): Promise<Seen | null> {
  const { transfer, transferAttempt, rebuiltAt, hold } = asked.row.progress;
  // What has come back to life is for a person first, whatever else has been paid.
  if (rebuiltAt === null || hold?.code === 'transfer_reinstated') return null;
  const id = externalId(asked.fileId, asked.row.row, 'transfer', transferAttempt);
  const [shown = null] =
    transfer === null
      ? await readByExternalIds(tools, [id], 1)
      : (await readTransfers(tools, [transfer], 1)).values();
  return shown === null ? null : (await lookToClose(asked, shown, tools)).seen;
}
