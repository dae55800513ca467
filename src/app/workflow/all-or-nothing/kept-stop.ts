// That a file which is paid whole or not at all was stopped, kept beside it: the service does not tell it, and a ledger that is made anew, or an older
// copy that is put back, would pay the rows of which a person has still to decide.
import { standingOf } from '../../../delivery/reserved.ts';
import { readNote, writeNote } from '../../../inbox/batch-note.ts';
import { standingFolder, type Workspace } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Learned } from '../../../payouts/verdict.ts';
import type { Paydrop } from '../../parts.ts';
import { STOP_NOTE, type KeptStop, type RefusedRow } from './stop-note.ts';
import { surveyWhole } from './survey-whole.ts';
import { refusedWords } from './whole-words.ts';

/** Null for a file that was not stopped. */
export function keptStop(workspace: Workspace, { id }: Pick<BatchRecord, 'id'>): Promise<KeptStop | null> {
  return inFolder(workspace, id, read);
}

/** To be awaited before anything of a stopped file is sent; durable when it resolves. What was kept before stays as it is. */
export async function keepStop(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { workspace } = paydrop;
  if ((await keptStop(workspace, batch)) !== null) return;
  const refused = refusedWords(await surveyWhole(paydrop, batch));
  const kept: KeptStop = { refused, rows: await neverSent(paydrop, batch) };
  const write = async (folder: string): Promise<true> => {
    await writeNote(folder, STOP_NOTE, kept);
    return true;
  };
  if ((await inFolder(workspace, batch.id, write)) === null)
    throw new Error(`The folder of batch ${batch.id} is in neither processing/ nor archive/.`);
}

async function neverSent(
  { ledger }: Paydrop,
  { id, onInvalidRows }: BatchRecord,
): Promise<readonly RefusedRow[]> {
  const rows: RefusedRow[] = [];
  for await (const found of batchRows(ledger, id)) {
    const { errorCode, reason, stage } = found.progress;
    if (stage === 'rejected' && standingOf(found, onInvalidRows) === 'refused')
      rows.push({ row: found.row, errorCode, reason });
  }
  return rows;
}

/** What the row was told when the file was stopped; null for any other, and for one of which something may stand at the service. */
export function refusedBefore(kept: KeptStop | null, { row, progress }: RowRecord): Learned | null {
  const { transfer, lookedBy } = progress;
  if (transfer !== null || lookedBy === null) return null;
  const told = kept?.rows.find((refused) => refused.row === row);
  return told === undefined ? null : { errorCode: told.errorCode, reason: told.reason };
}

function read(folder: string): Promise<KeptStop | null> {
  return readNote(folder, STOP_NOTE);
}

/** Null where there is no such file, or no such folder. */
async function inFolder<T>(
  workspace: Workspace,
  id: string,
  work: (folder: string) => Promise<T>,
): Promise<T | null> {
  for (;;) {
    const folder = await standingFolder(workspace, id);
    const done = folder === null ? null : await work(folder).catch(noneThere);
    // Another process may have archived it under our eyes.
    if (done !== null || (await standingFolder(workspace, id)) === folder) return done;
  }
}

function noneThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
