// The state of a batch's approval: that none is needed, or the question and a named person's answer. It is part of the batch's record, so that
// the ledger itself can refuse to count a row that no answer covers.
import { createHash } from 'node:crypto';

import type { Words } from '../base/language.ts';
import { currencyDecimals } from '../base/currency.ts';
import {
  addDecimals,
  compareDecimals,
  cutDecimals,
  type DecimalText,
  decimalsOf,
  fractionOf,
  multiplyDecimals,
} from '../base/decimal.ts';
import { PAYING, type BatchState } from './batch-states.ts';

/** Rows of one source currency, and what they debit, fees included. */
export type ApprovalSum = { readonly currency: string; readonly rows: number; readonly debit: DecimalText };

/** Rows of one target currency, and what their payees get. */
export type ReceivedSum = { readonly currency: string; readonly rows: number; readonly amount: DecimalText };

/** Something unusual about a row that would be sent. `before`, `after`: the masked ends of the payee's accounts. */
export type QuestionWarning = {
  readonly kind: 'changed_account' | 'verified_account' | 'shared_account' | 'ten_times';
  readonly row: string;
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
  /** What the payee gets. */
  readonly currency: string;
  readonly amount: DecimalText;
  readonly words: Words;
};

/** What a question is about besides its sums. */
export type QuestionSubject = {
  /** SHA-256 (hex) over every row of the file as it was read: account, amount, currencies, corridor, names, document and sender of each payment. */
  readonly payments: string;
  readonly received: readonly ReceivedSum[];
  readonly fees: readonly { readonly currency: string; readonly amount: DecimalText }[];
  /** How many rows the answer does not send. */
  readonly leftOut: { readonly rejected: number; readonly duplicate: number; readonly held: number };
  /** Rows that were held, and that a person let go. */
  readonly released: readonly {
    readonly by: string;
    readonly reason: string;
    readonly rows: readonly string[];
  }[];
  readonly warned: { readonly rows: number; readonly changedAccounts: number };
  /** Changed accounts first; of many, only the first. The digest is over all of them. */
  readonly warnings: readonly QuestionWarning[];
  readonly warningsDigest: string;
  /** Who has verified accounts that count in it; absent in a question of an earlier version. */
  readonly verifiedBy?: readonly string[];
  /** The profile by which the file was read, who proposed it, and who confirmed it; null for none. */
  readonly readBy: {
    readonly profile: string;
    readonly author: string | null;
    readonly confirmedBy: string | null;
  } | null;
  /** When it is to be paid (ISO); null for as soon as it is approved. */
  readonly payAt: string | null;
  /** The limits of a file and a day that it will meet, which an approval does not lift; null for none. */
  readonly limits: Words | null;
};

/** Who has decided about rows of a file already: let held ones go, or said that an account is the payee's own. */
export function decidersOf({
  released,
  verifiedBy = [],
}: QuestionSubject): readonly { readonly by: string }[] {
  return [...released, ...verifiedBy.map((by) => ({ by }))];
}

/** By source currency. */
export type MostDebit = Readonly<Record<string, DecimalText>>;

/** `typed`: somebody wrote a name; `folder`: it lay where only that person can write; `signature`: that person's key signed batch and file. */
export type Proof = 'typed' | 'folder' | 'signature';

/** The form of an approval: a name, or a signature. */
export const APPROVAL_BY = ['name', 'signature'] as const;
export type ApprovalBy = (typeof APPROVAL_BY)[number];

/** A signature over the question by a person's own key, as it was given, so that it can be verified again without anybody; each part in base64url but the digest, which is hex. */
export type SignedEvidence = {
  readonly digest: string;
  readonly nonce: string;
  readonly credentialId: string;
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
};

