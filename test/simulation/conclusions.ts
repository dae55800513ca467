// The conclusions of `delivery` about a row, compared with the evidence on record and the last looks: each record is checked by the pure functions of
// `payouts/proof.ts`, which know nothing of its origin. A conclusion that they do not allow is a violation, even where it happens to be true.
import type { RowChange } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { externalId } from '../../src/payouts/payout.ts';
import {
  attemptNumberOf,
  laterNumberOf,
  stageOrHeld,
  type KnownTransfer,
  type Progress,
  type Tenure,
} from '../../src/payouts/progress.ts';
import {
  deadFrom,
  type Evidence,
  evidenceOf,
  isProvedDead,
  isVouched,
  mayHaveNext,
  nextHiddenUntil,
  proving,
  type Proving,
  unseenUntil,
} from '../../src/payouts/proof.ts';
import type { Violation } from '../invariants/case-file.ts';
import type { Entry, Journal } from '../invariants/journal.ts';

/** What a record concludes from silence, from `created` or from a failure. */
type Conclusion = 'dead' | 'later exists' | 'uncertain' | 'rejected' | 'failed';

const ALLOWED: Readonly<Record<Conclusion, readonly string[]>> = {
  dead: ['no'],
  'later exists': ['last: no'],
  uncertain: ['ask-a-person'],
  rejected: ['no'],
  failed: ['last: yes'],
};

/** What a look showed of an attempt; `at`: the service's own time of it. */
type Shown = {
  readonly transfer: Pick<KnownTransfer, 'status' | 'statusCode' | 'expiredAt'> | null;
  readonly at: number | null;
};

/** The process that records, and what it signs with. */
type Carrier = { readonly life: string; readonly tenure: Tenure; readonly doubtSince: number | null };

type Answered = Extract<Entry, { kind: 'answered' }>;

export class Conclusions {
  readonly unproved: Violation[] = [];
  readonly #journal: Journal;
  readonly #fileId: string;

  constructor(journal: Journal, fileId: string) {
    this.#journal = journal;
    this.#fileId = fileId;
  }

  check(row: RowRecord, by: Carrier, { progress: after }: RowChange): void {
    for (const step of stepsBetween(row.progress, after)) this.#checkStep(row, by, step);
  }

  #checkStep(row: RowRecord, by: Carrier, { before, after }: Step): void {
    const concluded = conclusionOf(before, after);
    if (concluded === null) return;
    const transfer = transferOf(before, after);
    const shown = this.#shown(by.life, row, attemptNumberOf(before), transfer);
    const later = this.#shown(by.life, row, laterNumberOf(before), null);
    const own = evidenceOf({ ...before, begunBy: before.begunBy === by.tenure ? by.tenure : null });
    const attempt = this.#attemptOf(own, { before, transfer, by });
    const since = isVouched(attempt, { lease: by.tenure }) ? null : by.doubtSince;
    const who = proving(by.tenure, since);
    const pay = mayPay(attempt, shown, who);
    const first = since ?? before.silentAt ?? later.at;
    const failed = { ...attempt, transfer, confirmedAt: null };
    const isLast =
      later.transfer === null &&
      (after.confirmedAt !== null ||
        !mayHaveNext(failed, shown.at, who) ||
        (first !== null && nextHiddenUntil(failed, later.at, proving(by.tenure, first)) === null));
    const last = later.transfer !== null ? 'no' : isLast ? 'yes' : 'look again';
    const evidence = concluded === 'later exists' || concluded === 'failed' ? `last: ${last}` : pay;
    if (ALLOWED[concluded].includes(evidence)) return;
    const words = `concluded "${concluded}", and the evidence says "${evidence}"`;
    this.unproved.push({ invariant: 'S3', row: row.row, words });
  }

  #attemptOf(
    own: Evidence,
    { before, transfer, by }: { before: Progress; transfer: KnownTransfer | null; by: Carrier },
  ): Evidence {
    if (transfer === null || before.transfer !== null) return own;
    return this.#isMadeBy(by.life, transfer) ? { ...own, vouchedBy: by.tenure } : asFound(own);
  }

  /** Its create was answered to this run, which has kept that to itself so far. */
  #isMadeBy(run: string, { transferId }: KnownTransfer): boolean {
    const creates = new Set(
      this.#journal.flatMap((entry) =>
        entry.kind === 'sent' && entry.life === run && entry.operation === 'create' ? [entry.call] : [],
      ),
    );
    return this.#journal.some(
      (entry) =>
        entry.kind === 'answered' &&
        creates.has(entry.call) &&
        entry.httpStatus === 200 &&
        entry.transferId === transferId,
    );
  }

  /** What the last answered look of this run showed of an attempt. */
  #shown(run: string, { row }: RowRecord, attempt: number, transfer: KnownTransfer | null): Shown {
    const id = externalId(this.#fileId, row, 'transfer', attempt);
    const subjects = new Set([`ext-${id}`, transfer?.transferId ?? id, id]);
    const calls = new Map<number, Entry>();
    for (const entry of this.#journal)
      if (
        entry.kind === 'sent' &&
        entry.life === run &&
        entry.operation !== 'attach' &&
        entry.operation !== 'rates'
      )
        if (subjects.has(entry.subject)) calls.set(entry.call, entry);
    const answer = this.#journal.findLast(
      (entry): entry is Answered & Entry =>
        entry.kind === 'answered' &&
        calls.has(entry.call) &&
        entry.httpStatus !== null &&
        entry.damage === null,
    );
    if (answer?.kind !== 'answered') return { transfer: null, at: null };
    const status = answer.status;
    const at = answer.serverTime;
    if (status === null || transfer === null) {
      const isFound = status !== null;
      return { at, transfer: isFound ? { status, statusCode: '', expiredAt: '' } : null };
    }
    return { at, transfer: { ...transfer, status } };
  }
}

