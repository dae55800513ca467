// `rebuild`: recreates what a lost ledger knew of a file, from the file, its folder and the service. Nothing is paid here, and nothing is
// decided: what other lost batches have paid is not known before all of them are rebuilt.
import { isoTime } from '../../../base/clock.ts';
import type { Words } from '../../../base/language.ts';
import { type Occurrence, FIRST, occurrenceIn } from '../../../inbox/answer-name.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { readDocumentList } from '../../../inbox/documents.ts';
import { removeHead } from '../../../inbox/head.ts';
import { type KeptFacts, type Manifest, manifestEpoch, standingManifest } from '../../../inbox/manifest.ts';
import type { InboxFile } from '../../../inbox/take-file.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { batchRows, rowsTogether } from '../../../ledger/batch-rows.ts';
import { isHad, pauseOf } from '../../../ledger/batch-rules.ts';
import { dayToCome, isOnDays, nextDayOpen, type PayOnDays } from '../../../ledger/days.ts';
import { isBeingRebuilt } from '../../../ledger/batch-states.ts';
import type { BatchRecord, Content, PayAt, WholeState } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { isMessage } from '../../../rows/formats.ts';
import { policyOf } from '../../config/policy.ts';
import type { FileProfile } from '../../config/profile-file.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { RebuildUnfinished } from '../../parts/describe-error.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { keptStop } from '../all-or-nothing/survey-whole.ts';
import { acknowledged } from '../answers/acknowledge.ts';
import { registerBatch } from '../check/check-batch.ts';
import { batchOf } from '../batch/work.ts';
import { rejectedBefore } from '../answers/told-status.ts';
import { keptPause } from '../decisions/pause-batch.ts';
import { keepManifest } from '../batch/epoch.ts';
import { carryRows } from '../carry/pay-batch.ts';
import { profileDigest, profileFacts, profileFor, takenProfile } from '../batch/profile-for.ts';
import { decideWhen } from '../batch/decide-pay-at.ts';
import {
  dayOfRow,
  documentsOf,
  keptSubmitters,
  messageDay,
  readBatchFile,
  rowsOf,
} from '../batch/read-batch-file.ts';
import { announced, atOccurrence, isNothing } from '../take/same-bytes.ts';
import { addUnderFreeName } from '../take/take-batch.ts';
import { isUnseenRow, startRebuilt } from '../carry/unseen-rows.ts';
import { dateRebuilt, type ProbedRows, isOlderThanReality, placeFile, probeRows } from './known-batches.ts';
import { folderOf, foldersOf, nameThatStands } from '../../../inbox/standing-copy.ts';
import { changeBatch } from '../../../ledger/ledger.ts';

type Rebuilt = { readonly batch: BatchRecord; readonly found: number; readonly isKnown: boolean };
export type RebuiltFile = Rebuilt & { readonly isPaused: boolean };

/** Rebuilds several files; a fault of one folder does not stop the others. */
export async function rebuildFiles(
  paydrop: Paydrop,
  paths: readonly string[],
  control: RunControl,
): Promise<{ readonly rebuilt: readonly RebuiltFile[]; readonly leftOut: readonly Words[] }> {
  const [rebuilt, leftOut]: [RebuiltFile[], Words[]] = [[], []];
  for (const path of paths) {
    try {
      for (const each of await rebuildFile(paydrop, path, control))
        rebuilt.push({ ...each, isPaused: pauseOf(each.batch) !== null });
    } catch (error) {
      if (!(error instanceof BatchFolderFault)) throw error;
      leftOut.push(error.words);
    }
  }
  return { rebuilt, leftOut };
}

/**
 * Rebuilds one file, with every occurrence that was paid again on purpose. Throws `FileRefused`, `RebuildUnfinished`, or a `Fault` when the
 * service gives no answer.
 */
export async function rebuildFile(
  paydrop: Paydrop,
  path: string,
  control: RunControl,
): Promise<readonly Rebuilt[]> {
  const first = await announced(paydrop, path, null);
  const rebuilt: Rebuilt[] = [];
  for (const occurrence of await occurrencesToRebuild(paydrop, path, first))
    rebuilt.push(await rebuildOccurrence(paydrop, path, atOccurrence(first, occurrence), control));
  return rebuilt;
}

/** The occurrences with a folder. Without any, an earlier release may have paid a message of several days as a batch a day: the service knows. */
async function occurrencesToRebuild(
  paydrop: Paydrop,
  path: string,
  first: BatchRecord,
): Promise<readonly Occurrence[]> {
  const standing = await standingOccurrences(paydrop.workspace, first.sha256);
  if (standing.length > 0 || !isMessage(path)) return standing.length > 0 ? standing : [FIRST];
  const read = await readBatchFile(path, paydrop.config, null, null);
  const days = [...(read.table.message?.days.keys() ?? [])].sort();
  if (days.length < 2) return [FIRST];
  for (const day of days) {
    const batch = atOccurrence(first, day);
    if (countFound(await probeRows(paydrop, batch, rowsOf(batch, read))) > 0) return days;
  }
  return [FIRST];
}

