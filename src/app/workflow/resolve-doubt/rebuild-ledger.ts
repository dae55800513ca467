// `rebuild`: recreates what a lost ledger knew of a file, from the file, its folder and the service. Nothing is paid here, and nothing is
// decided: what other lost batches have paid is not known before all of them stand again.
import type { Words } from '../../../base/language.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { occurrenceIn, type Occurrence } from '../../../inbox/batch-name.ts';
import { manifestEpoch, standingManifest } from '../../../inbox/manifest.ts';
import { readDocumentList } from '../../../inbox/documents.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { isOtherRunHere } from '../../../ledger/open-ledger.ts';
import type { BatchRecord, WholeState } from '../../../ledger/records.ts';
import { acknowledged, wasAcknowledged } from '../check/acknowledge.ts';
import { keptSubmitters } from '../take/submitters.ts';
import type { Paydrop } from '../../parts.ts';
import { batchOf } from '../close/finish-batch.ts';
import { isPauseKept } from '../decisions/pause-again.ts';
import { keepManifest } from '../epoch.ts';
import { isOlderThanReality } from './known-batches.ts';
import { carryRows } from '../send/pay-batch.ts';
import { probeRows, type ProbedRows } from './probe-rows.ts';
import { policyOf } from '../../config/policy.ts';
import type { FileProfile } from '../../config/profile-file.ts';
import { profileFacts, profileDigest, profileFor, takenProfile } from '../take/profile-for.ts';
import { documentsOf, readBatchFile } from '../take/read-batch-file.ts';
import { dateRebuilt } from './date-rebuilt.ts';
import { unseenUntil } from './held-unseen.ts';
import { rejectAsTold } from './reject-as-told.ts';
import { foldersOf, folderOf, nameThatStands, placeFile } from './standing-copy.ts';
import { startRebuilt } from './start-rebuilt.ts';
import { registerBatch } from '../check/register-batch.ts';
import { keptStop } from '../all-or-nothing/kept-stop.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { announced, atOccurrence, isNothing, addUnderFreeName } from '../take/take-batch.ts';
import { RebuildUnfinished } from '../../parts/command-errors.ts';
import { isBeingRebuilt } from '../../../ledger/batch-states.ts';
import { sentence } from '../../../messages/messages.ts';

export type Rebuilt = { readonly batch: BatchRecord; readonly found: number; readonly isKnown: boolean };

/** Rebuilds several files; what is wrong with the folder of one keeps no other waiting. */
export async function rebuildFiles(
  paydrop: Paydrop,
  paths: readonly string[],
  control: RunControl,
): Promise<{ readonly rebuilt: readonly Rebuilt[]; readonly leftOut: readonly Words[] }> {
  const [rebuilt, leftOut]: [Rebuilt[], Words[]] = [[], []];
  for (const path of paths) {
    try {
      rebuilt.push(...(await rebuildFile(paydrop, path, control)));
    } catch (error) {
      if (!(error instanceof BatchFolderFault)) throw error;
      leftOut.push(error.words);
    }
  }
  return { rebuilt, leftOut };
}

/**
 * Rebuilds one file, and every time that its bytes were paid again on purpose. Throws `FileRefused`, `RebuildUnfinished`, or a `Fault` when
 * the service cannot tell.
 */
export async function rebuildFile(
  paydrop: Paydrop,
  path: string,
  control: RunControl,
): Promise<readonly Rebuilt[]> {
  const first = await announced(paydrop, path, null);
  const standing = await standingOccurrences(paydrop.workspace, first.sha256);
  const rebuilt: Rebuilt[] = [];
  for (const occurrence of standing) {
    rebuilt.push(await rebuildOccurrence(paydrop, path, atOccurrence(first, occurrence), control));
  }
  return standing.length > 0 ? rebuilt : [await rebuildOccurrence(paydrop, path, first, control)];
}

