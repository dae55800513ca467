// What is said of an approval: what is asked, of whom, and why an earlier answer no longer holds.
import { joinWords, type Words } from '../../../base/language.ts';
import { formatAmount } from '../../../base/currency.ts';
import { compareDecimals } from '../../../base/decimal.ts';
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

export function rowsWords(rows: number): Words {
  return rows === 1 ? sentence('approval.rows.row') : sentence('approval.rows.rows', { rows });
}

type Question = Pick<
  Asked,
  'rows' | 'totals' | 'sent' | 'submittedBy' | 'preview' | 'sha256' | 'round' | 'askedAt' | 'mayFollowAnother'
>;

/** The whole question, ready for whoever may answer it. `held` rows are not part of it. */
export function questionWords(
  id: string,
  asked: Question,
  held: number,
  lines: readonly PreviewLine[],
): Words {
  return joinWords([
    whatWords(asked),
    ...(asked.sent.length === 0 ? [] : [sentWords(asked.sent)]),
    ...lines.flatMap(shortfallWords),
    ...(held === 0 ? [] : [heldWords(held)]),
    howWords(id, asked),
  ]);
}

function whatWords({ rows, totals }: Question): Words {
  const { en, fr } = rowsWords(rows);
  const sums = describeSums(totals);
  return sentence('approval.what', { counted: { en, fr }, sums });
}

function sentWords(sent: readonly ApprovalSum[]): Words {
  const rows = rowsWords(sent.reduce((sum, each) => sum + each.rows, 0));
  const sums = describeSums(sent);
  return sentence('approval.sent', { rows, sums });
}

function shortfallWords({ sourceCurrency, shortfall, availableAmount }: PreviewLine): readonly Words[] {
  if (shortfall === null || compareDecimals(shortfall, '0') === 0) return [];
  return [sentence('approval.shortfall', { availableAmount, sourceCurrency, shortfall })];
}

function heldWords(held: number): Words {
  const { en, fr } = rowsWords(held);
  return sentence('approval.held', { counted: { en, fr }, held });
}

function howWords(id: string, asked: Question): Words {
  const { preview, submittedBy, sha256 } = asked;
  const names = submittedBy.join(', ');
  const other: Words =
    names === ''
      ? sentence('approval.how.somebodyWhoLooked')
      : sentence('approval.how.somebodyOtherThan', { names });
  const question = mayFollowAnother(asked) ? ` --question ${questionCode(asked)}` : '';
  return sentence('approval.how.saysEveryRow', { other, id, preview, question, sha256 });
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