/** Which occurrences of these bytes have a folder in the workspace. */
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
  const { ledger, workspace } = paydrop;
  const draft = { ...typed, fileName: await nameThatStands(workspace, typed) };
  const known = await ledger.batch({ fileId: draft.fileId });
  const isStale = known !== null && (await isOlderThanReality(paydrop, known));
  if (known !== null && !isStale && !mayRebuild(paydrop, known))
    return { batch: known, found: 0, isKnown: true };
  const profile = await standingProfile(paydrop, draft, path);
  const read = rowsOf(draft, await readBatchFile(path, paydrop.config, profile?.profile ?? null, null));
  const attempts = await probeRows(paydrop, draft, read);
  const dated = { ...draft, ...(await dateRebuilt(workspace, draft, attempts)) };
  const lost: Lost = { path, read, attempts, profile, stood: await standingManifest(workspace, dated.id) };
  const epoch = Math.max(known?.epoch ?? 0, manifestEpoch(workspace, dated.id)) + 1;
  const added = await addUnderFreeName(
    ledger,
    { ...(await asAccepted(paydrop, dated, lost)), epoch },
    (earlier) => mayRebuild(paydrop, earlier) || (isStale && earlier.token === known.token),
  );
  if ('winner' in added) return { batch: added.winner, found: 0, isKnown: true };
  const file = await registerLost(paydrop, added.batch, lost);
  await lookAtAll(paydrop, added.batch, control);
  await finishRebuilt(paydrop, added.batch, lost, file);
  await ledger.giveBack(added.batch, true);
  return { batch: await batchOf(paydrop, added.batch), found: countFound(attempts), isKnown: false };
}

/** What is found of a lost batch outside of the ledger. */
type Lost = {
  /** The file that a person named. */
  readonly path: string;
  readonly read: ReadFile;
  readonly attempts: ProbedRows;
  readonly profile: FileProfile | null;
  /** Null where its folder is gone. */
  readonly stood: Manifest | null;
};

/** The days of a message that names several, though nothing beside it says so any more; null of any other file. */
async function onItsDays(paydrop: Paydrop, draft: BatchRecord, read: ReadFile): Promise<PayAt | null> {
  if ((read.table.message?.days.size ?? 0) < 2) return null;
  const payAt = await decideWhen(paydrop, { origin: draft.fileName }, read);
  const own = payAt?.days?.find(({ day }) => day === messageDay(draft));
  // Of an earlier release, which made a batch a day.
  return payAt === null || own === undefined ? payAt : { ...withoutDays(payAt), at: own.at };
}

function withoutDays({ at, timeZone, missed }: PayAt): PayAt {
  return { at, timeZone, missed };
}

/** A day of which something was sent had come, and those before it. */
async function asFarAsSent(payAt: PayOnDays, read: ReadFile, attempts: ProbedRows): Promise<PayOnDays> {
  let now = payAt;
  for await (const row of read.rows()) {
    const day = dayOfRow(read, row);
    if (day === null || (attempts.get(row.place)?.last ?? null) === null) continue;
    while (dayToCome(now) !== null && (now.openTo ?? '') < day) now = nextDayOpen(now);
  }
  return now;
}

/** Question and answer of its approval are lost, so the question is asked again. */
async function asAccepted(
  paydrop: Paydrop,
  draft: BatchRecord,
  { read, attempts, profile, stood }: Lost,
): Promise<BatchRecord> {
  const { onInvalidRows, strategy } = policyOf(paydrop.config.policy, profile?.policy);
  const dated = stood?.payAt ?? (await onItsDays(paydrop, draft, read));
  const payAt = dated === null || !isOnDays(dated) ? dated : await asFarAsSent(dated, read, attempts);
  return {
    ...draft,
    ...(payAt === null ? {} : { payAt }),
    onInvalidRows,
    whole: strategy === 'reserve-then-confirm' ? 'reserving' : null,
    rows: read.table.rowCount,
    profileDigest: profileDigest(profile),
    state: 'resolving',
    approval: undefined,
  };
}

/** Its copy, manifest and rows, each row with the transfers that the service shows of it. */
async function registerLost(paydrop: Paydrop, batch: BatchRecord, lost: Lost): Promise<InboxFile> {
  const { path, read, attempts, profile, stood } = lost;
  const file = await placeFile(paydrop.workspace, batch, path);
  await removeHead(paydrop.workspace, batch.id);
  await keepManifest(paydrop, batch, rebuiltFacts(paydrop, profile));
  const documents =
    (await readDocumentList(file.folder)) ?? (await documentsOf(paydrop, path, read, file.folder));
  // No transfer that this ledger does not know can have been created after now.
  const lostAt = paydrop.serviceClock.latestNow() ?? paydrop.clock.now();
  const stopped = new Set(stood?.stop?.days);
  const toldBefore = { closed: stood?.closed ?? [], rejected: rejectedBefore(stood), stopped };
  const start = startRebuilt(attempts, toldBefore, lostAt);
  const { content } = await registerBatch(paydrop, batch, read, documents, start);
  await rejectAsTold(paydrop, batch, content);
  return file;
}

