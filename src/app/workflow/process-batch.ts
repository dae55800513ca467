// From a path to its answers: the file is taken, or refused on arrival, and its batch is carried as far as possible. `states.ts` has all that follows.
import { basename } from 'node:path';

import { notifyFault } from '../notify/notify.ts';
import type { Paydrop, Records } from '../parts.ts';
import { asRefusal, describeError } from '../parts/describe-error.ts';
import type { RunControl } from '../parts/run-options.ts';
import { askingAhead } from '../parts/wait-for-service.ts';
import { advance } from './advance.ts';
import { batchOf, type BatchResult } from './batch/work.ts';
import { carryOutWhilePaused } from './decisions/mailbox.ts';
import { liftPauses, pauseAgain } from './decisions/pause-batch.ts';
import { EndedLists } from './follow/ended-lists.ts';
import { bringUpToDate, closeAgain, settleRebuilt } from './resolve-doubt/settle-rebuilt.ts';
import { OPEN } from './resolve-doubt/settle-unseen.ts';
import { type RefusedAt, refuseFile, refuseUntaken, refusedAs, unreadable } from './take/refuse-file.ts';
import { faultOfNotes } from './batch/profile-for.ts';
import { type Taken, takeBatch } from './take/take-batch.ts';
import { announcedRefused } from './take/same-bytes.ts';
import { elsewhere, paused, repeated, unfinished } from './tell.ts';
import { isoTime } from '../../base/clock.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { say, type Language, type Words } from '../../base/language.ts';
import { asSystemUser, systemUser } from '../../base/person-name.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import { type DroppedFile, hashFile, inPlace } from '../../inbox/take-file.ts';
import { listWorkFolders } from '../../inbox/workspace.ts';
import { isHad, pauseOf } from '../../ledger/batch-rules.ts';
import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { noOutcomes, summarize } from '../../results/summary.ts';
import { FileRefused } from '../../rows/file-refused.ts';

/**
 * Pays one file, exactly once whatever happens, and answers it. `again`: pays bytes once more that were paid before; `by`: the people known to bring it;
 * `agreed`: the SHA-256 (hex) of what a person has agreed to pay, so that nothing else is.
 */
export async function processBatch(
  paydrop: Paydrop,
  path: string,
  control: RunControl,
  again = false,
  by: readonly string[] = [],
  agreed?: string,
): Promise<BatchResult> {
  const asking = await askingAhead(paydrop);
  const isStill = async (): Promise<boolean> => (await hashFile(path)) === agreed;
  const file = { ...inPlace(path, by), ...(agreed === undefined ? {} : { isStill }) };
  const taken = await takeOrRefuse(asking, file, again);
  return carryTaken(asking, path, taken, control).catch((error: unknown) => {
    if (taken.kind !== 'taken' || control.keepsGoing !== true) throw error;
    return broken(asking, taken.batch, error);
  });
}

export type TakenOrRefused = Taken | { readonly kind: 'refused'; readonly refusal: FileRefused };

/** Takes a file, or says why it cannot be taken. */
export function takeOrRefuse(paydrop: Paydrop, file: DroppedFile, again = false): Promise<TakenOrRefused> {
  return takeBatch(paydrop, file, again).catch((error: unknown) => {
    const refusal = error instanceof FileRefused ? error : asRefusal(error);
    if (refusal === null) throw error;
    if (refusal.code === 'unexpected_error')
      paydrop.log.error('file failed', { reason: error instanceof Error ? error.name : 'unknown' });
    return { kind: 'refused', refusal } as const;
  });
}

/** Goes on with the result of taking a file; `path` is where a refused file lies, `origin` where its owner put it. */
export async function carryTaken(
  paydrop: Paydrop,
  path: string,
  taken: TakenOrRefused,
  control: RunControl,
  origin = path,
): Promise<BatchResult> {
  switch (taken.kind) {
    case 'refused':
      return withBug(
        await refuseAtDoor(paydrop, { path, origin, isOurs: origin !== path }, taken.refusal),
        taken.refusal,
      );
    case 'repeated':
      return repeated(paydrop, taken.batch, basename(origin));
    case 'taken':
      return carry(paydrop, taken, control);
  }
}

