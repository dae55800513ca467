// The second sheet of a template: what the corridor allows, and what stands in which column. No row of it names two columns, so that it is
// never taken for payments itself.
import type { Worksheet } from 'exceljs';

import { sameWords, say, type Language, type Words } from '../base/language.ts';
import { namedHeader } from '../rows/plain-headers.ts';
import { linesIn } from '../rows/xlsx-writer.ts';
import { countryName } from '../payouts/country.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { Need, TemplateColumn } from './template-columns.ts';
import { BOLD, NEED_FILLS, PLAIN, solid } from './template-style.ts';
import { boundsInWords, methodInWords, modeInWords } from './template-words.ts';

/** In characters: the column, its need, what to write, an example. */
const HINT_WIDTH = 70;
const WIDTHS = [36, 16, HINT_WIDTH, 36] as const;

export const NEED_WORDS: Readonly<Record<Need, Words>> = {
  required: { en: 'required', fr: 'obligatoire' },
  'one-of': { en: 'this or another', fr: 'celle-ci ou une autre' },
  optional: { en: 'optional', fr: 'facultatif' },
};

/** Letters are narrower than the digits that widths are counted in; so many go on a line over all columns. */
const LINE_CHARS = 160;

/** No program makes room for wrapped lines of itself when it opens a file. */
const LINE_POINTS = 15;

export function fillInstructions(
  sheet: Worksheet,
  corridor: PayoutCorridor,
  columns: readonly TemplateColumn[],
  language: Language,
): void {
  sheet.columns = WIDTHS.map((width) => ({ width }));
  sheet.addRow([say(titleOf(corridor, language), language)]).font = { ...BOLD, size: 14 };
  sheet.addRow([]);
  for (const line of linesOf(corridor, columns)) addLine(sheet, say(line, language));
  sheet.addRow([]);
  addHead(sheet, language);
  for (const column of columns) addColumn(sheet, column, language);
}

/** None of them a name that a column of payments has. */
export const HEAD: readonly Words[] = [
  { en: 'Column', fr: 'Colonne' },
  { en: 'Needed', fr: 'À remplir' },
  { en: 'What to write', fr: 'Que mettre' },
  { en: 'Example', fr: 'Exemple' },
];

function addHead(sheet: Worksheet, language: Language): void {
  const row = sheet.addRow(HEAD.map((words) => say(words, language)));
  row.font = BOLD;
  row.border = { bottom: { style: 'thin' } };
}

function titleOf(corridor: PayoutCorridor, language: Language): Words {
  const { destinationCountryIsoCode: code, targetCurrency } = corridor;
  const country = countryName(code, language) ?? code;
  const method = methodInWords(corridor);
  return {
    en: `Payments to ${country} in ${targetCurrency}, by ${method.en}`,
    fr: `Paiements : ${country}, en ${targetCurrency}, par ${method.fr}`,
  };
}

function linesOf(corridor: PayoutCorridor, columns: readonly TemplateColumn[]): readonly Words[] {
  const bounds = boundsInWords(corridor);
  const hasAlternatives = columns.some(({ need }) => need === 'one-of');
  return [
    corridorLine(corridor),
    {
      en: `Each payment is ${bounds.en}, both included. Bounds and columns are those of the day on which this file was made.`,
      fr: `Chaque paiement va ${bounds.fr}, bornes comprises. Bornes et colonnes sont celles du jour où ce fichier a été créé.`,
    },
    {
      en: '1. Fill in one row for each payment on the sheet "Payments", without merging cells or hiding rows. Rows may be added without end.',
      fr: '1. Remplissez une ligne par paiement sur la feuille « Paiements », sans fusionner de cellules ni masquer de lignes. Vous pouvez ajouter autant de lignes que vous voulez.',
    },
    {
      en: `2. Yellow columns are required.${hasAlternatives ? ' Of blue ones that belong together, one is enough.' : ''} Grey ones may stay empty. The table below says what goes where.`,
      fr: `2. Les colonnes jaunes sont obligatoires.${hasAlternatives ? ' Parmi les bleues qui vont ensemble, une seule suffit.' : ''} Les grises peuvent rester vides. Le tableau ci-dessous dit quoi mettre où.`,
    },
    ...CLOSING_LINES,
  ];
}

function corridorLine(corridor: PayoutCorridor): Words {
  const { id, bankName, sourceCurrencies } = corridor;
  const mode = modeInWords(corridor);
  const bank: Words =
    bankName === null
      ? sameWords('')
      : { en: `, to accounts at ${bankName}`, fr: `, vers des comptes chez ${bankName}` };
  return {
    en: `Corridor ${id}: ${mode.en}${bank.en}; paid from ${sourceCurrencies.join(', ')}.`,
    fr: `Corridor ${id} : ${mode.fr}${bank.fr} ; payé depuis ${sourceCurrencies.join(', ')}.`,
  };
}

export const CLOSING_LINES: readonly Words[] = [
  {
    en: '3. Account, card and telephone columns are set to text, so that no zero and no digit is lost: paste values only ("paste special", "values").',
    fr: "3. Les colonnes de comptes, de cartes et de téléphones sont au format texte, pour qu'aucun zéro et aucun chiffre ne se perde : ne collez que les valeurs (« collage spécial », « valeurs »).",
  },
  {
    en: '4. Put the invoices that the rows name beside this file.',
    fr: '4. Placez à côté de ce fichier les factures que les lignes nomment.',
  },
  {
    en: '5. Save it as .xlsx and run "paydrop check FILE": it says what is left to fix. Then "paydrop preview FILE" says what it costs, and "paydrop run FILE" pays it.',
    fr: '5. Enregistrez-le en .xlsx et lancez « paydrop check FICHIER » : cela dit ce qui reste à corriger. Ensuite, « paydrop preview FICHIER » dit ce que cela coûte, et « paydrop run FICHIER » paie.',
  },
];

function addLine(sheet: Worksheet, line: string): void {
  const row = sheet.addRow([line]);
  sheet.mergeCells(row.number, 1, row.number, WIDTHS.length);
  row.font = PLAIN;
  row.getCell(1).alignment = { vertical: 'top', wrapText: true };
  row.height = LINE_POINTS * Math.ceil(line.length / LINE_CHARS);
}

function addColumn(sheet: Worksheet, column: TemplateColumn, language: Language): void {
  const { header, need } = column;
  const hint = say(column.hint, language);
  const name = say(namedHeader(header), language);
  const row = sheet.addRow([name, say(NEED_WORDS[need], language), hint, say(column.example, language)]);
  row.alignment = { vertical: 'top', wrapText: true };
  row.height = LINE_POINTS * Math.max(linesIn(hint, HINT_WIDTH), linesIn(name, WIDTHS[0]));
  row.font = PLAIN;
  row.getCell(1).font = need === 'optional' ? PLAIN : BOLD;
  row.getCell(2).fill = solid(NEED_FILLS[need]);
  // An example that looks like a number is shown digit by digit.
  row.getCell(4).numFmt = '@';
}
