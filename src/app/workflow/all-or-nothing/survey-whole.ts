// The state of the rows of an all-or-nothing batch: how many lack only their confirm, what forbids it, and how much time is left.
import { callsAtOnceOf } from '../../config/config.ts';
import type { Paydrop } from '../../parts.ts';
import { isoTime } from '../../../base/clock.ts';
import { type Words, joinWords } from '../../../base/language.ts';
import { SAMPLE_ROUNDS } from '../../../delivery/quotations.ts';
import { type Standing, standingOf } from '../../../delivery/reserved.ts';
import { folderNow, standingManifest, type KeptStop, type RefusedRow } from '../../../inbox/manifest.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { rowsTogether } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, InvalidRowsPolicy, RowRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { HOLDS } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM, type Stage, type StageOrHeld } from '../../../payouts/lifecycle.ts';
import { batchOf } from '../batch/work.ts';
import { keepManifest } from '../batch/epoch.ts';
import { doubtFloor } from '../carry/unseen-rows.ts';
import { isAttached, mayHaveBeenConfirmed, stageOrHeld } from '../../../payouts/progress.ts';
import { deadForAnyone, doubtEndsAt, expiryOf } from '../../../payouts/proof.ts';

export type Survey = {
  readonly standings: Readonly<Record<Standing, number>>;
  /** The first refused rows, as a person sees them. */
  readonly refusedRows: readonly string[];
  /** Calls until every row is reserved. */
  readonly callsToReserve: number;
  /** Calls after that, until every row is confirmed. */
  readonly callsToConfirm: number;
  /** The service's time in ms at which the first of the reserved transfers expires; Infinity when there is none. */
  readonly firstExpiry: number;
  /** The service's time in ms from which every transfer that exists can be proved dead; -Infinity when there is none. */
  readonly provableAt: number;
  /** Rows whose transfer exists but cannot be confirmed as it is. */
  readonly tooLate: number;
  /** Rows that the service shows as confirmed. */
  readonly confirmed: number;
  /** Rows that do not show as confirmed, but that a run unknown to this ledger may have confirmed. */
  readonly maybeConfirmed: number;
  /** Held rows of which the service shows more than unconfirmed transfers; a transfer that was given up may also have been reinstated. */
  readonly mayHaveGone: number;
  /** The service's time in ms until which a read may hide that one of them was; -Infinity when none can. */
  readonly hiddenUntil: number;
  /** Rows of every corridor, to measure the pace with. */
  readonly sample: readonly RowRecord[];
};

/** How many rows are named; the others are counted. */
const NAMED_MOST = 5;

/** @param rows those that are paid together, where it is not asked about others. */
export async function surveyWhole(
  paydrop: Pick<Paydrop, 'ledger' | 'config' | 'serviceClock' | 'clock'>,
  batch: BatchRecord,
  rows = rowsTogether(paydrop.ledger, batch),
): Promise<Survey> {
  const { config } = paydrop;
  const doubt = doubtFloor(await batchOf(paydrop, batch.id), paydrop);
  const found = new Finding(SAMPLE_ROUNDS * callsAtOnceOf(config.service).first, batch.onInvalidRows, doubt);
  for await (const row of rows) found.add(row);
  return found;
}

class Finding implements Survey {
  readonly standings: Record<Standing, number> = { stands: 0, excused: 0, refused: 0, held: 0, open: 0 };
  readonly refusedRows: string[] = [];
  readonly sample: RowRecord[] = [];
  callsToReserve = 0;
  callsToConfirm = 0;
  firstExpiry = Infinity;
  provableAt = -Infinity;
  tooLate = 0;
  confirmed = 0;
  maybeConfirmed = 0;
  mayHaveGone = 0;
  hiddenUntil = -Infinity;
  readonly #corridors = new Set<string>();
  readonly #sampleMost: number;
  readonly #onInvalidRows: InvalidRowsPolicy;
  readonly #doubtSince: number | null;

  constructor(sampleMost: number, onInvalidRows: InvalidRowsPolicy, doubtSince: number | null) {
    this.#sampleMost = sampleMost;
    this.#onInvalidRows = onInvalidRows;
    this.#doubtSince = doubtSince;
  }

