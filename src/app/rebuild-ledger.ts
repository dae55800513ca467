// `rebuild`: recreates what a lost ledger knew of a file, from the file and the service alone. Nothing is paid here.
import { readdir } from 'node:fs/promises';

import { batchName } from '../inbox/batch-name.ts';
import { findTakenFile, takeFile, type InboxFile } from '../inbox/take-file.ts';
import type { Workspace } from '../inbox/workspace.ts';
import { probeAttempts, type ProbedAttempts } from '../delivery/probe-attempts.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { FRESH, type Progress } from '../payouts/progress.ts';
import { contentFingerprint } from '../rows/content-fingerprint.ts';
import type { ReadFile } from '../rows/read-file.ts';
import { FileRefused } from '../rows/file-refused.ts';
import { acknowledge } from './acknowledge.ts';
import type { Paydrop } from './compose.ts';
import { batchOf } from './finish-batch.ts';
import { carryRows, deliveryTools } from './pay-batch.ts';
import { documentsOf, readBatchFile } from './read-batch-file.ts';
import { registerBatch } from './register-batch.ts';
import type { RunControl } from './run-options.ts';
import { announced, isNothing } from './take-batch.ts';

/** Attempts that are looked for at the same time. */
const PROBES_MOST = 16;

export type Rebuilt = { readonly batch: BatchRecord; readonly found: number; readonly isKnown: boolean };

/** Rebuilds one file. Throws `FileRefused`, or a `Fault` when the service cannot tell. */
export async function rebuildFile(paydrop: Paydrop, path: string, control: RunControl): Promise<Rebuilt> {
  const { ledger } = paydrop;
  const draft = await announced(paydrop, path);
  const known = await ledger.batchOfFile(draft.fileId);
  if (known !== null && !isNothing(paydrop, known)) return { batch: known, found: 0, isKnown: true };
  const read = await readBatchFile(path, paydrop.config);
  const attempts = await probeRows(paydrop, draft, read);
  const acceptedAt = await acceptanceOf(paydrop.workspace, draft, attempts);
  const batch = {
    ...draft,
    acceptedAt,
    startedAt: acceptedAt,
    id: batchName(draft.fileId, acceptedAt),
    rows: read.table.rowCount,
  };
  await ledger.addBatch(batch, (earlier) => isNothing(paydrop, earlier));
  const file = await placeFile(paydrop.workspace, batch, path);
  const documents = await documentsOf(paydrop.workspace, path, read, file.folder);
  await ledger.changeBatch(batch.id, {
    state: 'reading',
    contentFingerprint: await contentFingerprint(read),
  });
  await registerBatch(paydrop, batch, read, documents, (place) => startOf(attempts.get(place)));
  await acknowledge(paydrop, batch);
  await ledger.changeBatch(batch.id, { state: 'paying' });
  await carryRows(paydrop, batch, 'found', { ...control, waitMs: 0 });
  const found = [...attempts.values()].filter(({ firstCreatedAt }) => firstCreatedAt !== null).length;
  return { batch: await batchOf(paydrop, batch.id), found, isKnown: false };
}

async function probeRows(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
): Promise<ReadonlyMap<string, ProbedAttempts>> {
  const tools = deliveryTools(paydrop, batch);
  const attempts = new Map<string, ProbedAttempts>();
  let places: string[] = [];
  const probeAll = async (): Promise<void> => {
    const probed = await Promise.all(places.map((place) => probeAttempts(batch.fileId, place, tools)));
    for (const [index, place] of places.entries()) attempts.set(place, probed[index] ?? NOTHING_FOUND);
    places = [];
  };
  for await (const { place } of read.rows()) {
    places.push(place);
    if (places.length >= PROBES_MOST) await probeAll();
  }
  await probeAll();
  return attempts;
}

const NOTHING_FOUND: ProbedAttempts = { transferAttempt: 1, deadAttempts: [], firstCreatedAt: null };

/** Another run may have confirmed whatever exists, and may have created what cannot be seen yet. */
function startOf({ transferAttempt, deadAttempts }: ProbedAttempts = NOTHING_FOUND): Progress {
  return { ...FRESH, transferAttempt, deadAttempts, mayBeConfirmed: true, unsure: true };
}

/** The day in the batch's own name where its folder stands, else that of its first transfer. */
async function acceptanceOf(
  { processing }: Workspace,
  draft: BatchRecord,
  attempts: ReadonlyMap<string, ProbedAttempts>,
): Promise<string> {
  const suffix = draft.fileId.slice(0, 8);
  const folder = (await readdir(processing)).find((name) => name.endsWith(`-${suffix}`));
  if (folder !== undefined)
    return `${folder.slice(0, 4)}-${folder.slice(4, 6)}-${folder.slice(6, 8)}T00:00:00.000Z`;
  const created = [...attempts.values()]
    .map(({ firstCreatedAt }) => firstCreatedAt)
    .filter((time) => time !== null);
  return created.sort()[0] ?? draft.acceptedAt;
}

/** The copy that still stands in processing, or a new one. */
async function placeFile(workspace: Workspace, batch: BatchRecord, path: string): Promise<InboxFile> {
  const { id, fileName, sha256 } = batch;
  const standing = await findTakenFile(fileName, sha256, id, workspace);
  if (standing !== null) return standing;
  const file = await takeFile(path, sha256, id, workspace);
  if (file === null) throw new FileRefused('file_changed', 'The file changed while it was being taken.');
  return file;
}
