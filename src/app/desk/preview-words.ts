// What a preview says on the terminal: the cost in each currency, what is missing of the balance, and what to look at before the run.
import { say, type Language, type Words } from '../../base/language.ts';
import { compareDecimals, grouped } from '../../base/decimal.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { PreviewLine } from '../../results/summary.ts';
import type { BatchResult } from '../workflow/batch-result.ts';
import { EVERY_ROW_WORDS } from './check-file.ts';
import type { PreviewTotals } from '../workflow/check/preview-totals.ts';
import { sentence } from '../../messages/messages.ts';

/** `earlier` is the batch that the same bytes already are. */
export function previewWords(
  { summary, words }: BatchResult,
  { wrong, warnings, met, within }: PreviewTotals,
  lines: readonly PreviewLine[],
  earlier: BatchRecord | null,
  language: Language,
): readonly string[] {
  const wrongByPrice = wrong - summary.outcomes.rejected;
  const known = met.duplicate + met.held - within;
  const everyRow = say(EVERY_ROW_WORDS, language);
  const more = [
    ...(wrongByPrice === 0 ? [] : [wrongWords(wrongByPrice)]),
    ...(known === 0 ? [] : [metWords(known)]),
    ...lines.map(costWords),
    ...(warnings === 0 ? [] : [unusualWords(warnings)]),
    ...(earlier === null ? [] : [earlierWords(earlier)]),
    NOTHING_SENT,
  ];
  return [
    ...(wrongByPrice + known === 0 ? words : words.filter((word) => word !== everyRow)),
    ...more.map((each) => say(each, language)),
  ];
}

const NOTHING_SENT: Words = sentence('preview.nothingSent');

function wrongWords(count: number): Words {
  const { en, fr } = rowsIn(count);
  return sentence('preview.wrong', { counted: { en, fr }, count });
}

function unusualWords(count: number): Words {
  const { en, fr } = rowsIn(count);
  return sentence('preview.unusual', { counted: { en, fr }, count });
}

function earlierWords({ acceptedAt, id }: BatchRecord): Words {
  const date = acceptedAt.slice(0, 10);
  return sentence('preview.earlier', { date, id });
}

function metWords(count: number): Words {
  const { en, fr } = rowsIn(count);
  const are = count === 1 ? 'is' : 'are';
  const known =
    count === 1 ? "est connue par sa référence et n'est" : 'sont connues par leur référence et ne sont';
  return sentence('preview.met', { counted: { en, fr }, are, known, count });
}

function rowsIn(count: number): Words {
  return count === 1 ? sentence('preview.rowsIn.row') : sentence('preview.rowsIn.rows', { count });
}

function costWords(line: PreviewLine): Words {
  const { sourceCurrency } = line;
  const [send, fee, all] = [grouped(line.sendAmount), grouped(line.feeAmount), grouped(line.debit)];
  const balance = balanceWords(line);
  return sentence('preview.cost', { sourceCurrency, send, fee, all, balance });
}

function balanceWords({ sourceCurrency, availableAmount, shortfall }: PreviewLine): Words {
  if (availableAmount === null || shortfall === null) return sentence('preview.balance.balanceKnown');
  const [available, missing] = [grouped(availableAmount), grouped(shortfall)];
  const isEnough = compareDecimals(shortfall, '0') === 0;
  return sentence('preview.balance.available', { available, isEnough, missing, sourceCurrency });
}