/** An error that nobody expected ends a command with its own code, although its file is answered like any other. */
export function withBug(result: BatchResult, { code }: Pick<FileRefused, 'code'>): BatchResult {
  return code === 'unexpected_error' ? { ...result, isBroken: true } : result;
}

/** A file of which not even an answer can be written. Throws the faults that concern all files. */
export function brokenFile({ clock, log, isSandbox }: Paydrop, path: string, error: unknown): BatchResult {
  const refusal = error instanceof FileRefused ? error : asRefusal(error);
  if (refusal === null) throw error;
  log.error('file failed', { reason: error instanceof Error ? error.name : 'unknown' });
  const file = { name: basename(path), sha256: '', rows: 0 };
  const none = { outcomes: noOutcomes(), totals: [], received: [], waitingFor: null, answers: [] };
  const nothing = { ...none, standing: 'refused' } as const;
  const now = isoTime(clock.now());
  const times = { startedAt: now, finishedAt: now };
  return {
    summary: { batch: '', state: 'refused', sandbox: isSandbox, file, ...nothing, ...times },
    words: [refusal.words],
    isBroken: refusal.code === 'unexpected_error',
  };
}

async function carry(
  paydrop: Paydrop,
  { batch, opened, ignored = [] }: Extract<Taken, { readonly kind: 'taken' }>,
  control: RunControl,
): Promise<BatchResult> {
  const ended = (await advance(paydrop, batch, control, opened)) ?? (await unfinished(paydrop, batch));
  return withIgnored(ended, ignored, paydrop.config.language);
}

/** What the file has besides is told where its owner hears of it for the first time. */
function withIgnored(ended: BatchResult, ignored: readonly Words[], language: Language): BatchResult {
  if (ignored.length === 0 || ended.summary.state === 'refused') return ended;
  return { ...ended, about: [...(ended.about ?? []), ...ignored.map((words) => say(words, language))] };
}

/** The fault may have shown before anything was taken, or while the documents were. */
async function refuseAtDoor(paydrop: Paydrop, file: RefusedAt, refusal: FileRefused): Promise<BatchResult> {
  const first = await announcedRefused(paydrop, file.path);
  // Another file with the same bytes may be taken at this moment: that one is not refused.
  return paydrop.takes.run(first.sha256, async () => {
    const { batch, isTaken } = await refusedAs(paydrop, first);
    return isTaken
      ? refuseFile(paydrop, batch, unreadable(refusal))
      : refuseUntaken(paydrop, file, batch, unreadable(refusal));
  });
}

// `resume`: goes on with everything that is not finished, also after a kill.

/** Goes on with one batch, or with all, and lifts their pauses in the name of `by`. Null when there is no batch of that name. */
export async function resumeBatches(
  paydrop: Paydrop,
  id: string | null,
  control: RunControl,
  by = asSystemUser(systemUser()),
): Promise<readonly BatchResult[] | null> {
  await bringUpToDate(paydrop, control);
  const lifted = await liftPauses(paydrop, (await asked(paydrop, id)) ?? [], by);
  await settleRebuilt(paydrop);
  const batches = await asked(paydrop, id);
  if (batches === null) return null;
  const results: BatchResult[] = [];
  const lists = new EndedLists(paydrop, batches);
  const together: RunControl = { ...control, endedOf: (batch) => lists.of(batch) };
  const resumed = (batch: BatchRecord) =>
    resumeBatch(paydrop, batch.id, together, lifted.has(batch.id)).catch((error: unknown) => {
      if (control.keepsGoing !== true) throw error;
      return broken(paydrop, batch, error);
    });
  for (const batch of batches) {
    const result = await resumed(batch);
    if (result !== null) results.push(result);
  }
  return results;
}

