// What people do at the page besides the commands: they see the question about a batch, lift a pause, stop everything, and decide about held rows,
// grouped by their hold across files. Before an order, the page shows its effect.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { isSameName } from '../../base/person-name.ts';
import type { HeldGroup, ReleaseTrial } from '../../contract/decisions.ts';
import { removeStop, standingStop, stopFileWords, writeStop } from '../../inbox/stop-file.ts';
import {
  type ApprovalAnswer,
  type Asked,
  decidersOf,
  firstOf,
  questionDigest,
} from '../../ledger/approval.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { type HoldCode, HOLDS, liftsItself } from '../../payouts/hold.ts';
import { sentence } from '../../messages/messages.ts';
import type { Paydrop, Records } from '../parts.ts';
import { needsVerification, type Question, questionOfBatch } from '../workflow/approval/decide-approval.ts';
import { type Decider, isBroughtBy, mayDecide, ROLES_THAT_MAY } from '../workflow/batch/may-decide.ts';
import { isServicesWord } from '../../payouts/progress.ts';
import { decide, tryAgainAt } from '../workflow/carry/look-before-closing.ts';
import { isToDecide } from '../workflow/decisions/release-rows.ts';
import { paymentsDigest } from '../workflow/approval/question-subject.ts';
import { liftPauses, type PauseOrder } from '../workflow/decisions/pause-batch.ts';
import { isGuarded, readsFileAt } from '../workflow/batch/profile-for.ts';
import type { FileViews } from './file-views.ts';
import type { DoctorFinding } from './finding.ts';
import { openDoor } from './open-door.ts';

export {
  type Decider,
  decidersOf,
  firstOf,
  isBroughtBy,
  isGuarded,
  mayDecide,
  needsVerification,
  readsFileAt,
  ROLES_THAT_MAY,
};
export type { Question };

/** The question about a batch; null where none was asked, or there is no such batch. */
export async function questionOf({ ledger }: Records, batch: string): Promise<Question | null> {
  const known = await ledger.batch(batch);
  return known === null ? null : questionOfBatch(known);
}

/** Those that wait for an answer, or all others; the latest question first. */
export async function questions(
  { ledger, clock }: Records,
  isWaiting: boolean,
): Promise<readonly Question[]> {
  const batches = await ledger.batches(isWaiting ? { toLookAt: clock.now() } : undefined);
  const all = batches.flatMap((batch) => questionOfBatch(batch) ?? []);
  const asked = all.filter(({ state }) => (state === 'waiting') === isWaiting);
  return asked.sort((one, other) => (one.askedAt < other.askedAt ? 1 : -1));
}

/** Lifts its pause; the run that carries it goes on. Null when there is no batch of that name. */
export async function unpause(
  records: Records,
  batch: string,
  by: string,
): Promise<{ readonly wasPaused: boolean } | null> {
  const known = await records.ledger.batch(batch);
  if (known === null) return null;
  const lifted = await liftPauses(records, [known], by);
  records.log.info('resumed', { batch, by });
  return { wasPaused: lifted.has(batch) };
}

/** Stops everything, by the same file that people put into the inbox. */
export function putStop({ workspace, log }: Records, { by, reason }: PauseOrder): void {
  writeStop(workspace, `${by}: ${reason ?? ''}`);
  log.info('stop put', { by });
}

/** False where nothing was stopped. */
export function liftStop({ workspace, log }: Records, by: string): boolean {
  const wasStopped = removeStop(workspace);
  if (wasStopped) log.info('stop lifted', { by });
  return wasStopped;
}

/** Who stopped everything, why, and since when. Null where nothing is stopped; only the time is null where the file cannot be seen now. */
export function stopOf({
  workspace,
}: Records): { readonly words: Words; readonly since: string | null } | null {
  const standing = standingStop(workspace);
  if (standing !== null) {
    const { name, since, said } = standing;
    return { words: said === null ? sentence('stopFile.plain', { name }) : sameWords(said), since };
  }
  const words = stopFileWords(workspace);
  return words === null ? null : { words, since: null };
}

// Held rows.

type FoundGroup = Omit<HeldGroup, 'words'> & { readonly words: Words };

/** Most rows first. @param by the person who asks. */
export async function heldGroups(views: Pick<FileViews, 'open'>, by: string): Promise<readonly FoundGroup[]> {
  const groups = new Map<HoldCode, HeldGroup['files']>();
  for await (const { batch, tally } of views.open())
    for (const [code, rows] of tally.held) {
      const file = { batch: batch.id, file: batch.fileName, rows, isOwn: isBroughtBy(batch, by) };
      groups.set(code, [...(groups.get(code) ?? []), file]);
    }
  return [...groups]
    .map(([code, files]) => {
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      return { code, words: HOLDS[code].words, liftsItself: liftsItself({ code }), rows, files };
    })
    .sort((a, b) => b.rows - a.rows);
}

/** The selected held rows: those with one of these codes, or those that are named; all, where neither is given. */
type Chosen = {
  readonly codes: readonly string[] | null;
  readonly rows: readonly string[] | null;
  /** Cancel them instead. */
  readonly skip: boolean;
};

