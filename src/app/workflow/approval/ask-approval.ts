// Asks for the approval of exactly the rows that would be sent, at their present prices: the preview first, then the question on record. The
// notice to the approvers goes out with the notice of what the batch waits for.
import { isoTime } from '../../../base/clock.ts';
import { formatAmount } from '../../../base/currency.ts';
import { type DecimalText, addDecimals, compareDecimals, grouped } from '../../../base/decimal.ts';
import { type Language, type Words, joinWords } from '../../../base/language.ts';
import { isSamePerson, isSystemUser } from '../../../base/person-name.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { approvalName } from '../../../inbox/answer-name.ts';
import {
  type ApprovalSum,
  type Asked,
  type MostDebit,
  type QuestionSubject,
  isWithin,
  mostOf,
  waitsForAnswer,
} from '../../../ledger/approval.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { debitOf } from '../../../service/wire.ts';
import { pageOf } from '../../config/listeners.ts';
import { policyOf } from '../../config/policy.ts';
import { scheduledWords } from '../take/decide-pay-at.ts';
import { approvalByNow } from '../decisions/may-decide.ts';
import { limitsStop } from '../send/stops.ts';
import { takenProfile } from '../take/profile-for.ts';
import { lastPreview, publishPreview } from './approval-preview.ts';
import { batchOf, type Work } from '../work.ts';
import { questionCode } from './matches-request.ts';
import { subjectOf } from './question-subject.ts';

/** Call it once every row has its price. Null when nothing is left that could be sent; `why` precedes the question. */
export async function askApproval(work: Work, why: readonly Words[]): Promise<RunEnd | null> {
  const { paydrop, batch } = work;
  const { ledger, log } = paydrop;
  const { approval } = await batchOf(paydrop, batch.id);
  // Also after a lost ledger: a question's preview keeps its number, and its bytes.
  const round = 1 + Math.max(approval?.kind === 'asked' ? approval.round : 0, await lastPreview(work));
  const asked = await questionOf(work, round, why);
  if (asked === null) return null;
  const { question, positions } = asked;
  if (await ledger.askApproval(batch, question, positions)) log.info('approval asked', { batch: batch.id });
  const now = await batchOf(paydrop, batch.id);
  // Another process may have asked first, and may have its answer by now: the next go finds it.
  return waitingEnd(
    now.approval?.kind === 'asked' && waitsForAnswer(now) ? now.approval.words : question.words,
  );
}

async function questionOf(
  work: Work,
  round: number,
  why: readonly Words[],
): Promise<{ readonly question: Omit<Asked, 'coverage'>; readonly positions: readonly number[] } | null> {
  const { paydrop, batch } = work;
  const { positions, totals, sent } = await sumsToSend(paydrop.ledger, batch.id);
  if (positions.length === 0) return null;
  const { name: preview, sha256: previewSha256, lines } = await publishPreview(work, round);
  const profile = await takenProfile(paydrop.workspace, batch);
  const { maxDrift } = policyOf(paydrop.config.policy, profile?.policy);
  // If there is a reason to ask again, this is not the first question, even if no earlier one is on record.
  const mayFollowAnother = round > 1 || why.length > 0;
  const askedAt = isoTime(paydrop.clock.now());
  const rows = positions.length;
  const { web } = paydrop.config;
  const approvalBy = approvalByNow(paydrop.config);
  const met = await limitsStop(paydrop, batch);
  const now = await batchOf(paydrop, batch.id);
  const subject = { ...(await subjectOf(paydrop, now, profile)), limits: met?.words ?? null };
  const said = { preview, previewSha256, approvalBy, round, mayFollowAnother, askedAt };
  const asked = { rows, totals, sent, subject, ...said };
  const question = {
    ...asked,
    kind: 'asked',
    most: mostOf({ sent, totals }, maxDrift),
    maxDrift,
    words: joinWords([
      ...why,
      questionWords(batch, asked, { lines, approvers: paydrop.config.approvers, page: pageOf(web) }),
    ]),
    isOutdated: false,
    given: null,
    isChecked: false,
    declined: null,
  } as const;
  return { question, positions };
}

/** The end of a run that waits for an approval. */
export function waitingEnd(words: Words): RunEnd {
  return { kind: 'operator', stop: { by: 'approval', words } };
}

// What would be sent of a batch and what has been sent, by source currency, from its rows: the subject of an approval.

type SumsToSend = {
  /** Positions of the rows that would be sent. */
  readonly positions: readonly number[];
  /** How many of those rows have no price. */
  readonly unpriced: number;
  readonly totals: readonly ApprovalSum[];
  /** Money that has left the account, or may have. */
  readonly sent: readonly ApprovalSum[];
  /** Rows that wait for a person, and are not included. */
  readonly held: number;
};

