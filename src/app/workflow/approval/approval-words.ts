// What is said of an approval: what is asked, of whom, and why an earlier answer no longer holds.
import { joinWords, type Language, type Words } from '../../../base/language.ts';
import { formatAmount } from '../../../base/currency.ts';
import { compareDecimals, grouped } from '../../../base/decimal.ts';
import { isSamePerson, isSystemUser } from '../../../base/person-name.ts';
import { approvalName } from '../../../inbox/batch-name.ts';
import type { ApprovalSum, Asked } from '../../../ledger/approval.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { mayFollowAnother, questionCode } from './matches-request.ts';
import { sentence } from '../../../messages/messages.ts';

/** `1268750 XAF`, and every other currency behind it. */
export function describeSums(sums: readonly ApprovalSum[]): string {
  return sums
    .map(({ currency, debit }) => `${formatAmount(debit, currency)} ${currency}`)
    .sort()
    .join(' + ');
}

/** The same with thousands apart, as people read it. */
export function shownSums(sums: readonly ApprovalSum[]): Words {
  const each = sums
    .map(({ currency, debit }) => [currency, grouped(formatAmount(debit, currency))] as const)
    .sort(([a], [b]) => a.localeCompare(b));
  const of = (language: Language) =>
    each.map(([currency, amount]) => `${amount[language]} ${currency}`).join(' + ');
  return { en: of('en'), fr: of('fr') };
}

/** What is copied from the question counts as what it means. */
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
  /** Rows that are not part of it. */
  readonly held: number;
  readonly lines: readonly PreviewLine[];
  readonly approvers: readonly { readonly name: string }[];
};

/** The whole question, ready for whoever may answer it. */
export function questionWords(id: string, asked: Question, { held, lines, approvers }: Around): Words {
  return joinWords([
    whatWords(asked),
    ...(asked.sent.length === 0 ? [] : [sentWords(asked.sent)]),
    ...lines.flatMap(shortfallWords),
    ...(held === 0 ? [] : [heldWords(held)]),
    howWords(id, asked, approvers),
  ]);
}

function whatWords({ rows, totals }: Question): Words {
  const { en, fr } = rowsWords(rows);
  const sums = shownSums(totals);
  return sentence('approval.what', { counted: { en, fr }, sums });
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
  const { en, fr } = rowsWords(held);
  return sentence('approval.held', { counted: { en, fr }, held });
}

function howWords(id: string, asked: Question, approvers: Around['approvers']): Words {
  const { preview, sha256 } = asked;
  const other = whoWords(asked, approvers);
  const question = mayFollowAnother(asked) ? ` --question ${questionCode(asked)}` : '';
  if (asked.approvalBy === 'signature')
    return sentence('approval.how.signs', { other, id, preview, file: approvalName(id), sha256 });
  return sentence('approval.how.saysEveryRow', { other, id, preview, question, sha256 });
}

function whoWords({ submittedBy }: Question, approvers: Around['approvers']): Words {
  const submitters = submittedBy.filter((name) => !isSystemUser(name));
  if (approvers.length > 0) {
    const isOther = ({ name }: { readonly name: string }) =>
      !submitters.some((each) => isSamePerson(each, name));
    const names = approvers.filter(isOther).map(({ name }) => name);
    return sentence('approval.how.oneOf', { names: names.join(', ') });
  }
  const names = submitters.join(', ');
  return names === ''
    ? sentence('approval.how.somebodyWhoLooked')
    : sentence('approval.how.somebodyOtherThan', { names });
}

/** Why a given approval counts no more: the total has grown, from what to what. */
export function lapsedWords({ given, maxDrift }: Asked, from: string, to: string): Words {
  const by = given?.by ?? '';
  const date = given?.at.slice(0, 10) ?? '';
  return sentence('approval.lapsed', { by, date, from, to, maxDrift });
}

export const RELEASED_WORDS: Words = sentence('approval.released');

export const OVER_THRESHOLD_WORDS: Words = sentence('approval.overThreshold');

export const RENEWED_WORDS: Words = sentence('approval.renewed');