  add(row: RowRecord): void {
    const standing = standingOf(row, this.#onInvalidRows);
    this.standings[standing] += 1;
    if (standing === 'refused' && this.refusedRows.length < NAMED_MOST) this.refusedRows.push(row.row);
    this.#addTransfer(row);
    this.#addDoubt(row);
    if (standing === 'open') this.#addOpen(row);
    if (standing === 'open' || stageOrHeld(row.progress) === 'created') this.callsToConfirm += 1;
  }

  #addDoubt(row: RowRecord): void {
    const stage = stageOrHeld(row.progress);
    if (stage === 'confirmed' || stage === 'paid') this.confirmed += 1;
    const isDoubted = this.#doubtSince !== null || mayHaveBeenConfirmed(row.progress);
    if (isDoubted && !TELLS_ITSELF.has(stage)) this.maybeConfirmed += 1;
    if (mayHaveGone(row)) this.mayHaveGone += 1;
    if (this.#doubtSince !== null && BEFORE_CONFIRM.has(stage))
      this.hiddenUntil = doubtEndsAt(this.#doubtSince);
  }

  #addTransfer(row: RowRecord): void {
    const { transfer } = row.progress;
    const stage = stageOrHeld(row.progress);
    if (transfer === null || (stage !== 'created' && stage !== 'confirming')) return;
    const expiry = expiryOf(transfer);
    if (expiry === Infinity) return;
    this.firstExpiry = Math.min(this.firstExpiry, expiry);
    // Another run that tries again does so under another lease.
    const provable = deadForAnyone(row.progress);
    this.provableAt = Math.max(this.provableAt, provable);
  }

  #addOpen(row: RowRecord): void {
    const { payout, progress } = row;
    if (progress.transfer !== null && progress.lookedBy === null) this.tooLate += 1;
    const isUploadDue = payout?.document !== null && !isAttached(progress);
    this.callsToReserve += CALLS_LEFT[progress.stage as keyof typeof CALLS_LEFT] + (isUploadDue ? 1 : 0);
    const corridor = payout?.payoutCorridorId ?? '';
    const isNew = !this.#corridors.has(corridor);
    const mayBePriced =
      progress.stage === 'ready' || (progress.stage === 'quoted' && progress.lookedBy !== null);
    if (!mayBePriced || (!isNew && this.sample.length >= this.#sampleMost)) return;
    this.#corridors.add(corridor);
    this.sample.push(row);
  }
}

/** The service's statuses of a transfer for which no money is on its way or has arrived. */
const NOTHING_GONE: ReadonlySet<string> = new Set(['created', 'failed']);

function mayHaveGone({ progress: { hold, transfer } }: RowRecord): boolean {
  if (hold === null) return false;
  const isEarlierPaying = HOLDS[hold.code].transfer === 'earlier';
  return isEarlierPaying || (transfer !== null && !NOTHING_GONE.has(transfer.status));
}

/** A price and a create; a create; a look. */
const CALLS_LEFT = { ready: 2, quoted: 1, created: 1, confirming: 1 } as const;

// What the owner of an all-or-nothing file is told when something blocks it. That nothing was confirmed is said first, and only if it is certain: an
// owner who believes it may pay the file another way.

const NOTHING: Words = sentence('whole.nothing');

const NOTHING_SHOWN: Words = sentence('whole.nothingShown');

/** The confirmed rows of the file, before the words of anything that blocks it; nothing where a held row itself says that it may have been paid. */
export function confirmedSoFar(survey: Survey): (words: Words) => Words {
  const lead = leadOf(survey);
  return (words) => (lead === null ? words : joinWords([lead, words]));
}

function leadOf(survey: Survey): Words | null {
  if (survey.confirmed > 0) return partConfirmed(survey);
  if (survey.mayHaveGone > 0) return null;
  return survey.maybeConfirmed > 0 ? NOTHING_SHOWN : NOTHING;
}

function partConfirmed({ confirmed }: Survey): Words {
  return sentence('whole.partConfirmed', { confirmed });
}

/** A row waits for a person; the others wait for it. */
export function heldWords({ id }: BatchRecord): Words {
  return sentence('whole.held', { id });
}

/** The rows because of which a file cannot be paid whole. */
export function refusedWords({ refusedRows, standings: { refused } }: Survey): Words {
  const isMore = refused > refusedRows.length;
  return refused === 1
    ? sentence('whole.refused.rowRefused', { join: refusedRows.join() })
    : sentence('whole.refused.rowsWereRefused', { join: refusedRows.join(', '), isMore });
}

const MAY_BE_CONFIRMED: Words = sentence('whole.mayBeConfirmed');

/** The words of a row that is held because of a refused one; `isUnconfirmed`: nobody has confirmed it. */
export function notWholeWords(refused: Words, isUnconfirmed: boolean): Words {
  return sentence('whole.notWhole', {
    counted: isUnconfirmed ? HOLDS.batch_stopped.words : MAY_BE_CONFIRMED,
    refused,
  });
}

/** A row was refused for good, and reads may still hide that others were confirmed. */
export function hiddenWords(refused: Words, hiddenUntil: number): Words {
  const at = isoTime(hiddenUntil);
  return sentence('whole.hidden', { refused, at });
}

/** Transfers of an earlier try must expire before new ones are created. */
export function runOutWords({ standings, provableAt }: Survey): Words {
  if (!Number.isFinite(provableAt)) return UNDER_WAY_WORDS;
  const transfers = standings.stands + standings.open;
  return sentence('whole.runOut', { transfers, at: isoTime(provableAt) });
}

/** At this hour the file would not fit into the time. */
export function tooSlowNow(counted: Words): Words {
  return sentence('whole.tooSlowNow', { counted });
}

/** Responses are still missing. */
export const UNDER_WAY_WORDS: Words = sentence('whole.underWay');

// While every transfer is created, no run of this ledger may confirm one, and the epoch tells an older copy of it. So a row may have been confirmed only by what
// a lost ledger knew. A person who is told too early that a row was not confirmed pays it a second time.

const TELLS_ITSELF: ReadonlySet<StageOrHeld> = new Set<Stage>(['confirmed', 'paid', 'rejected', 'duplicate']);

/** True for a row before its confirm that nobody has confirmed; ask only once reads can hide nothing. */
export function isUnconfirmed({ progress }: Pick<RowRecord, 'progress'>): boolean {
  return progress.lookedBy !== null || !mayHaveBeenConfirmed(progress);
}

// Keeps the stop of a file in its folder. The service cannot tell it, and a rebuilt ledger, or an older copy that is put back, would pay rows about which a
// person still has to decide.

/** Null for a file that was not stopped, and for a message of which no day or another one was. */
export async function keptStop(
  workspace: Workspace,
  { id, payAt }: Pick<BatchRecord, 'id' | 'payAt'>,
): Promise<KeptStop | null> {
  const stop = (await standingManifest(workspace, id))?.stop ?? null;
  return stop?.days === undefined || stop.days.includes(payAt?.openTo ?? '') ? stop : null;
}

/** Await it before anything of a stopped file is sent; durable when it resolves. An earlier record stays as it is. */
export async function recordStop(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { workspace } = paydrop;
  if ((await keptStop(workspace, batch)) !== null) return;
  const before = (await standingManifest(workspace, batch.id))?.stop;
  const day = batch.payAt?.openTo;
  const refused = refusedWords(await surveyWhole(paydrop, batch));
  if (folderNow(workspace, batch.id) === null)
    throw new Error(`The folder of batch ${batch.id} is in neither processing/ nor archive/.`);
  const rows = [...(before?.rows ?? []), ...(await neverSent(paydrop, batch))];
  const days = day === undefined ? {} : { days: [...(before?.days ?? []), day] };
  await keepManifest(paydrop, batch, { stop: { refused, rows, ...days } });
}

async function neverSent({ ledger }: Paydrop, batch: BatchRecord): Promise<readonly RefusedRow[]> {
  const rows: RefusedRow[] = [];
  for await (const found of rowsTogether(ledger, batch)) {
    const { why, stage } = found.progress;
    if (stage === 'rejected' && standingOf(found, batch.onInvalidRows) === 'refused')
      rows.push({ row: found.row, why });
  }
  return rows;
}

/** The row's refusal at the time when the file was stopped; null for any other row, and for one that may have a transfer at the service. */
export function refusedBefore(kept: KeptStop | null, { row, progress }: RowRecord): RefusedRow | null {
  const { transfer, lookedBy } = progress;
  if (transfer !== null || lookedBy === null) return null;
  return kept?.rows.find((refused) => refused.row === row) ?? null;
}