export async function sumsToSend(ledger: Ledger, batch: string): Promise<SumsToSend> {
  const [totals, sent] = [new Sums(), new Sums()];
  const positions: number[] = [];
  let [unpriced, held] = [0, 0];
  for await (const row of batchRows(ledger, batch)) {
    const { payout, progress } = row;
    if (progress.hold !== null) held += 1;
    if (payout === null) continue;
    const share = shareOf(row);
    if (share === null) continue;
    if (share.of === 'sent') sent.add(payout.sourceCurrency, share.debit ?? '0');
    else {
      positions.push(row.position);
      totals.add(payout.sourceCurrency, share.debit ?? '0');
      if (share.debit === null) unpriced += 1;
    }
  }
  return { positions, unpriced, totals: totals.all(), sent: sent.all(), held };
}

type Share = { readonly of: 'totals' | 'sent'; readonly debit: DecimalText | null };

/** Null for a row that is not sent, or whose money came back. */
function shareOf({ progress }: RowRecord): Share | null {
  const { price, transfer } = progress;
  const ofTransfer = transfer === null ? null : debitOf(transfer);
  switch (stageOrHeld(progress)) {
    case 'ready':
    case 'quoted':
      return { of: 'totals', debit: price === null ? null : debitOf(price) };
    case 'created':
    case 'confirming':
      return { of: 'totals', debit: ofTransfer };
    case 'confirmed':
    case 'paid':
      return { of: 'sent', debit: ofTransfer };
    case 'held':
      return transfer === null ? null : { of: 'sent', debit: ofTransfer };
    case 'rejected':
      return transfer === null || progress.confirm === 'none' ? null : { of: 'sent', debit: ofTransfer };
    case 'failed':
    case 'duplicate':
      return null;
  }
}

export function areWithin(most: MostDebit, sums: readonly ApprovalSum[]): boolean {
  return sums.every(({ currency, debit }) => isWithin(most, currency, debit));
}

/** The whole batch: the money sent and the money to send. */
export function wholeSums({ sent, totals }: Pick<SumsToSend, 'sent' | 'totals'>): readonly ApprovalSum[] {
  const all = new Sums();
  for (const { currency, debit, rows } of [...sent, ...totals]) all.add(currency, debit, rows);
  return all.all();
}

class Sums {
  readonly #sums = new Map<string, ApprovalSum>();

