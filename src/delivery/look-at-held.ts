// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.
import { batchRows } from '../ledger/batch-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { mayEnd } from '../payouts/hold.ts';
import { withForeign } from '../payouts/progress.ts';
import { Unavailable, type Fault } from '../service/errors.ts';
import { reconcile } from './reconcile.ts';
import type { RunEnd } from './runner.ts';
import type { DeliveryTools } from './tools.ts';

/** Looks once at the held rows of a batch, before it goes on. Nothing is sent; a service that refuses the key is asked nothing more. */
export async function lookAtHeldRows(
  ledger: Ledger,
  { id, fileId }: Pick<BatchRecord, 'id' | 'fileId'>,
  tools: DeliveryTools,
): Promise<RunEnd> {
  if (((await ledger.stageCounts(id)).get('held') ?? 0) === 0) return { kind: 'done' };
  // A row that cannot be looked at now is looked at by the next resume.
  const end = await reconcile(heldRows(ledger, id), { ledger, tools, fileId, endsAll: isKeyRefused });
  return end === null ? { kind: 'done' } : { kind: 'credentials' };
}

function isKeyRefused(fault: Fault): boolean {
  return fault instanceof Unavailable && fault.reason === 'credentials';
}

async function* heldRows(ledger: Ledger, batch: string): AsyncGenerator<RowRecord> {
  for await (const row of batchRows(ledger, batch)) if (mayHaveMoved(row)) yield row;
}

function mayHaveMoved({ payout, progress }: RowRecord): boolean {
  const { hold, transfer, finalAt, begunBy } = withForeign(progress);
  // One that had ended, and was changed by the service, waits for a person who knows why.
  if (hold === null || finalAt !== null) return false;
  if (payout !== null && transfer !== null) return mayEnd(hold);
  // Of a row that nobody vouches for one may have been sent before, though none is on record, or no payment can be read; what has come back to life is for a person first.
  return begunBy === null && hold.code !== 'transfer_reinstated';
}
