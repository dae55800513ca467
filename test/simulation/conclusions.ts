// The conclusions of `delivery` about a row, compared with the evidence on record and the last looks: each record is checked by the pure functions of
// `payouts/attempt.ts`, which know nothing of its origin. A conclusion that they do not allow is a violation, even where it happens to be true.
import type { RowChange } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import {
  attemptOf,
  hiddenSince,
  takenUp,
  canStillPay,
  isLast,
  type Attempt,
  type IsLast,
  type MayPay,
  type Shown,
} from '../../src/payouts/attempt.ts';
import { externalId } from '../../src/payouts/payout.ts';
import {
  attemptNumberOf,
  laterNumberOf,
  stageOrHeld,
  type KnownTransfer,
  type Progress,
  type Tenure,
} from '../../src/payouts/progress.ts';
import type { Violation } from '../invariants/case-file.ts';
import type { Entry, Journal } from '../invariants/journal.ts';

/** What a record concludes from silence, from `created` or from a failure. */
type Conclusion = 'dead' | 'later exists' | 'uncertain' | 'rejected' | 'failed' | 'waits' | 'asks';

const ALLOWED: Readonly<Record<Conclusion, readonly string[]>> = {
  dead: ['no'],
  'later exists': ['last: no'],
  uncertain: ['ask-a-person, last: yes'],
  rejected: ['no'],
  failed: ['last: yes'],
  waits: ['look again'],
  asks: ['ask-by-confirming'],
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

  /** @param latestNow the latest that it can be at the service, by all answers of the run: a look of which no time was told came before it. */
  check(row: RowRecord, by: Carrier, { progress: after }: RowChange, latestNow: number | null): void {
    const { progress: before } = row;
    const concluded = conclusionOf(before, after);
    if (concluded === null) return;
    const transfer = transferOf(before, after);
    const shown = this.#shown(by.life, row, attemptNumberOf(before), transfer);
    const later = this.#shown(by.life, row, laterNumberOf(before), null);
    const own = attemptOf(takenUp(before, by.tenure));
    const attempt = transfer === null || before.transfer !== null ? own : asFound(own);
    const since = attempt.begunBy === by.tenure ? null : by.doubtSince;
    const pay = inWords(canStillPay(attempt, shown, by.tenure, hiddenSince(before, since)));
    const last = inWords(isLast(attempt, { ...shown, at: latestNow }, later, by.tenure, since));
    const evidence = evidenceOf(concluded, pay, last);
    if (ALLOWED[concluded].includes(evidence)) return;
    const words = `concluded "${concluded}", and the evidence says "${evidence}"`;
    this.unproved.push({ invariant: 'S3', row: row.row, words });
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

function conclusionOf(before: Progress, after: Progress): Conclusion | null {
  if (!['ready', 'quoted', 'created', 'confirming'].includes(stageOrHeld(before))) return null;
  if (attemptNumberOf(after) > attemptNumberOf(before))
    return after.deadAttempts.at(-1)?.proof === 'later-attempt-exists' ? 'later exists' : 'dead';
  if (after.hold !== null) return after.hold.code === 'confirm_uncertain' ? 'uncertain' : null;
  if (after.stage === 'rejected') return 'rejected';
  if (after.stage === 'failed') return 'failed';
  // That a failure is not told yet concludes nothing from it.
  if (after.silentAt !== before.silentAt) return after.transfer?.status === 'failed' ? null : 'waits';
  return null;
}

function transferOf(before: Progress, after: Progress): KnownTransfer | null {
  const given = attemptNumberOf(after) > attemptNumberOf(before) ? after.deadAttempts.at(-1)?.transfer : null;
  return given ?? after.transfer ?? before.transfer;
}

/** One that was found, and not created by an answer to this very run, may have been confirmed by whoever made it. */
function asFound(attempt: Attempt): Attempt {
  return attempt.confirm === 'none' ? { ...attempt, confirm: 'sent' } : attempt;
}

function inWords(verdict: MayPay | IsLast): string {
  return typeof verdict === 'string' ? verdict : 'look again';
}

function evidenceOf(concluded: Conclusion, pay: string, last: string): string {
  if (concluded === 'later exists' || concluded === 'failed') return `last: ${last}`;
  // It waits for the one answer or for the other.
  if (concluded === 'waits' && last === 'look again') return last;
  return concluded === 'uncertain' ? `${pay}, last: ${last}` : pay;
}