/**
 * With no transfer at the service and no acknowledgement, the file was never accepted: it is checked as a new one, and may still be refused as a whole. Any
 * other waits until nothing can be hidden.
 */
async function finishRebuilt(
  paydrop: Paydrop,
  batch: BatchRecord,
  { path, attempts }: Lost,
  file: InboxFile,
): Promise<void> {
  const told = await acknowledged(paydrop, batch);
  const wasAccepted = countFound(attempts) > 0 || told !== null;
  const submittedBy = await broughtBy(paydrop, told, [file.path, path]);
  const pause = keptPause(paydrop, batch.id);
  await changeBatch(paydrop.ledger, batch, {
    state: wasAccepted ? 'resolving' : 'checking',
    whole: await wholeRebuilt(paydrop, batch),
    // Only now, because nothing of a paused batch is looked at.
    decisions: pause === null ? [] : [pause],
    ...(wasAccepted ? { doubt: { since: paydrop.serviceClock.latestNow() } } : {}),
    ...(submittedBy.length === 0 ? {} : { submittedBy }),
  });
  await keepManifest(paydrop, batch);
}

/** The people named in the acknowledgement, in its control file, or in that of the file that was named. */
async function broughtBy(
  records: Records,
  told: Awaited<ReturnType<typeof acknowledged>>,
  [copy, named]: readonly [string, string],
): Promise<readonly string[]> {
  return [...new Set([...(told?.submittedBy ?? []), ...(await keptSubmitters(records, copy, named))])];
}

function rebuiltFacts({ clock }: Pick<Paydrop, 'clock'>, profile: FileProfile | null): KeptFacts {
  return { ...profileFacts(profile), rebuiltAt: isoTime(clock.now()) };
}

/** The profile in the file's folder; without one, the profile that fits now. */
async function standingProfile(
  { workspace, config }: Paydrop,
  draft: BatchRecord,
  path: string,
): Promise<FileProfile | null> {
  const standing = await folderOf(workspace, draft);
  return standing === null ? profileFor(path, config) : takenProfile(workspace, { id: standing.batch });
}

/** A confirmed row proves the decision to confirm all, which precedes it, unless the file was stopped, and a person released the row. */
async function wholeRebuilt(records: Records, batch: BatchRecord): Promise<WholeState | null> {
  if ((await keptStop(records.workspace, batch)) !== null) return 'reserving';
  const strategy = (await acknowledged(records, batch))?.strategy ?? null;
  if (strategy === 'row-by-row' || (strategy === null && batch.whole === null)) return null;
  // Of several days, a row of the last that has come.
  for await (const { progress } of rowsTogether(records.ledger, batch))
    if (['confirmed', 'paid'].includes(stageOrHeld(progress))) return 'confirming';
  return 'reserving';
}

/** A batch that does not count, or whose rebuilding was interrupted. */
function mayRebuild(paydrop: Paydrop, batch: BatchRecord): boolean {
  const isCutShort = isBeingRebuilt(batch) && !isHad(paydrop.ledger, batch);
  return isCutShort || isNothing(paydrop, batch);
}

async function lookAtAll(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<void> {
  const end = await carryRows(paydrop, batch, 'found', { ...control, waitMs: 0 });
  if (end.kind === 'done') return;
  const { fileName } = batch;
  if (end.kind === 'operator')
    throw new RebuildUnfinished(sentence('rebuild.stopped', { fileName, reason: end.stop.words }));
  throw new RebuildUnfinished(sentence('rebuild.unfinished', { fileName }));
}

function countFound(attempts: ProbedRows): number {
  return [...attempts.values()].filter(({ last }) => last !== null).length;
}

// A row of a lost ledger that cannot be read as a payment, and has no visible transfer: the acknowledgement of its file shows whether it was wrong
// from the start. If it was wrong then, it was never sent; if it was right then, it may have been, before the settings or the corridors changed.

/** Rejects these rows at once, if the readable rows have the same number and sums as those in the acknowledgement. */
async function rejectAsTold(records: Records, batch: BatchRecord, { requested }: Content): Promise<void> {
  const { ledger } = records;
  const told = (await acknowledged(records, batch))?.totals;
  if (told === undefined || inOrder(told) !== inOrder(requested)) return;
  for await (const row of batchRows(ledger, batch.id)) {
    if (row.payout !== null || !isUnseenRow(row)) continue;
    const progress = { ...row.progress, hold: null, stage: 'rejected', lookedBy: ledger.run } as const;
    await ledger.record(batch, row, { progress, dueAt: null, event: 'rejected before' });
  }
}

function inOrder(totals: Content['requested']): string {
  const lines = totals.map(({ currency, rows, amount }) => [currency, rows, amount].join(' '));
  return lines.toSorted().join();
}
