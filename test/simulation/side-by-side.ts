// What the delivery concluded about a row, beside what the evidence on record and the last looks allow: each record is held against the pure functions
// of `payouts/attempt.ts`, which know nothing of how it came about. Whatever the two say is counted; only some pairs agree.
import type { RowChange } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import {
  attemptOf,
  takenUp,
  canStillPay,
  isLast,
  type Attempt,
  type IsLast,
  type MayPay,
  type Shown,
} from '../../src/payouts/attempt.ts';
import { externalId } from '../../src/payouts/payout.ts';
import { stageOrHeld, type KnownTransfer, type Progress } from '../../src/payouts/progress.ts';
import type { Entry, Journal } from '../invariants/journal.ts';

/** What a record concludes from silence, from `created` or from a failure. */
type Conclusion = 'dead' | 'later exists' | 'uncertain' | 'rejected' | 'failed' | 'waits' | 'asks';

/** What the evidence says to the question that the conclusion answers. */
export type Compared = {
  readonly concluded: Conclusion;
  readonly evidence: string;
  /** What keeps the evidence from saying more. */
  readonly because: string;
};

const AGREED: Readonly<Record<Conclusion, readonly string[]>> = {
  dead: ['no'],
  'later exists': ['last: no'],
  uncertain: ['ask-a-person, last: yes'],
  rejected: ['no'],
  failed: ['last: yes'],
  waits: ['look again'],
  asks: ['ask-by-confirming'],
};

export function isAgreed({ concluded, evidence }: Compared): boolean {
  return AGREED[concluded].includes(evidence);
}

type Answered = Extract<Entry, { kind: 'answered' }>;

export class SideBySide {
  readonly found: Compared[] = [];
  readonly #journal: Journal;
  readonly #fileId: string;

  constructor(journal: Journal, fileId: string) {
    this.#journal = journal;
    this.#fileId = fileId;
  }

  /** @param latestNow the latest that it can be at the service, by all answers of the run: a look of which no time was told came before it. */
  compare(row: RowRecord, run: string, { progress: after }: RowChange, latestNow: number | null): void {
    const { progress: before } = row;
    const concluded = conclusionOf(before, after);
    if (concluded === null) return;
    const transfer = transferOf(before, after);
    const shown = this.#shown(run, row, before.transferAttempt, transfer);
    const later = this.#shown(run, row, before.transferAttempt + 1, null);
    const own = attemptOf(takenUp(before, run));
    const attempt = transfer === null || before.transfer !== null ? own : asFound(own);
    const since = before.rebuiltAt ?? after.rebuiltAt;
    const pay = words(canStillPay(attempt, shown, run, before.rebuiltAt));
    const last = words(isLast(attempt, { ...shown, at: latestNow }, later, run, since));
    const evidence = evidenceOf(concluded, pay, last);
    this.found.push({ concluded, evidence, because: reasonOf({ attempt, shown, later, run }) });
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
  if (after.transferAttempt > before.transferAttempt)
    return after.deadAttempts.at(-1)?.proof === 'later-attempt-exists' ? 'later exists' : 'dead';
  if (after.hold !== null) return after.hold.code === 'confirm_uncertain' ? 'uncertain' : null;
  if (after.stage === 'rejected') return 'rejected';
  if (after.stage === 'failed') return 'failed';
  if (after.silentAt !== before.silentAt) return 'waits';
  return null;
}

function transferOf(before: Progress, after: Progress): KnownTransfer | null {
  const given = after.transferAttempt > before.transferAttempt ? after.deadAttempts.at(-1)?.transfer : null;
  return given ?? after.transfer ?? before.transfer;
}

/** One that was found, and not created by an answer to this very run, may have been confirmed by whoever made it. */
function asFound(attempt: Attempt): Attempt {
  return attempt.confirm === 'none' ? { ...attempt, confirm: 'sent' } : attempt;
}

/** The first that holds; each of them is a reason to wait which the conclusion did not know or did not need. */
function reasonOf({
  attempt,
  shown,
  later,
  run,
}: {
  readonly attempt: Attempt;
  readonly shown: Shown;
  readonly later: Shown;
  readonly run: string;
}): string {
  if (attempt.transfer === null && shown.transfer === null) {
    if (attempt.mayArriveUntil === null && attempt.begunBy !== run)
      return 'of another run, and no expiry is known';
    return attempt.silentAt === null ? 'the first look beyond the fence' : '';
  }
  if (shown.at === null) return 'the look told no time';
  return later.at === null
    ? 'the later attempt was not looked for, or that look told no time'
    : 'within the doubt of the ledger, or the difference of clocks';
}

function words(verdict: MayPay | IsLast): string {
  return typeof verdict === 'string' ? verdict : 'look again';
}

function evidenceOf(concluded: Conclusion, pay: string, last: string): string {
  if (concluded === 'later exists' || concluded === 'failed') return `last: ${last}`;
  return concluded === 'uncertain' ? `${pay}, last: ${last}` : pay;
}
