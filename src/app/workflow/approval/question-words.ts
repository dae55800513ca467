// The words of an approval: what is asked, of whom, and why an earlier answer no longer counts. The terminal, the mail and the notices have them from here.
import { formatAmount, moneyWords } from '../../../base/currency.ts';
import { compareDecimals, grouped } from '../../../base/decimal.ts';
import { joinWords, LANGUAGES, mapWords, type Words } from '../../../base/language.ts';
import { isSamePerson, isSystemUser } from '../../../base/person-name.ts';
import { approvalName } from '../../../inbox/answer-name.ts';
import type { ApprovalSum, Asked, QuestionSubject, QuestionWarning } from '../../../ledger/approval.ts';
import { isOnDays } from '../../../ledger/days.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { dueWords, scheduledWords } from '../batch/decide-pay-at.ts';
import { questionCode } from './matches-request.ts';

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
  return joinWords(
    each.map(([currency, amount]) => mapWords(amount, (text) => `${text} ${currency}`)),
    ' + ',
  );
}

/** A text copied from the question counts as its value. */
export function isTotal(said: string, sums: readonly ApprovalSum[]): boolean {
  const plain = (text: string): string => text.replace(/\s+/gu, ' ').trim();
  const shown = shownSums(sums);
  return [describeSums(sums), ...LANGUAGES.map((language) => shown[language])].some(
    (total) => plain(total) === plain(said),
  );
}

export function rowsWords(rows: number): Words {
  return rows === 1 ? sentence('approval.rows.row') : sentence('approval.rows.rows', { rows });
}

type Question = Omit<
  Asked,
  | 'coverage'
  | 'most'
  | 'maxDrift'
  | 'words'
  | 'kind'
  | 'isOutdated'
  | 'first'
  | 'given'
  | 'isChecked'
  | 'declined'
>;

type Around = {
  readonly lines: readonly PreviewLine[];
  readonly approvers: readonly { readonly name: string; readonly folder: string }[];
  /** The address for signing with a passkey; null where there is no page. */
  readonly page: string | null;
};

/** The whole question, ready for everybody who may answer it. */
export function questionWords(batch: BatchRecord, asked: Question, around: Around): Words {
  const { lines } = around;
  const { limits, leftOut } = asked.subject;
  const { held } = leftOut;
  return joinWords([
    ...subjectWords(asked.subject),
    whatWords(asked),
    ...dayWords(batch, Date.parse(asked.askedAt)),
    ...(limits === null ? [] : [sentence('approval.meetsLimits', { limits })]),
    ...(asked.sent.length === 0 ? [] : [sentWords(asked.sent)]),
    ...lines.flatMap(shortfallWords),
    ...(held === 0 ? [] : [heldWords(held)]),
    ...(asked.needed === undefined ? [] : [sentence('approval.two')]),
    howWords(batch, asked, around),
  ]);
}

function whatWords({ rows, totals, subject }: Question): Words {
  const sums = shownSums(totals);
  const received = shownSums(subject.received.map(({ amount, ...sum }) => ({ ...sum, debit: amount })));
  return sentence('approval.what', { counted: rowsWords(rows), sums, received });
}

/** Rows that look unusual are named one by one up to here, those behind by their numbers alone. */
const DESCRIBED = 5;
/** More numbers than these nobody reads; the preview has all. */
const NUMBERED = 20;

/** What is unusual, changed accounts before all else; what was left out and let go; and who reads the file. */
function subjectWords({ warned, warnings, leftOut, released, readBy }: QuestionSubject): readonly Words[] {
  const changed = warnings.filter(({ kind }) => kind === 'changed_account');
  const others = warnings.filter(({ kind }) => kind !== 'changed_account');
  return [
    ...(changed.length === 0
      ? []
      : [
          sentence('approval.changedAccounts', {
            count: warned.changedAccounts,
            named: eachWords(changed, changedWords, '; '),
          }),
        ]),
    ...(others.length === 0
      ? []
      : [sentence('approval.otherWarnings', { named: eachWords(others, otherWords, ' ') })]),
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
  ];
}

function changedWords({ row, name, before, after, currency, amount }: QuestionWarning): Words {
  const received = moneyWords(amount, currency);
  return sentence('approval.changedAccount', {
    ...{ row, name, received },
    ...{ before: before ?? '?', after: after ?? '?' },
  });
}

function otherWords({ row, name, words }: QuestionWarning): Words {
  return sentence('approval.otherWarning', { row, name, words });
}

/** The first of them as they are described, and the rows of the others. */
function eachWords(
  warnings: readonly QuestionWarning[],
  describe: (warning: QuestionWarning) => Words,
  between: string,
): Words {
  const rest = [...new Set(warnings.slice(DESCRIBED).map(({ row }) => row))];
  const rows = rest.slice(0, NUMBERED).join(', ');
  const also =
    rest.length === 0 ? [] : [sentence('approval.alsoRows', { rows, isMore: rest.length > NUMBERED })];
  return joinWords([...warnings.slice(0, DESCRIBED).map(describe), ...also], between);
}

/** The day to come on which a file is paid, or those of a message that names several; none for one that is paid as soon as it may be. */
export function dayWords({ payAt }: Pick<BatchRecord, 'payAt'>, now: number): readonly Words[] {
  if (isOnDays(payAt)) return [dueWords(payAt, now)].filter((words) => words !== null);
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
  const lines = [
    sentence('approval.how.saysEveryRow', { other, id, question }),
    ...(folders === '' ? [] : [byFileWords(file, folders, code)]),
    sentence('approval.how.preview', { preview, previewSha256, sha256 }),
  ];
  return joinWords(lines, '\n');
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
