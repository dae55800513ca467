// Rows are cancelled by what the service shows now: a ledger that says nothing of a payment may be an older copy that was put back.
import { reconcile } from '../../../delivery/reconcile.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Progress } from '../../../payouts/progress.ts';
import { Refused, type Fault } from '../../../service/errors.ts';
import { wasAcknowledged } from '../check/acknowledge.ts';
import { isFenced, type LookedWhen } from './close-in-time.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../send/pay-batch.ts';
import { earliestAt, momentOf } from '../../parts/time-at-service.ts';

/** By row identity. What is in neither could not be told, and has to be looked at again. */
export type Looked = LookedWhen & {
  /** The service shows nothing of them that has gone further than `created`. */
  readonly quiet: ReadonlySet<string>;
  /** They were sent after all, and are followed. */
  readonly followed: readonly string[];
};

/** Writes down what it finds. Throws a `Fault` when the service does not tell. */
export async function lookBeforeClosing(
  paydrop: Paydrop,
  batch: BatchRecord,
  isAsked: (row: RowRecord) => boolean,
): Promise<Looked> {
  const { ledger, serviceClock } = paydrop;
  const startedAt = momentOf(paydrop);
  const quiet = new Set<string>();
  const followed: string[] = [];
  const stillCreated = new Set<string>();
  const isSent = await mayHaveBeenSent(paydrop, batch);
  async function* askedRows(): AsyncGenerator<RowRecord> {
    for await (const row of batchRows(ledger, batch.id)) {
      if (!isAsked(row)) continue;
      // What time alone decides needs the time that a look tells.
      if (isSent || hasTransfer(row.progress) || isFenced(row.progress)) yield row;
      else quiet.add(row.row);
    }
  }
  const tools = deliveryTools(paydrop, batch);
  const fault = await reconcile(
    askedRows(),
    { ledger, tools, fileId: batch.fileId, endsAll: isOfAll },
    ({ row }, { is, isStillCreated }) => {
      if (is === 'quiet') quiet.add(row);
      if (is === 'quiet' && isStillCreated === true) stillCreated.add(row);
      if (is === 'followed') followed.push(row);
    },
  );
  if (fault !== null) throw fault;
  const timeless = serviceClock.earliestNow() === null ? stillCreated : new Set<string>();
  return { quiet, followed, at: earliestAt(paydrop, startedAt), timeless };
}

/** What the service will not tell of one row says nothing of the others. */
function isOfAll(fault: Fault): boolean {
  return !(fault instanceof Refused);
}

/** What was never accepted no ledger can have sent. A time that has not come proves nothing: the clock may have been ahead of this one when it was paid. */
async function mayHaveBeenSent(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  // A folder that was carried away proves nothing.
  const isAway = (await standingFolder(paydrop.workspace, batch.id)) === null;
  return isAway || wasAcknowledged(paydrop, batch);
}

function hasTransfer({ transfer, deadAttempts, confirm }: Progress): boolean {
  return transfer !== null || deadAttempts.length > 0 || confirm !== 'none';
}