/** All that may need work; null where there is no batch of this name. A refusal that was cut short has left its folder. */
async function asked(
  { ledger, clock, workspace }: Paydrop,
  id: string | null,
): Promise<readonly BatchRecord[] | null> {
  const ids = id === null ? (await listWorkFolders(workspace)).map(({ batch }) => batch) : [id];
  const named = (await Promise.all(ids.map((each) => ledger.batch(each)))).filter((each) => each !== null);
  if (id !== null) return named.length === 0 ? null : named;
  const refused = named.filter(({ state }) => state === 'refused');
  return [...refused, ...(await ledger.batches({ toLookAt: clock.now() }))];
}

/** Goes on with one batch that is not paused; `wasPaused` until a moment ago. Null when there was nothing to do. */
export async function resumeBatch(
  paydrop: Paydrop,
  id: string,
  control: RunControl,
  wasPaused = false,
): Promise<BatchResult | null> {
  try {
    return await goOn(paydrop, id, control, wasPaused);
  } catch (error) {
    if (error instanceof BatchFolderFault) return leftOut(paydrop, id, error);
    throw error;
  }
}

/** A fault of one batch's folder stops that batch only. */
async function leftOut(paydrop: Paydrop, id: string, fault: BatchFolderFault): Promise<BatchResult> {
  await notifyFault(paydrop, fault);
  const summary = await summarize(paydrop.ledger, await batchOf(paydrop, id));
  return { summary, words: [fault.words], isStopped: true };
}

async function goOn(
  paydrop: Paydrop,
  id: string,
  control: RunControl,
  wasPaused: boolean,
): Promise<BatchResult | null> {
  // Read at this moment: another process may have finished it while we worked on the batches before it.
  const known = await paydrop.ledger.batch(id);
  if (known === null) return null;
  const seen = await pauseAgain(paydrop, known);
  // Any run may look at an ended batch.
  if (ENDED_BATCH.has(seen.state)) return advance(paydrop, seen, control);
  if (pauseOf(seen) !== null) {
    await carryOutWhilePaused(paydrop, seen);
    return paused(paydrop, seen);
  }
  // When a node dies, all the others find its batches at the same moment: the first of them keeps each.
  if (control.isRound === true && paydrop.ledger.runs.isElsewhere(seen.owner)) return null;
  const batch = await takeUp(paydrop, seen);
  return batch === null ? elsewhere(paydrop, seen, control, wasPaused) : advance(paydrop, batch, control);
}

/** Makes it this run's own; null where another process has it. */
async function takeUp(paydrop: Paydrop, seen: BatchRecord): Promise<BatchRecord | null> {
  const { ledger } = paydrop;
  // One process has a batch; that process finishes it, or leaves it to the next resume.
  if (isHad(ledger, seen)) return null;
  // If this very process is taking it at this moment, its own turn follows.
  if (seen.state === 'taking') return seen;
  // Even if this go would not need it.
  const fault = await faultOfNotes(paydrop, seen);
  if (fault !== null) throw fault;
  const batch = await ledger.takeOver(seen);
  if (batch === null || !OPEN.has(batch.state)) return batch;
  // The manifest decides about cancelled rows, whatever happened to the ledger.
  return closeAgain(paydrop, batch).then(
    () => batch,
    async (error: unknown) => {
      await ledger.giveBack(batch, true);
      throw error;
    },
  );
}

/** A fault of one batch must not keep the others waiting; a fault of the disk or the ledger concerns them all. */
async function broken(records: Records, batch: BatchRecord, error: unknown): Promise<BatchResult> {
  const { code, words } = describeError(error);
  if (code !== EXIT.bug) throw error;
  const summary = await summarize(records.ledger, batch);
  records.log.error('batch failed', {
    batch: batch.id,
    reason: error instanceof Error ? error.name : 'unknown',
  });
  return { summary, words: [words], isBroken: true };
}