export type ApprovalAnswer = {
  readonly by: string;
  /** The approver on leave whose delegate `by` is; absent where `by` answers alone. */
  readonly standsFor?: string;
  /** ISO time. */
  readonly at: string;
  /** How it came: a command with the system's user, or a file with the folder that it lay in. */
  readonly via: string;
  /** Who typed it, as the machine knows them; absent for an answer that was not typed there. */
  readonly systemUser?: string;
  /** What shows that it is that person's. */
  readonly proof: Proof;
  /** How changed accounts were verified, in the words of whoever approved. */
  readonly verified?: string;
  /** Absent where nothing was signed in a browser. */
  readonly evidence?: SignedEvidence;
};

/** Whether somebody has to be asked is not known before the batch is priced. */
type Open = { readonly kind: 'open' };

/** No approval is needed, up to a total by source currency; null for any total. */
export type NotAsked = {
  readonly kind: 'not-asked';
  readonly upTo: MostDebit | null;
  /** The day (`yyyy-mm-dd`, UTC) on which it was dispensed with, where there is a total. */
  readonly on?: string;
  /** The way on which the file came, whose total it counts for. */
  readonly door?: string;
};

export type Asked = {
  readonly kind: 'asked';
  /** Counts the questions; an answer is to one of them. */
  readonly round: number;
  /** True when an earlier question may have been seen by somebody, be it before the ledger was lost. */
  readonly mayFollowAnother: boolean;
  readonly askedAt: string;
  /** The subject of the question, besides the file: the rows that would be sent, their debits, and what had been sent before. */
  readonly rows: number;
  readonly totals: readonly ApprovalSum[];
  readonly sent: readonly ApprovalSum[];
  /** The most that may leave the account for the whole batch, what had been sent before and the allowed drift included. */
  readonly most: MostDebit;
  /** The drift as the config had it, such as `1%`. */
  readonly maxDrift: string;
  /** Two different people have to approve it, whatever the config says later; absent where one does. */
  readonly needed?: 2;
  /** The rows that were asked about, as a digest of their positions. */
  readonly coverage: string;
  readonly subject: QuestionSubject;
  /** The question in plain words. */
  readonly words: Words;
  /** Name of the preview in the outbox, and its SHA-256 (hex); absent for a question of an earlier version. */
  readonly preview: string;
  readonly previewSha256?: string;
  /** The rule at the time of the question, whatever the config says later. */
  readonly approvalBy: ApprovalBy;
  /** True once a row was released that may not have been part of the question. */
  readonly isOutdated: boolean;
  /** The approval of the first of two people. */
  readonly first?: ApprovalAnswer;
  /** The approval that completes it: nothing is sent before. */
  readonly given: ApprovalAnswer | null;
  /** True once fresh prices were held against the approved total, before the first payment. */
  readonly isChecked: boolean;
  readonly declined: Refusal | null;
};

/** `sendsBack`: whoever brought the file is to correct it and to bring it again. */
export type Refusal = ApprovalAnswer & { readonly reason: string; readonly sendsBack?: boolean };

/** SHA-256 (hex) of everything that the question is about: a person signs it, and compares it on paper. Any change of the subject changes it. */
export function questionDigest(
  { id, sha256 }: { readonly id: string; readonly sha256: string },
  { round, coverage, rows, totals, most, maxDrift, sent, subject, needed }: Asked,
): string {
  const sums = (list: Asked['totals']) => list.map(({ currency, rows: of, debit }) => [currency, of, debit]);
  const upTo = Object.entries(most).sort(([one], [other]) => (one < other ? -1 : 1));
  const { payments, received, fees, leftOut, released, warned, warningsDigest, readBy, payAt, limits } =
    subject;
  const { verifiedBy = [] } = subject;
  const about = [
    payments,
    received.map(({ currency, rows: of, amount }) => [currency, of, amount]),
    fees.map(({ currency, amount }) => [currency, amount]),
    [leftOut.rejected, leftOut.duplicate, leftOut.held],
    released.map(({ by, reason, rows: of }) => [by, reason, of]),
    [warned.rows, warned.changedAccounts, warningsDigest],
    readBy && [readBy.profile, readBy.author, readBy.confirmedBy],
    [payAt, limits?.en ?? null],
    ...(verifiedBy.length === 0 ? [] : [verifiedBy]),
  ];
  const question = [id, round, sha256, coverage, rows, sums(totals), upTo, maxDrift, sums(sent), about];
  if (needed !== undefined) question.push(needed);
  return createHash('sha256').update(JSON.stringify(question)).digest('hex');
}

