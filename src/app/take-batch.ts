// The door: a path becomes a batch that the ledger knows and whose files are ours, or a plain no.
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { isoTime } from '../base/clock.ts';
import { answerName, batchName, fileIdOf, occurrenceOf } from '../inbox/batch-name.ts';
import { hashFile } from '../inbox/hash-file.ts';
import { refuseBatch, takeFile } from '../inbox/take-file.ts';
import { isOtherRunHere } from '../ledger/open-ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { publishJson } from '../results/write-results.ts';
import { FileRefused } from '../rows/file-refused.ts';
import type { Paydrop } from './compose.ts';
import { controlBeside, documentsOf, readBatchFile } from './read-batch-file.ts';

export type Taken = { readonly kind: 'taken' | 'repeated'; readonly batch: BatchRecord };

/**
 * Takes a copy of the file and of the documents that its rows name. Throws `FileRefused` for a file that cannot be read.
 * @param again pays bytes once more that were paid before, on purpose.
 */
export async function takeBatch(paydrop: Paydrop, path: string, again: boolean): Promise<Taken> {
  const first = await announced(paydrop, path);
  const batch = again ? await nextOccurrence(paydrop, first) : first;
  const earlier = await paydrop.ledger.batchOfFile(batch.fileId);
  if (earlier !== null && !isNothing(paydrop, earlier)) {
    return { kind: 'repeated', batch: await tellDuplicate(paydrop, basename(path), earlier) };
  }
  const read = await readBatchFile(path, paydrop.config);
  // A refusal that was cut short must not leave its files among those of the new batch.
  if (earlier?.state === 'refused') await refuseBatch(earlier.id, paydrop.workspace);
  // Known to the ledger first: whatever lies in `processing/` is then always somebody's.
  const winner = await paydrop.ledger.addBatch({ ...batch, rows: read.table.rowCount }, (other) =>
    isNothing(paydrop, other),
  );
  if (winner !== null)
    return { kind: 'repeated', batch: await tellDuplicate(paydrop, basename(path), winner) };
  const file = await takeFile(path, batch.sha256, batch.id, paydrop.workspace);
  if (file === null) {
    await paydrop.ledger.dropBatch(batch.id);
    throw new FileRefused('file_changed', 'The file changed while it was being taken.');
  }
  await documentsOf(paydrop.workspace, path, read, file.folder);
  const control = controlBeside(path);
  if (control !== null) await copyFile(control, join(file.folder, basename(control)));
  await paydrop.ledger.changeBatch(batch.id, { state: 'reading' });
  return { kind: 'taken', batch: { ...batch, rows: read.table.rowCount, state: 'reading' } };
}

/** The batch under the next free occurrence; under the last one while that is not finished, so that nobody pays twice out of impatience. */
async function nextOccurrence({ ledger }: Paydrop, batch: BatchRecord): Promise<BatchRecord> {
  const same = (await ledger.batches()).filter(
    ({ sha256, state }) => sha256 === batch.sha256 && state !== 'refused',
  );
  const open = same.find(({ state }) => state !== 'closed');
  if (open !== undefined) return { ...batch, fileId: open.fileId, id: open.id };
  const last = Math.max(0, ...same.map(({ fileId }) => occurrenceOf(fileId)));
  return atOccurrence(batch, last + 1);
}

/** The record of the same file at another occurrence. */
export function atOccurrence(batch: BatchRecord, occurrence: number): BatchRecord {
  const fileId = fileIdOf(batch.sha256, occurrence);
  return { ...batch, fileId, id: batchName(fileId, batch.acceptedAt) };
}

/** One that was refused, or whose taking was cut short, does not stand in the way of its own bytes. */
export function isNothing({ ledger }: Paydrop, { state, takenBy }: BatchRecord): boolean {
  return state === 'refused' || (state === 'taking' && !isOtherRunHere(takenBy, ledger.run));
}

/** The record of a batch that is about to be taken. Throws when the file cannot be opened. */
export async function announced(
  { clock, config, isSandbox, ledger }: Paydrop,
  path: string,
): Promise<BatchRecord> {
  const sha256 = await hashFile(path).catch((error: unknown) => {
    throw new FileRefused('unreadable', 'The file cannot be opened.', { cause: error });
  });
  const acceptedAt = isoTime(clock.now());
  return {
    id: batchName(sha256, acceptedAt),
    fileId: sha256,
    sha256,
    fileName: basename(path),
    state: 'taking',
    takenBy: ledger.run,
    paused: false,
    waitingFor: null,
    waitingWords: null,
    onInvalidRows: config.policy.onInvalidRows,
    whole: config.policy.strategy === 'reserve-then-confirm' ? 'reserving' : null,
    sandbox: isSandbox,
    rows: 0,
    contentFingerprint: null,
    acceptedAt,
    startedAt: acceptedAt,
    finishedAt: null,
  };
}

/** Nothing is sent for the same bytes again; their owner is told when they came first. */
async function tellDuplicate(
  { workspace }: Paydrop,
  fileName: string,
  earlier: BatchRecord,
): Promise<BatchRecord> {
  const name = answerName(fileName, earlier.id, 'duplicate', 'json');
  await publishJson({ outbox: workspace.outbox, folder: null }, name, {
    batch: earlier.id,
    file: { name: fileName, sha256: earlier.sha256 },
    code: 'same_bytes',
    reason: `The same file was taken on ${earlier.acceptedAt.slice(0, 10)} as ${earlier.fileName}. Nothing was sent.`,
    earlier: { batch: earlier.id, acceptedAt: earlier.acceptedAt, file: earlier.fileName },
  });
  return earlier;
}
