// From a taken file to an accepted batch: every row is validated and registered, held against all other batches, and priced where that decides
// whether the file is accepted.
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isCancelled } from '../../../payouts/cancellation.ts';
import { readDocumentList } from '../../../inbox/documents.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { listGone } from '../../parts/command-errors.ts';
import { describeFault, waitForService } from '../../parts/wait-for-service.ts';
import { fitWhole } from '../all-or-nothing/whole-in-time.ts';
import { carryRows, tellWaiting } from '../send/pay-batch.ts';
import { raiseEpoch } from '../epoch.ts';
import { refuseFile, refuseForRows, unreadable } from '../take/refuse-file.ts';
import { unfinished, waiting } from '../unfinished-batch.ts';
import { MOVED, told, type Step, type Work } from '../work.ts';
import { acknowledge, wasAcknowledged } from './acknowledge.ts';
import { crossCheck } from './cross-check.ts';
import { registerBatch } from './register-batch.ts';
import { isBeingRead } from '../../../ledger/batch-states.ts';

/** Where it was cut short it goes on behind the last row that was checked: others have been held against those. */
export async function checkRows(work: Work): Promise<Step> {
  const { paydrop, batch } = work;
  const stopped = isBeingRead(batch) ? await register(work) : null;
  if (stopped !== null) return stopped;
  await crossCheck(paydrop, batch, { state: 'pricing' });
  return MOVED;
}

/** Every row is validated and registered. */
async function register(work: Work): Promise<Step | null> {
  const { paydrop, batch, file, read, control } = work;
  const documents = await readDocumentList(file.folder);
  if (documents === null) throw listGone(batch.id);
  const registered = await waitForService(paydrop, control, () =>
    registerBatch(paydrop, batch, read, documents),
  ).catch((error: unknown) => {
    if (error instanceof FileRefused) return { refusal: error };
    throw error;
  });
  if ('refusal' in registered) return told(await refuseFile(paydrop, batch, unreadable(registered.refusal)));
  if ('fault' in registered) return told(await waiting(paydrop, batch, describeFault(registered.fault)));
  const { rejected } = registered.value;
  if (rejected > 0 && batch.onInvalidRows === 'refuse-file')
    return told(await refuseForRows(paydrop, batch, read, rejected));
  return null;
}

/** The file is accepted; where one wrong row refuses it whole, rows whose bounds only a quotation tells are quoted before that. */
export async function priceAndAccept(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  if (batch.onInvalidRows === 'refuse-file') {
    const stopped = await price(work);
    if (stopped !== null) return stopped;
  }
  const fit = await waitForService(paydrop, control, () => fitWhole(paydrop, batch));
  if ('fault' in fit) return told(await waiting(paydrop, batch, describeFault(fit.fault)));
  const pace = fit.value;
  if (pace instanceof FileRefused) return told(await refuseFile(paydrop, batch, unreadable(pace)));
  // The answer first: a batch that is being paid has been acknowledged, whatever happens in between.
  await acknowledge(paydrop, batch);
  await paydrop.ledger.moveOn(batch.id, 'pricing', 'accepted');
  await raiseEpoch(paydrop, batch.id);
  return { kind: 'moved', pace };
}

async function price({ paydrop, batch, read, control }: Work): Promise<Step | null> {
  // Killed between the acknowledgement and the state: its owner was told that the file is accepted, so it is.
  if (await wasAcknowledged(paydrop, batch)) return null;
  const end = await carryRows(paydrop, batch, 'priced', control);
  const rejected = await rowsToFix(paydrop, batch.id);
  if (rejected > 0) return told(await refuseForRows(paydrop, batch, read, rejected));
  if (end.kind === 'done') return null;
  await tellWaiting(paydrop, batch, end);
  return told(await unfinished(paydrop, batch));
}

/** Rows that are wrong; what a person has cancelled by now is no fault of the file. */
async function rowsToFix({ ledger }: Work['paydrop'], id: string): Promise<number> {
  if (!(await ledger.stageCounts(id)).has('rejected')) return 0;
  let count = 0;
  for await (const { progress } of batchRows(ledger, id))
    if (progress.stage === 'rejected' && !isCancelled(progress.errorCode)) count += 1;
  return count;
}