/** The most rows that are named as having to wait. */
const LEFT_MOST = 200;

export async function tryRelease(
  records: Records,
  batch: BatchRecord,
  chosen: Chosen,
): Promise<ReleaseTrial> {
  const { rows, seen } = await chosenRows(records, batch, chosen);
  const ends = { released: 0, onlySkip: 0, followed: 0 };
  const left: ReleaseTrial['left'][number][] = [];
  for (const { row, payout, progress } of rows) {
    if (isServicesWord(progress, chosen.skip)) ends.followed += 1;
    else if (!chosen.skip && liftsItself(progress.hold)) left.push({ row, tryAgainAt: tryAgainAt(progress) });
    else if (chosen.skip || (payout !== null && mayRelease(records, progress))) ends.released += 1;
    else ends.onlySkip += 1;
  }
  return { matching: rows.length, ...ends, left: left.slice(0, LEFT_MOST), seen };
}

function mayRelease({ clock }: Records, progress: RowRecord['progress']): boolean {
  return decide(progress, { by: '', reason: '', skip: false, round: 0 }, clock.now()) !== null;
}

/** The rows of an order; `changed`: nobody decides about rows that he has not seen. */
export async function rowsToRelease(
  records: Records,
  batch: BatchRecord,
  chosen: Chosen & { readonly seen: string | null },
): Promise<ReadonlySet<string> | null | 'changed'> {
  const { rows, seen } = await chosenRows(records, batch, chosen);
  if (chosen.seen !== null && chosen.seen !== seen) return 'changed';
  // The file as a whole is decided about only if neither a code nor a row is named.
  return chosen.codes === null && chosen.rows === null ? null : new Set(rows.map(({ row }) => row));
}

async function chosenRows(
  records: Records,
  batch: BatchRecord,
  { codes, rows: named, skip }: Chosen,
): Promise<{ readonly rows: readonly RowRecord[]; readonly seen: string }> {
  const [names, holds] = [named === null ? null : new Set(named), codes === null ? null : new Set(codes)];
  const rows: RowRecord[] = [];
  const hash = createHash('sha256');
  const isMeant = (row: RowRecord): boolean =>
    holds === null
      ? isToDecide(row, batch, { rows: names, skip })
      : row.progress.hold !== null && holds.has(row.progress.hold.code) && names?.has(row.row) !== false;
  for await (const row of batchRows(records.ledger, batch.id)) {
    if (!isMeant(row)) continue;
    hash.update(`${String(row.position)}:${String(row.version)} `);
    rows.push(row);
  }
  return { rows, seen: hash.update(JSON.stringify(batch.wait?.for ?? null)).digest('base64url') };
}

// The signatures of people, verified again from what is kept, without anybody's help.

/** Verifies every approval that was signed at the page from the stored evidence, that what was approved is what the ledger pays, and the access log. */
export async function examineSignatures({ config, ledger, workspace }: Paydrop): Promise<DoctorFinding> {
  const name = 'signatures';
  const batches = await ledger.batches();
  const isApproved = batches.some(
    ({ approval }) => approval?.kind === 'asked' && answersOf(approval).length > 0,
  );
  if (!isApproved && !existsSync(join(workspace.root, 'people.sqlite')))
    return { name, ok: true, words: sentence('doctor.signatures', { verified: 0 }) };
  const door = await openDoor(config);
  try {
    const [unsound, unknown, differing]: [string[], string[], string[]] = [[], [], []];
    let verified = 0;
    for (const batch of batches) {
      const { approval, id } = batch;
      if (approval?.kind !== 'asked') continue;
      if (approval.given !== null && !approval.isOutdated) {
        const isAsApproved = (await paymentsDigest(ledger, id)) === approval.subject.payments;
        if (!isAsApproved) differing.push(id);
      }
      for (const { by, evidence } of answersOf(approval)) {
        if (evidence === undefined) continue;
        const found = await door.passkeys.verify(evidence);
        const isOfQuestion = evidence.digest === questionDigest(batch, approval);
        if (found === null) unknown.push(id);
        else if (!found.isSound || !isOfQuestion || !isSameName(found.person, by)) unsound.push(id);
        else verified += 1;
      }
    }
    const { isWhole, seq } = door.accessLog();
    const faults = [
      ...(unsound.length === 0
        ? []
        : [sentence('doctor.signatures.unsound', { batches: unsound.join(', ') })]),
      ...(unknown.length === 0
        ? []
        : [sentence('doctor.signatures.unknown', { batches: unknown.join(', ') })]),
      ...(differing.length === 0
        ? []
        : [sentence('doctor.signatures.differing', { batches: differing.join(', ') })]),
      ...(isWhole ? [] : [sentence('doctor.accessLog', { seq })]),
    ];
    const words = faults.length === 0 ? sentence('doctor.signatures', { verified }) : joinWords(faults);
    return { name, ok: faults.length === 0, words };
  } finally {
    door.close();
  }
}

/** Who has approved: nobody, one person, or two. */
function answersOf({ first, given }: Pick<Asked, 'first' | 'given'>): readonly ApprovalAnswer[] {
  return [first, given].filter((answer) => answer !== undefined && answer !== null);
}
