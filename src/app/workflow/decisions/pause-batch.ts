// A named person stops a batch before its next call, and says why. The manifest has the pause before the ledger, so that it survives any loss:
// an older copy of the ledger that is put back, or a rebuilt one, finds the pause in the batch's folder.
import { isoTime } from '../../../base/clock.ts';
import { sameWords, type Words } from '../../../base/language.ts';
import { systemUserIn } from '../../../base/person-name.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { manifestNow } from '../../../inbox/manifest.ts';
import { mayBePaused, pauseOf } from '../../../ledger/batch-rules.ts';
import { isBeingRebuilt } from '../../../ledger/batch-states.ts';
import type { BatchRevision } from '../../../ledger/ledger.ts';
import type { BatchRecord, Decision, Pause } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import type { Records } from '../../parts.ts';
import { decideInBoth } from '../batch/epoch.ts';

export type PauseOrder = Pick<Decision, 'by' | 'reason'>;

type Decides = Pick<Records, 'ledger' | 'workspace' | 'clock'>;

/** False when there is nothing left to pause. The same commit checks whether it has ended or was declined: a pause that is confirmed must have something to hold. */
export async function pauseBatch(records: Decides, id: string, { by, reason }: PauseOrder): Promise<boolean> {
  const at = isoTime(records.clock.now());
  const pause: Pause = { about: 'pause', by, reason, at, words: pausedWords(id, { by, reason, at }) };
  const batch = await decideInBoth(records, id, { pause }, (now) =>
    mayBePaused(now) ? withPause(now, pause) : null,
  );
  return batch !== null && mayBePaused(batch);
}

function withPause({ decisions }: BatchRecord, pause: Pause): BatchRevision {
  const { by, reason } = pause;
  const event = `paused by ${by}${reason === null ? '' : `: ${reason}`}`;
  return { change: { decisions: [...decisions, pause] }, event };
}

function pausedWords(id: string, { by, reason, at }: Pick<Decision, 'by' | 'reason' | 'at'>): Words {
  const user = systemUserIn(by);
  const who = user === null ? sameWords(by) : sentence('pause.systemUser', { user });
  return sentence('pause.words', { who, reason, at, id });
}

// `resume` ends the pauses that exist when it begins, and at once: a pause that comes while it works on other batches must hold. It also lifts
// the pause of a batch that another process carries, because that process never lifts one by itself.

/** Lets these batches go on; returns the ids of those that were paused. */
export async function liftPauses(
  records: Decides,
  batches: readonly BatchRecord[],
  by: string,
): Promise<ReadonlySet<string>> {
  const lifted = new Set<string>();
  const decision: Decision = { about: 'resume', by, reason: null, at: isoTime(records.clock.now()) };
  for (const batch of batches) {
    // The manifest may have a pause whose writing was interrupted.
    if (pauseOf(batch) === null && !isKept(records, batch.id)) continue;
    await decideInBoth(records, batch.id, { pause: null }, ({ decisions }) => ({
      change: { decisions: [...decisions, decision] },
      event: `resumed by ${by}`,
    }));
    lifted.add(batch.id);
  }
  return lifted;
}

/** A manifest that cannot be read keeps only its own batch waiting. */
function isKept(records: Pick<Records, 'workspace'>, batch: string): boolean {
  try {
    return keptPause(records, batch) !== null;
  } catch (error) {
    if (error instanceof BatchFolderFault) return false;
    throw error;
  }
}

/** The pause in the manifest; null where there is none. Throws `BatchFolderFault` where the manifest cannot be read. */
export function keptPause({ workspace }: Pick<Records, 'workspace'>, batch: string): Pause | null {
  return manifestNow(workspace, batch)?.pause ?? null;
}

/**
 * Call it before anything of the batch is sent: returns its present record, with a pause that its manifest has and the ledger lacks. A batch that is
 * being rebuilt gets the pause at the end, because no row of a paused batch is looked at.
 */
export async function pauseAgain(
  records: Pick<Records, 'ledger' | 'workspace'>,
  batch: BatchRecord,
): Promise<BatchRecord> {
  const missing = (now: BatchRecord): Pause | null =>
    pauseOf(now) !== null || !mayBePaused(now) || isBeingRebuilt(now) ? null : keptPause(records, now.id);
  if (missing(batch) === null) return batch;
  // Read again in the same commit: "resume" removes it from the manifest before the ledger lifts it, and a lifted pause must not come back.
  await records.ledger.revise(batch.id, (now) => {
    const pause = missing(now);
    return pause === null ? null : withPause(now, pause);
  });
  return (await records.ledger.batch(batch.id)) ?? batch;
}