/** As people compare it, on the screen, in the notice and on paper: half of it, in groups of four signs. */
export function shownDigest(digest: string): string {
  const HALF = 32;
  return (digest.slice(0, HALF).toUpperCase().match(/.{4}/g) ?? []).join(' ');
}

export type Approval = Open | NotAsked | Asked;

type Approvable = { readonly state: BatchState; readonly approval?: Approval | undefined };

/** True while nothing can be done for the approval of a batch but to wait for an answer. */
export function waitsForAnswer({ state, approval }: Approvable): boolean {
  if (approval?.kind !== 'asked' || (state !== 'accepted' && !PAYING.has(state))) return false;
  return approval.given === null && approval.declined === null && !approval.isOutdated;
}

/** Whose approval waits for that of another person; null for nobody, and once both have approved. */
export function firstOf({
  given,
  first = null,
}: {
  readonly given: ApprovalAnswer | null;
  readonly first?: ApprovalAnswer | null;
}): ApprovalAnswer | null {
  return given === null ? first : null;
}

/** False while a batch must not leave its acceptance; one that was declined goes on to its end, with nothing to send. */
export function mayGoOn({ approval }: Pick<Approvable, 'approval'>): boolean {
  if (approval?.kind !== 'asked') return approval?.kind !== 'open';
  return approval.declined !== null || (approval.given !== null && !approval.isOutdated);
}

/** True when the ledger has to be asked before each row of the batch is created or confirmed. */
export function isGuarded({ approval }: Pick<Approvable, 'approval'>): boolean {
  return approval !== undefined && (approval.kind !== 'not-asked' || approval.upTo !== null);
}

/** Whether a row may count for money: `total` is what the batch would come to in the row's currency, this row included. */
export function isAllowed(
  approval: Approval | undefined,
  currency: string,
  total: DecimalText,
  isCovered: () => boolean,
): boolean {
  if (approval === undefined) return true;
  if (approval.kind === 'not-asked')
    return approval.upTo === null || isWithin(approval.upTo, currency, total);
  if (approval.kind === 'open' || approval.given === null || approval.declined !== null) return false;
  return isCovered() && isWithin(approval.most, currency, total);
}

/** The most that may leave the account once so much has been sent and so much is approved, in units that the currency has: nothing smaller leaves it. */
export function mostOf(
  { sent, totals }: Readonly<Record<'sent' | 'totals', readonly ApprovalSum[]>>,
  maxDrift: string,
): MostDebit {
  const factor = addDecimals('1', fractionOf(maxDrift));
  const most = new Map(sent.map(({ currency, debit }) => [currency, debit]));
  for (const { currency, debit } of totals)
    most.set(
      currency,
      addDecimals(most.get(currency) ?? '0', wholeUnits(multiplyDecimals(debit, factor), debit, currency)),
    );
  return Object.fromEntries(most);
}

/** Cut, never rounded up; of a service that prices finer than the currency is, as fine as that price. */
function wholeUnits(most: DecimalText, debit: DecimalText, currency: string): DecimalText {
  return cutDecimals(most, Math.max(currencyDecimals(currency) ?? decimalsOf(most), decimalsOf(debit)));
}

/** A total may be reached; of a currency that is not named nothing may go. */
export function isWithin(most: MostDebit, currency: string, total: DecimalText): boolean {
  const allowed = Object.hasOwn(most, currency) ? most[currency] : undefined;
  return allowed !== undefined && compareDecimals(total, allowed) <= 0;
}

/** Changes whenever something was asked, answered or outdated. */
export function approvalStamp({ approval }: Pick<Approvable, 'approval'>): string {
  if (approval?.kind !== 'asked') return '';
  const { round, given, declined, isOutdated } = approval;
  return JSON.stringify([round, given, declined, isOutdated]);
}