  add(currency: string, debit: DecimalText, rows = 1): void {
    const before = this.#sums.get(currency) ?? { currency, rows: 0, debit: '0' };
    this.#sums.set(currency, {
      currency,
      rows: before.rows + rows,
      debit: addDecimals(before.debit, debit),
    });
  }

  all(): readonly ApprovalSum[] {
    return [...this.#sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }
}

// The words of an approval: what is asked, of whom, and why an earlier answer no longer counts.

/** `1268750 XAF`, followed by every other currency. */
export function describeSums(sums: readonly ApprovalSum[]): string {
  return sums
    .map(({ currency, debit }) => `${formatAmount(debit, currency)} ${currency}`)
    .sort()
    .join(' + ');
}

/** The same with thousands separators, for people. */
export function shownSums(sums: readonly ApprovalSum[]): Words {
  const each = sums
    .map(({ currency, debit }) => [currency, grouped(formatAmount(debit, currency))] as const)
    .sort(([a], [b]) => a.localeCompare(b));
  const of = (language: Language) =>
    each.map(([currency, amount]) => `${amount[language]} ${currency}`).join(' + ');
  return { en: of('en'), fr: of('fr') };
}

/** A text copied from the question counts as its value. */
export function isTotal(said: string, sums: readonly ApprovalSum[]): boolean {
  const plain = (text: string): string => text.replace(/\s+/gu, ' ').trim();
  const { en, fr } = shownSums(sums);
  return [describeSums(sums), en, fr].some((total) => plain(total) === plain(said));
}

export function rowsWords(rows: number): Words {
  return rows === 1 ? sentence('approval.rows.row') : sentence('approval.rows.rows', { rows });
}

type Question = Omit<
  Asked,
  'coverage' | 'most' | 'maxDrift' | 'words' | 'kind' | 'isOutdated' | 'given' | 'isChecked' | 'declined'
>;

type Around = {
  readonly lines: readonly PreviewLine[];
  readonly approvers: readonly { readonly name: string; readonly folder: string }[];
  /** The address for signing with a passkey; null where there is no page. */
  readonly page: string | null;
};

/** The whole question, ready for everybody who may answer it. */
function questionWords(batch: BatchRecord, asked: Question, around: Around): Words {
  const { lines } = around;
  const { held } = asked.subject.leftOut;
  return joinWords([
    ...subjectWords(asked.subject),
    whatWords(asked),
    ...dayWords(batch, Date.parse(asked.askedAt)),
    ...(asked.sent.length === 0 ? [] : [sentWords(asked.sent)]),
    ...lines.flatMap(shortfallWords),
    ...(held === 0 ? [] : [heldWords(held)]),
    howWords(batch, asked, around),
  ]);
}

function whatWords({ rows, totals, subject }: Question): Words {
  const sums = shownSums(totals);
  const received = shownSums(subject.received.map(({ amount, ...sum }) => ({ ...sum, debit: amount })));
  return sentence('approval.what', { counted: rowsWords(rows), sums, received });
}

/** Payees whose accounts have changed, of whom the first are named here. */
const CHANGED_NAMED = 3;

/** What is unusual, changed accounts before all else; what was left out and let go; who reads the file; and what the answer does not lift. */
function subjectWords({
  warned,
  warnings,
  leftOut,
  released,
  readBy,
  limits,
}: QuestionSubject): readonly Words[] {
  const changed = warnings.filter(({ kind }) => kind === 'changed_account');
  const others = warned.rows - new Set(changed.map(({ row }) => row)).size;
  const named = changed
    .slice(0, CHANGED_NAMED)
    .map(({ name, before, after }) => `${name} (${before ?? '?'} → ${after ?? '?'})`)
    .join(', ');
  return [
    ...(changed.length === 0
      ? []
      : [
          sentence('approval.changedAccounts', {
            count: warned.changedAccounts,
            named,
            isMore: warned.changedAccounts > CHANGED_NAMED,
          }),
        ]),
    ...(others <= 0 ? [] : [sentence('approval.otherWarnings', { count: others })]),
    ...(leftOut.rejected === 0
      ? []
      : [sentence('approval.leftOut', { counted: rowsWords(leftOut.rejected), count: leftOut.rejected })]),
    ...released.map(({ by, reason, rows }) =>
      sentence('approval.wasReleased', { by, reason, rows: rows.join(', ') }),
    ),
    ...(readBy === null
      ? []
      : [
          sentence('approval.readBy', {
            profile: readBy.profile,
            author: readBy.author ?? '',
            confirmedBy: readBy.confirmedBy ?? '',
          }),
        ]),
    ...(limits === null ? [] : [sentence('approval.meetsLimits', { limits })]),
  ];
}

/** The day to come on which a file is paid; none for one that is paid as soon as it may be. */
export function dayWords({ payAt }: Pick<BatchRecord, 'payAt'>, now: number): readonly Words[] {
  return payAt === undefined || Date.parse(payAt.at) <= now ? [] : [scheduledWords(payAt)];
}

function sentWords(sent: readonly ApprovalSum[]): Words {
  const rows = rowsWords(sent.reduce((sum, each) => sum + each.rows, 0));
  const sums = shownSums(sent);
  return sentence('approval.sent', { rows, sums });
}

function shortfallWords({ sourceCurrency, shortfall, availableAmount }: PreviewLine): readonly Words[] {
  if (shortfall === null || compareDecimals(shortfall, '0') === 0) return [];
  return [
    sentence('approval.shortfall', {
      available: grouped(availableAmount ?? '0'),
      sourceCurrency,
      missing: grouped(shortfall),
    }),
  ];
}

function heldWords(held: number): Words {
  return sentence('approval.held', { counted: rowsWords(held), held });
}

function howWords(batch: BatchRecord, asked: Question, { approvers, page }: Around): Words {
  const { id, sha256, submittedBy = [] } = batch;
  const { preview, previewSha256 = '' } = asked;
  const submitters = submittedBy.filter((name) => !isSystemUser(name));
  const others = approvers.filter(({ name }) => !submitters.some((each) => isSamePerson(each, name)));
  const other = whoWords(submitters, approvers.length > 0 ? others.map(({ name }) => name) : null);
  const file = approvalName(id);
  if (asked.approvalBy === 'signature' && page !== null)
    return sentence('approval.how.page', { other, id, preview, previewSha256, page });
  if (asked.approvalBy === 'signature')
    return sentence('approval.how.signs', { other, id, preview, previewSha256, file, sha256 });
  const code = asked.mayFollowAnother ? questionCode(batch, asked) : null;
  const question = code === null ? '' : ` --question ${code}`;
  const folders = others.map(({ folder }) => `${folder.replace(/\/+$/, '')}/`).join(', ');
  return joinWords([
    sentence('approval.how.saysEveryRow', { other, id, question }),
    ...(folders === '' ? [] : [byFileWords(file, folders, code)]),
    sentence('approval.how.preview', { preview, previewSha256, sha256 }),
  ]);
}

/** For an approver who has a folder and no command line. */
function byFileWords(file: string, folders: string, code: string | null): Words {
  return code === null
    ? sentence('approval.how.emptyFile', { file, folders })
    : sentence('approval.how.fileWithCode', { file, folders, code });
}

/** @param approvers null where anybody else may approve. */
function whoWords(submitters: readonly string[], approvers: readonly string[] | null): Words {
  if (approvers !== null) return sentence('approval.how.oneOf', { names: approvers.join(', ') });
  const names = submitters.join(', ');
  return names === ''
    ? sentence('approval.how.somebodyWhoLooked')
    : sentence('approval.how.somebodyOtherThan', { names });
}

/** Why an approval no longer counts: from which total to which it has grown. */
export function lapsedWords({ given, maxDrift }: Asked, from: Words, to: Words): Words {
  const by = given?.by ?? '';
  const date = given?.at.slice(0, 10) ?? '';
  return sentence('approval.lapsed', { by, date, from, to, maxDrift });
}
