// Rows that meet another row: the same reference, the same payment, the same content. A row that is certainly paid already is a duplicate; one
// that may be is held. No row is dropped silently and none is paid on a guess.
import type { Words } from '../../../base/language.ts';
import { isoTime, type Clock } from '../../../base/clock.ts';
import type { CrossCheck, Judged, Ledger, Met } from '../../../ledger/ledger.ts';
import type { BatchChange, BatchRecord, Encounter, Repeats, RowRecord } from '../../../ledger/records.ts';
import { standingManifest } from '../../../inbox/manifest.ts';
import { HOLDS, newHold, type HoldCode } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { withComparison } from '../../../payouts/moved-price.ts';
import { stageOrHeld, type Progress } from '../../../payouts/progress.ts';
import type { Paydrop } from '../../parts.ts';
import { isOneHidden, latestDoubt, unseen } from '../carry/unseen-rows.ts';
import { rowsToldRejected } from '../answers/tell-refused.ts';
import { askedTime } from '../../parts/wait-for-service.ts';
import { newAccountRows } from './unusual.ts';
import { policyFor } from '../validate/validate-file.ts';
import type { RowsAsked } from '../validate/row-questions.ts';
import { isRebuilt } from '../../../ledger/batch-states.ts';
import { sentence } from '../../../messages/messages.ts';

type Finding =
  | {
      readonly kind: 'duplicate';
      readonly code: 'duplicate_reference' | 'duplicate_row';
      readonly words: Words;
    }
  | {
      readonly kind: 'held';
      readonly code: HoldCode;
      readonly words: Words;
      /** The batch that paid the row before. */
      readonly repeats?: string;
    };

/** Rows checked in one commit: everything else waits for it, and each of them may have to be written. */
export const LIMIT_ROWS = 250;

const NONE: ReadonlySet<number> = new Set();
const NOTHING_ASKED: RowsAsked = new Map();

type Known = {
  /** It was closed before the ledger was lost: its unseen rows are looked for again before anything else is decided about them. */
  readonly wasClosed?: boolean;
  /** The rows that wait for a person because of what the file says of them. */
  readonly asked?: RowsAsked;
};

/** Marks every row of a registered batch that met another one, and changes the batch together with the last of them. */
export async function crossCheck(
  paydrop: Paydrop,
  batch: BatchRecord,
  change: BatchChange,
  { wasClosed = false, asked = NOTHING_ASKED }: Known = {},
): Promise<void> {
  const { ledger, clock } = paydrop;
  const policy = await policyFor(paydrop, batch);
  const unknown = policy.newAccount === 'hold' ? await newAccountRows(paydrop, batch) : NONE;
  const told = await rowsToldRejected(paydrop, batch);
  const isAgain = (await standingManifest(paydrop.workspace, batch.id))?.asksAgain === true;
  const byItself = ({ position }: RowRecord): Finding | null => {
    if (told.has(position)) return asHold('told_as_rejected');
    if (isAgain) return SAME_BYTES_AGAIN;
    const question = asked.get(position);
    if (question !== undefined) return held(question.code, question.words);
    return unknown.has(position) ? NEW_ACCOUNT : null;
  };
  const at = await timeOf(paydrop, batch);
  const since = windowStart(at === null ? batch : { acceptedAt: at }, policy);
  const lostAt = isRebuilt(batch) ? await latestDoubt(paydrop) : null;
  const check: CrossCheck = {
    limit: LIMIT_ROWS,
    at,
    since,
    everyRow: wasClosed || isAgain || unknown.size + told.size + asked.size > 0,
    countsUnseen: lostAt !== null,
    judge: (row, met) => {
      // A row that has a transfer, or has ended, need not be checked before sending.
      if (row.payout === null || stageOrHeld(row.progress) !== 'ready' || row.progress.transfer !== null)
        return null;
      if (lostAt !== null && isOneHidden(row, met.encounters)) return unseen(row, lostAt);
      const finding = judgeMet(row, met) ?? byItself(row);
      // What was left to a person may have been decided, and paid, before the ledger was lost.
      if (lostAt !== null && wasClosed && finding?.kind !== 'duplicate') return unseen(row, lostAt);
      const judged = finding === null ? null : marked(row, finding, 'cross-check', clock.now());
      return withOtherWays(row, met, judged);
    },
    // For a file of a lost ledger, a person has answered before.
    ...(batch.state === 'resolving' ? {} : { judgeRest: judgeRest(clock) }),
    change,
  };
  await checkAll(ledger, batch, check);
}

/** More of them are not kept with a row. */
const OTHER_WAYS_MOST = 100;

