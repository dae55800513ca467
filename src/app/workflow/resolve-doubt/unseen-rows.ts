// A row of a lost ledger of which nothing is seen: for a while that may be a read that lags. Where more hangs on it than the row's own payment, it
// is held until it can be looked for again, and nobody has to do anything.
import { isoTime } from '../../../base/clock.ts';
import type { Words } from '../../../base/language.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { CrossCheck } from '../../../ledger/ledger.ts';
import type { BatchRecord, Encounter, RowRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { doubtEndsAt } from '../../../payouts/attempt.ts';
import { HOLDS, liftsItself, newHold } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import type { Progress } from '../../../payouts/progress.ts';
import type { Paydrop } from '../../parts.ts';
import { SERVICE_WORDS } from '../../parts/wait-for-service.ts';

const SPARE_MS = 60_000;

/** From when on a look at it proves what it shows (ms, the service's time): a minute later than it has to be, for that time is known to some seconds only. */
export function unseenUntil(doubtSince: number): number {
  return doubtEndsAt(doubtSince) + SPARE_MS;
}

/**
 * Since when a batch is in doubt, by the time at the service; from now on where its record does not say, and null where the service has told no time yet. Our own
 * clock may be hours behind: a doubt that began by it would be over before a read can tell.
 */
export function doubtOf(
  { doubtSince }: Pick<BatchRecord, 'doubtSince'>,
  { serviceClock }: Pick<Paydrop, 'serviceClock'>,
): number | null {
  return doubtSince ?? serviceClock.latestNow();
}

/** Before this nothing that is shown of its rows proves anything; null for a batch that is not in doubt. Where the service has told no time our clock has to do. */
export function doubtFloor(
  batch: BatchRecord,
  known: Pick<Paydrop, 'serviceClock' | 'clock'>,
): number | null {
  return batch.doubtSince === undefined ? null : (doubtOf(batch, known) ?? known.clock.now());
}

/** @param rebuiltAt the service's time, in ms, since when it is in doubt. */
export function heldUnseen(progress: Progress, rebuiltAt: number): Progress {
  const { en, fr } = HOLDS.in_doubt_unseen.words;
  const until = isoTime(unseenUntil(rebuiltAt));
  const reason = sentence('heldUnseen.text', { counted: { en, fr }, until });
  // Until it was looked for again.
  return { ...progress, hold: newHold('in_doubt_unseen', rebuiltAt, reason), lookedBy: null, rebuiltAt };
}

/** True for a row that is held until it can be looked for again. */
export function isUnseenRow({ progress }: Pick<RowRecord, 'progress'>): boolean {
  return liftsItself(progress.hold);
}

// What a batch waits for meanwhile, in plain words; and which batches wait as a whole.

type Known = Pick<Paydrop, 'ledger' | 'workspace'>;

/** Null for a batch that goes on. One that was answered already is not answered worse than before, and one that is paid whole is not begun in part. */
export async function waitsForReads(known: Known, batch: BatchRecord): Promise<Words | null> {
  const { workspace } = known;
  if (batch.doubtSince === undefined) return null;
  const wasClosed = (await standingFolder(workspace, batch.id)) === archiveFolder(workspace, batch.id);
  if (!wasClosed && batch.whole !== 'reserving') return null;
  const rows = await unseenRows(known, batch);
  return rows === 0 ? null : unseenWords(batch, rows);
}

/** How many of its rows are held until they can be looked for again. */
export async function unseenRows({ ledger }: Pick<Known, 'ledger'>, batch: BatchRecord): Promise<number> {
  if (batch.doubtSince === undefined) return 0;
  let rows = 0;
  for await (const row of batchRows(ledger, batch.id)) if (isUnseenRow(row)) rows += 1;
  return rows;
}

export function unseenWords({ doubtSince }: BatchRecord, rows: number): Words {
  if (typeof doubtSince !== 'number') return SERVICE_WORDS;
  return sentence('waitForReads.unseen', { unseenUntil: isoTime(unseenUntil(doubtSince)), rows });
}

// Of two lost rows that may be the same payment, which was paid is not known while reads may hide it: both wait until that is over, and nothing else.

/** Since when it is not known which of two lost rows in different files was paid, in ms; null where that is known, or one of them certainly is. */
export function unseenSince(row: RowRecord, encounters: readonly Encounter[]): number | null {
  const { rebuiltAt } = row.progress;
  if (rebuiltAt === null) return null;
  const isOpen = encounters.some(
    ({ other }) =>
      other.batch !== row.batch && (other.unseenSince !== null || BEFORE_CONFIRM.has(other.stage)),
  );
  return isOpen ? Math.max(rebuiltAt, latestUnseen(row, encounters) ?? rebuiltAt) : null;
}

/** When the last of the lost rows of other files was lost that nothing is seen of yet, in ms; null where all of them are seen. */
export function latestUnseen({ batch }: RowRecord, encounters: readonly Encounter[]): number | null {
  const since = encounters
    .filter(({ other }) => other.batch !== batch)
    .map(({ other }) => other.unseenSince)
    .filter((at) => at !== null);
  return since.length === 0 ? null : Math.max(...since);
}

/** Held until no read can hide what was sent of it, and looked for again then. */
export function unseen({ progress }: RowRecord, since: number | null): ReturnType<CrossCheck['judge']> {
  if (since === null) return null;
  return { progress: heldUnseen(progress, since), event: 'cross-check: may be hidden' };
}
