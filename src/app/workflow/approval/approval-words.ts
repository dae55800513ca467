// What is said of an approval: what is asked, of whom, and why an earlier answer no longer holds.
import { joinWords, type Words } from '../../../base/language.ts';
import { formatAmount } from '../../../base/currency.ts';
import { compareDecimals } from '../../../base/decimal.ts';
import type { ApprovalSum, Asked } from '../../../ledger/approval.ts';
import type { PreviewLine } from '../../../results/summary.ts';

/** `1268750 XAF`, and every other currency behind it. */
export function describeSums(sums: readonly ApprovalSum[]): string {
  return sums
    .map(({ currency, debit }) => `${formatAmount(debit, currency)} ${currency}`)
    .sort()
    .join(' + ');
}

export function rowsWords(rows: number): Words {
  return rows === 1
    ? { en: '1 row', fr: '1 ligne' }
    : { en: `${String(rows)} rows`, fr: `${String(rows)} lignes` };
}

type Question = Pick<Asked, 'rows' | 'totals' | 'sent' | 'submittedBy' | 'preview'>;

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
  return {
    en: `Waits for approval: ${en}, ${sums} with fees.`,
    fr: `En attente d'approbation : ${fr}, ${sums} frais compris.`,
  };
}

function sentWords(sent: readonly ApprovalSum[]): Words {
  const rows = rowsWords(sent.reduce((sum, each) => sum + each.rows, 0));
  const sums = describeSums(sent);
  return {
    en: `${rows.en} of ${sums} had been sent before; the question is about the rest.`,
    fr: `${rows.fr} pour ${sums} avaient été envoyées avant ; la question porte sur le reste.`,
  };
}

function shortfallWords({ sourceCurrency, shortfall, availableAmount }: PreviewLine): readonly Words[] {
  if (shortfall === null || compareDecimals(shortfall, '0') === 0) return [];
  return [
    {
      en: `${availableAmount ?? '0'} ${sourceCurrency} are available, ${shortfall} ${sourceCurrency} are missing.`,
      fr: `${availableAmount ?? '0'} ${sourceCurrency} sont disponibles, il manque ${shortfall} ${sourceCurrency}.`,
    },
  ];
}

function heldWords(held: number): Words {
  const { en, fr } = rowsWords(held);
  return {
    en: `${en} more ${held === 1 ? 'is' : 'are'} held and not part of it; what is released later is asked anew.`,
    fr: `${fr} de plus ${held === 1 ? 'est retenue' : 'sont retenues'} et n'en ${held === 1 ? 'fait' : 'font'} pas partie ; ce qui est libéré plus tard fait l'objet d'une nouvelle demande.`,
  };
}

function howWords(id: string, { preview, submittedBy }: Question): Words {
  const names = submittedBy.join(', ');
  const other: Words =
    names === ''
      ? { en: 'Somebody who has looked at it', fr: "Quelqu'un qui l'a examiné" }
      : { en: `Somebody other than ${names}`, fr: `Quelqu'un d'autre que ${names}` };
  return {
    en: `${other.en} says "paydrop approve ${id} --by NAME", or "paydrop decline ${id} --by NAME --reason TEXT"; every row with its price is in ${preview}.`,
    fr: `${other.fr} lance « paydrop approve ${id} --by NOM », ou « paydrop decline ${id} --by NOM --reason TEXTE » ; chaque ligne et son prix sont dans ${preview}.`,
  };
}

/** Why a given approval counts no more: the total has grown, from what to what. */
export function lapsedWords({ given, maxDrift }: Asked, from: string, to: string): Words {
  const by = given?.by ?? '';
  const date = given?.at.slice(0, 10) ?? '';
  return {
    en: `The approval of ${by} (${date}) has lapsed: it was for ${from}, and at today's prices it is ${to}, more than ${maxDrift} above.`,
    fr: `L'approbation de ${by} (${date}) est caduque : elle portait sur ${from}, et aux prix d'aujourd'hui c'est ${to}, plus de ${maxDrift} au-dessus.`,
  };
}

export const RELEASED_WORDS: Words = {
  en: 'Rows were released since the last question, so it is asked anew.',
  fr: 'Des lignes ont été libérées depuis la dernière demande ; elle est donc renouvelée.',
};

export const OVER_THRESHOLD_WORDS: Words = {
  en: 'What is left would take the file over the total that needs no approval.',
  fr: "Ce qui reste ferait dépasser au fichier le total qui se passe d'approbation.",
};

export const RENEWED_WORDS: Words = {
  en: 'On the way the prices exceeded what was approved.',
  fr: 'En cours de route, les prix ont dépassé ce qui était approuvé.',
};