/** Keeps with the row whom its prices are compared with later. What it meets in another way too is one question, asked already. */
function withOtherWays(row: RowRecord, { encounters }: Met, judged: Judged | null): Judged | null {
  const isOther = ({ kind }: Encounter): boolean => kind === 'other-way';
  const placeNamed = ({ other }: Encounter): string => `${other.batch}/${other.row}`;
  const asked = new Set(encounters.filter((each) => !isOther(each)).map(placeNamed));
  const otherWays = encounters
    .filter((each) => isOther(each) && !asked.has(placeNamed(each)))
    .slice(0, OTHER_WAYS_MOST)
    .map(({ other: { batch, position } }) => ({ batch, position }));
  if (otherWays.length === 0) return judged;
  const { progress, ...rest } = judged ?? {
    progress: row.progress,
    event: 'cross-check: to be compared by its price',
  };
  return { ...rest, progress: withComparison(progress, { otherWays }) };
}

/** The service's time when the check of a new file begins: this machine's clock must not decide which payments are recent. */
async function timeOf(paydrop: Paydrop, { state, checked }: BatchRecord): Promise<string | null> {
  if (checked?.at !== undefined || state !== 'checking') return checked?.at ?? null;
  const now = await askedTime(paydrop);
  return now === null || paydrop.serviceClock.earliestNow() === null ? null : isoTime(now);
}

/** Payments accepted since then are recent (ISO). */
export function windowStart(
  { checked, acceptedAt }: Pick<BatchRecord, 'acceptedAt' | 'checked'>,
  { duplicateWindow }: { readonly duplicateWindow: number },
): string {
  return isoTime(Date.parse(checked?.at ?? acceptedAt) - duplicateWindow);
}

function judgeRest(clock: Pick<Clock, 'now'>): (row: RowRecord, repeats: Repeats) => Judged | null {
  return (row, { batch, rows }) => {
    if (stageOrHeld(row.progress) !== 'ready' || row.progress.transfer !== null) return null;
    const where = sentence('crossCheck.judgeRest', { rows, batch });
    return marked(row, held('file_paid_before', where), 'cross-check of the file', clock.now());
  };
}

/**
 * Checks the unsent rows of a batch against batches that were rebuilt after its check: an older ledger did not know their payments. A person's
 * decisions about other batches stay.
 */
export async function crossCheckAgain(
  paydrop: Paydrop,
  batch: BatchRecord,
  rebuilt: ReadonlySet<string>,
): Promise<void> {
  const { ledger, clock } = paydrop;
  const policy = await policyFor(paydrop, batch);
  const lostAt = await latestDoubt(paydrop);
  await checkAll(ledger, batch, {
    limit: LIMIT_ROWS,
    at: null,
    since: windowStart(batch, policy),
    everyRow: false,
    countsUnseen: true,
    judge: (row, { encounters }) => {
      const isOpen = isUnconfirmed(row.progress);
      if (!isOpen && !isUnsent(row.progress)) return null;
      const lost = encounters.filter(({ other }) => rebuilt.has(other.batch));
      if (lost.some(({ other }) => other.isUnseen)) return unseen(row, lostAt);
      const finding = judgeEncounters(row, lost);
      if (finding === null) return null;
      return isOpen
        ? heldOpen(row, finding, clock.now())
        : marked(row, finding, 'cross-check after a rebuild', clock.now());
    },
    change: {},
  });
}

/** It has a known transfer, and as far as this ledger knows nobody has confirmed it. */
function isUnconfirmed(progress: Progress): boolean {
  return progress.transfer !== null && BEFORE_CONFIRM.has(stageOrHeld(progress));
}

/** Not a duplicate, while its own unconfirmed transfer may still be paid: a person decides, unless the service shows that it is on its way. */
export function heldOpen(row: RowRecord, finding: Finding, now: number): ReturnType<CrossCheck['judge']> {
  const asHeld: Finding =
    finding.kind === 'held'
      ? finding
      : {
          kind: 'held',
          code: 'reference_undecided',
          words: sentence('crossCheck.open', { counted: finding.words }),
        };
  return marked(row, asHeld, 'cross-check after a rebuild', now);
}

/** The service knows nothing of it, and its batch would send it without asking anybody. */
function isUnsent({ stage, transfer, hold }: Progress): boolean {
  return transfer === null && hold === null && (stage === 'ready' || stage === 'quoted');
}

export async function checkAll(ledger: Ledger, batch: BatchRecord, check: CrossCheck): Promise<void> {
  let isDone = false;
  while (!isDone) isDone = await ledger.crossCheck(batch, check);
}

export function marked(
  { progress }: RowRecord,
  finding: Finding,
  check: string,
  now: number,
): ReturnType<CrossCheck['judge']> {
  const repeats = finding.kind === 'held' ? finding.repeats : undefined;
  return {
    progress: progressAfter(progress, finding, now),
    event: `${check}: ${finding.kind}`,
    ...(repeats === undefined ? {} : { repeats }),
  };
}

const asHold = (code: HoldCode): Finding => ({ kind: 'held', code, words: HOLDS[code].words });