type Step = { readonly before: Progress; readonly after: Progress };

/** One record may give up several attempts that an older ledger did not know: each is a conclusion of its own, about an attempt that this run found. */
function stepsBetween(before: Progress, after: Progress): readonly Step[] {
  const steps: Step[] = [];
  let from = before;
  for (let given = before.deadAttempts.length + 1; given < after.deadAttempts.length; given += 1) {
    const found: Progress = {
      ...{ ...from, stage: 'ready', hold: null, transfer: null, begunBy: null },
      ...{ mayArriveUntil: null, confirmedAt: null, deadAttempts: after.deadAttempts.slice(0, given) },
    };
    steps.push({ before: from, after: found });
    from = found;
  }
  return [...steps, { before: from, after }];
}

function conclusionOf(before: Progress, after: Progress): Conclusion | null {
  if (!['ready', 'quoted', 'created', 'confirming'].includes(stageOrHeld(before))) return null;
  if (attemptNumberOf(after) > attemptNumberOf(before))
    return after.deadAttempts.at(-1)?.proof === 'later-attempt-exists' ? 'later exists' : 'dead';
  if (after.hold !== null) return after.hold.code === 'confirm_uncertain' ? 'uncertain' : null;
  if (after.stage === 'rejected') return 'rejected';
  if (after.stage === 'failed') return 'failed';
  return null;
}

function transferOf(before: Progress, after: Progress): KnownTransfer | null {
  const given = attemptNumberOf(after) > attemptNumberOf(before) ? after.deadAttempts.at(-1)?.transfer : null;
  return given ?? after.transfer ?? before.transfer;
}

/** One that was found, and not created by an answer to this very run, may have been confirmed by whoever made it. */
function asFound(attempt: Evidence): Evidence {
  return { ...attempt, isIntended: true };
}

function mayPay(attempt: Evidence, { transfer, at }: Shown, by: Proving): string {
  switch (transfer?.status) {
    case undefined:
      return unseenByNow(attempt, at, by) ? 'no' : 'look again';
    case 'created':
      if (isProvedDead(attempt, transfer, at, by)) return 'no';
      return deadFrom(attempt, transfer, by) === Infinity ? 'ask-a-person' : 'look again';
    case 'failed':
      return 'no';
    default:
      return 'yes';
  }
}

/** Where nobody vouches for an attempt, and nothing says until when it may land, the first look begins the wait. */
function unseenByNow(attempt: Evidence, at: number | null, by: Proving): boolean {
  if (!isVouched(attempt, by) && attempt.mayLandUntil === null) return false;
  return unseenUntil(attempt, at, by) === null;
}