/** Which times of these bytes have a folder in the workspace. */
async function standingOccurrences(workspace: Workspace, sha256: string): Promise<readonly Occurrence[]> {
  const folders = await foldersOf(workspace, sha256);
  const found = folders.map(({ batch }) => occurrenceIn(batch, sha256)).filter((found) => found !== null);
  return [...new Set(found)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

async function rebuildOccurrence(
  paydrop: Paydrop,
  path: string,
  typed: BatchRecord,
  control: RunControl,
): Promise<Rebuilt> {
  const { ledger } = paydrop;
  const draft = { ...typed, fileName: await nameThatStands(paydrop.workspace, typed) };
  const known = await ledger.batchOfFile(draft.fileId);
  const isStale = known !== null && (await isOlderThanReality(paydrop, known));
  if (known !== null && !isStale && !mayRebuild(paydrop, known))
    return { batch: known, found: 0, isKnown: true };
  const profile = await standingProfile(paydrop, draft, path);
  const read = await readBatchFile(path, paydrop.config, profile?.profile ?? null);
  const attempts = await probeRows(paydrop, draft, read);
  const dated = await dateRebuilt(paydrop.workspace, draft, attempts);
  const { onInvalidRows, strategy } = policyOf(paydrop.config.policy, profile?.policy);
  const asked = strategy === 'reserve-then-confirm' ? 'reserving' : null;
  const { rowCount: rows } = read.table;
  const stood = await standingManifest(paydrop.workspace, dated.id);
  const payAt = stood?.payAt === undefined ? {} : { payAt: stood.payAt };
  const ofFile = { onInvalidRows, whole: asked, rows, profileDigest: profileDigest(profile) } as const;
  const kept = { ...draft, ...dated, ...payAt, ...ofFile } as const;
  const epoch = Math.max(known?.epoch ?? 0, manifestEpoch(paydrop.workspace, dated.id)) + 1;
  // What was asked and answered is lost: the question comes up anew.
  const added = await addUnderFreeName(
    ledger,
    { ...kept, state: 'resolving', approval: undefined, epoch },
    (earlier) => mayRebuild(paydrop, earlier) || (isStale && earlier.takenBy === known.takenBy),
  );
  if ('winner' in added) return { batch: added.winner, found: 0, isKnown: true };
  const { batch } = added;
  const file = await placeFile(paydrop.workspace, batch, path);
  await keepManifest(paydrop, batch.id, profileFacts(profile));
  const documents =
    (await readDocumentList(file.folder)) ?? (await documentsOf(paydrop, path, read, file.folder));
  const closed = stood?.closed ?? [];
  // Nothing that this ledger does not know of can have been created after now.
  const rebuiltAt = paydrop.serviceClock.latestNow() ?? paydrop.clock.now();
  await registerBatch(paydrop, batch, read, documents, startRebuilt(attempts, closed, rebuiltAt));
  await rejectAsTold(paydrop, batch);
  await lookAtAll(paydrop, batch, control);
  const found = countFound(attempts);
  // Neither acknowledged nor sent: a file with a row to fix is still to be refused whole, where that is the rule.
  const wasAccepted = found > 0 || (await wasAcknowledged(paydrop, batch));
  const whole = await wholeRebuilt(paydrop, batch);
  const named = (await acknowledged(paydrop, batch))?.submittedBy ?? [];
  const submittedBy = [...new Set([...named, ...(await keptSubmitters(paydrop, file.path, path))])];
  await ledger.changeBatch(batch.id, {
    state: wasAccepted ? 'resolving' : 'checking',
    whole,
    // Only now, for nothing of a paused batch is looked at.
    paused: isPauseKept(paydrop.workspace, batch.id),
    ...(wasAccepted ? { unseenUntil: unseenUntil(rebuiltAt) } : {}),
    ...(submittedBy.length === 0 ? {} : { submittedBy }),
  });
  await keepManifest(paydrop, batch.id);
  return { batch: await batchOf(paydrop, batch.id), found, isKnown: false };
}

/** The profile by which the file was read, as its folder tells; where none stands any more, the one that fits now. */
async function standingProfile(
  { workspace, config }: Paydrop,
  draft: BatchRecord,
  path: string,
): Promise<FileProfile | null> {
  const standing = await folderOf(workspace, draft);
  return standing === null ? profileFor(path, config) : takenProfile(workspace, { id: standing.batch });
}

/** Nothing is confirmed before it is decided that all of it is: what has been confirmed shows that it was, unless the file was stopped, and a person let it go. */
async function wholeRebuilt(paydrop: Paydrop, batch: BatchRecord): Promise<WholeState | null> {
  if ((await keptStop(paydrop.workspace, batch)) !== null) return 'reserving';
  const strategy = (await acknowledged(paydrop, batch))?.strategy ?? null;
  if (strategy === 'row-by-row' || (strategy === null && batch.whole === null)) return null;
  const counts = await paydrop.ledger.stageCounts(batch.id);
  return (counts.get('confirmed') ?? 0) + (counts.get('paid') ?? 0) > 0 ? 'confirming' : 'reserving';
}

/** One that counts for nothing, or whose rebuilding was cut short. */
function mayRebuild(paydrop: Paydrop, batch: BatchRecord): boolean {
  const isCutShort = isBeingRebuilt(batch) && !isOtherRunHere(batch.takenBy, paydrop.ledger.run);
  return isCutShort || isNothing(paydrop, batch);
}

async function lookAtAll(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<void> {
  const end = await carryRows(paydrop, batch, 'found', { ...control, waitMs: 0 });
  if (end.kind === 'done') return;
  throw new RebuildUnfinished(sentence('rebuild.unfinished', { fileName: batch.fileName }));
}

function countFound(attempts: ProbedRows): number {
  return [...attempts.values()].filter(({ last }) => last !== null).length;
}