export const NEW_ACCOUNT: Finding = asHold('new_account');
const SAME_BYTES_AGAIN: Finding = asHold('same_bytes_again');

export function judgeMet(row: RowRecord, { encounters, sameContent }: Met): Finding | null {
  return judgeEncounters(row, encounters) ?? judgeContent(row, sameContent);
}

type Judgeable = Pick<RowRecord, 'batch' | 'reference' | 'fingerprint'>;
type MetRow = Pick<Encounter, 'kind' | 'other'>;

export function judgeEncounters(row: Judgeable, encounters: readonly MetRow[]): Finding | null {
  // A payment of a moment ago says more than one of a month ago.
  const first = (kind: Encounter['kind']) => {
    const found = encounters.filter((encounter) => encounter.kind === kind);
    return found.find(({ other }) => other.isRecent) ?? found[0];
  };
  const byReference = first('same-reference');
  if (byReference !== undefined) return metReference(row, byReference);
  const byRow = first('same-row');
  if (byRow !== undefined) return metRow(row, byRow);
  const bySimilar = first('similar-reference');
  if (bySimilar !== undefined) return held('similar_reference', placeOf(bySimilar));
  const byPayment = first('same-payment') ?? first('other-reference');
  if (byPayment === undefined) return null;
  if (byPayment.other.stage === 'failed') return held('reversed_before', placeOf(byPayment));
  if (byPayment.kind === 'other-reference') return paidBefore('same_payment_other_reference', byPayment);
  return byPayment.other.batch === row.batch
    ? held('equal_rows', placeOf(byPayment))
    : paidBefore('same_payment_recently', byPayment);
}

/** True for a payment that is made or certain to be tried, and belongs to an earlier period. */
function isOfEarlierPeriod({ stage, isRecent }: Encounter['other']): boolean {
  return !isRecent && stage !== 'held' && stage !== 'rejected' && stage !== 'failed';
}

function paidBefore(code: HoldCode, encounter: Pick<Encounter, 'other'>): Finding {
  return { ...held(code, placeOf(encounter)), repeats: encounter.other.batch };
}

/** The row comes back in a file made from our own answers. */
function metRow({ fingerprint }: Judgeable, encounter: MetRow): Finding {
  const { other } = encounter;
  if (other.stage === 'failed') return held('reversed_before', placeOf(encounter));
  if (isOfEarlierPeriod(other)) return paidBefore('paid_in_earlier_period', encounter);
  if (other.fingerprint !== fingerprint || other.stage === 'held' || other.stage === 'rejected')
    return held('earlier_row_paid', placeOf(encounter));
  return {
    kind: 'duplicate',
    code: 'duplicate_row',
    words: sentence('crossCheck.metRow', { placeOf: placeOf(encounter) }),
  };
}

/** A duplicate is final, so it needs a payment that is made or certain to be tried; a row that waits for a person may still be cancelled. */
function metReference({ reference, fingerprint }: Judgeable, encounter: MetRow): Finding {
  const { other } = encounter;
  if (other.stage === 'failed') return held('reversed_before', placeOf(encounter));
  if (isOfEarlierPeriod(other)) return paidBefore('paid_in_earlier_period', encounter);
  if (other.fingerprint !== fingerprint) return held('reference_paid_differently', placeOf(encounter));
  if (other.stage === 'held' || other.stage === 'rejected')
    return held('reference_undecided', undecidedPlaceOf(encounter));
  const words: Words = sentence('crossCheck.metReference', { reference, placeOf: placeOf(encounter) });
  return { kind: 'duplicate', code: 'duplicate_reference', words };
}

function judgeContent({ reference }: RowRecord, earlier: BatchRecord | null): Finding | null {
  if (earlier === null || reference !== null) return null;
  const date = earlier.acceptedAt.slice(0, 10);
  return held('same_content', sentence('crossCheck.judgeContent', { id: earlier.id, date }));
}

export function held(code: HoldCode, where: Words): Extract<Finding, { readonly kind: 'held' }> {
  return { kind: 'held', code, words: sentence('crossCheck.held', { counted: HOLDS[code].words, where }) };
}

function placeOf({ other }: Pick<Encounter, 'other'>): Words {
  const date = other.acceptedAt.slice(0, 10);
  return sentence('crossCheck.placeOf', { row: other.row, batch: other.batch, date });
}

/** Its file may be refused before a person has decided, and then no decision is left to make there. */
function undecidedPlaceOf(encounter: Pick<Encounter, 'other'>): Words {
  return sentence('crossCheck.undecidedPlaceOf', { counted: placeOf(encounter) });
}

function progressAfter(progress: Progress, finding: Finding, now: number): Progress {
  switch (finding.kind) {
    case 'duplicate':
      return {
        ...progress,
        stage: 'duplicate',
        hold: null,
        why: { errorCode: finding.code, reason: finding.words },
      };
    case 'held':
      return { ...progress, hold: newHold(finding.code, now, finding.words) };
  }
}
