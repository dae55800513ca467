// What a preview says on the terminal: the cost in each currency, what is missing of the balance, and what to look at before the run.
import { say, type Language, type Words } from '../../base/language.ts';
import { compareDecimals, grouped } from '../../base/decimal.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { PreviewLine } from '../../results/summary.ts';
import type { BatchResult } from '../workflow/batch-result.ts';
import { EVERY_ROW_WORDS } from './check-file.ts';
import type { PreviewTotals } from '../workflow/check/preview-totals.ts';

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

const NOTHING_SENT: Words = {
  en: 'Nothing was sent. Prices change until the file is run.',
  fr: "Rien n'a été envoyé. Les prix changent jusqu'à l'exécution du fichier.",
};

function wrongWords(count: number): Words {
  const { en, fr } = rowsIn(count);
  return {
    en: `${en} cannot be paid at this price: see the preview, column payout.error.`,
    fr: `${fr} ${count === 1 ? 'ne peut pas être payée' : 'ne peuvent pas être payées'} à ce prix : voyez l'aperçu, colonne payout.error.`,
  };
}

function unusualWords(count: number): Words {
  const { en, fr } = rowsIn(count);
  return {
    en: `${en} ${count === 1 ? 'looks' : 'look'} unusual: see the preview, column preview.warning.`,
    fr: `${fr} ${count === 1 ? 'paraît inhabituelle' : 'paraissent inhabituelles'} : voyez l'aperçu, colonne preview.warning.`,
  };
}

function earlierWords({ acceptedAt, id }: BatchRecord): Words {
  const date = acceptedAt.slice(0, 10);
  return {
    en: `The same file was taken on ${date} as batch ${id}: a run of it sends nothing.`,
    fr: `Le même fichier a été pris en charge le ${date} (lot ${id}) : l'exécuter n'enverra rien.`,
  };
}

function metWords(count: number): Words {
  const { en, fr } = rowsIn(count);
  const are = count === 1 ? 'is' : 'are';
  const known =
    count === 1 ? "est connue par sa référence et n'est" : 'sont connues par leur référence et ne sont';
  return {
    en: `${en} ${are} known by reference and ${are} not counted: see the preview, column preview.warning.`,
    fr: `${fr} ${known} pas ${count === 1 ? 'comptée' : 'comptées'} : voyez l'aperçu, colonne preview.warning.`,
  };
}

function rowsIn(count: number): Words {
  return count === 1
    ? { en: '1 row', fr: '1 ligne' }
    : { en: `${String(count)} rows`, fr: `${String(count)} lignes` };
}

function costWords(line: PreviewLine): Words {
  const { sourceCurrency } = line;
  const [send, fee, all] = [line.sendAmount, line.feeAmount, line.debit].map(grouped);
  const balance = balanceWords(line);
  return {
    en: `${sourceCurrency}: ${send?.en ?? ''} + ${fee?.en ?? ''} fees = ${all?.en ?? ''}. ${balance.en}`,
    fr: `${sourceCurrency} : ${send?.fr ?? ''} + ${fee?.fr ?? ''} de frais = ${all?.fr ?? ''}. ${balance.fr}`,
  };
}

function balanceWords({ sourceCurrency, availableAmount, shortfall }: PreviewLine): Words {
  if (availableAmount === null || shortfall === null)
    return { en: 'The balance is not known.', fr: "Le solde n'est pas connu." };
  const [available, missing] = [grouped(availableAmount), grouped(shortfall)];
  const isEnough = compareDecimals(shortfall, '0') === 0;
  return {
    en: `Available: ${available.en}.${isEnough ? '' : ` Missing: ${missing.en} ${sourceCurrency}.`}`,
    fr: `Disponible : ${available.fr}.${isEnough ? '' : ` Il manque ${missing.fr} ${sourceCurrency}.`}`,
  };
}
