// The second sheet of a template: what the corridor allows, and what stands in which column. No row of it names two columns, so that it is
// never taken for payments itself.
import type { Worksheet } from 'exceljs';

import { sameWords, say, type Language, type Words } from '../base/language.ts';
import { namedHeader } from '../rows/known-columns.ts';
import { linesIn } from '../rows/xlsx/xlsx-writer.ts';
import { countryName } from '../payouts/read-parties.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import {
  BOLD,
  type Need,
  NEED_FILLS,
  PLAIN,
  solid,
  type TemplateColumn,
  boundsInWords,
  methodInWords,
  modeInWords,
} from './template-columns.ts';
import { sentence } from '../messages/messages.ts';

/** In characters: the column, its need, what to write, an example. */
const HINT_WIDTH = 70;
const WIDTHS = [36, 16, HINT_WIDTH, 36] as const;

export const NEED_WORDS: Readonly<Record<Need, Words>> = {
  required: sentence('templateInstructions.required'),
  'one-of': sentence('templateInstructions.one-of'),
  optional: sentence('templateInstructions.optional'),
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
  sentence('templateInstructions.head.column'),
  sentence('templateInstructions.head.needed'),
  sentence('templateInstructions.head.whatWrite'),
  sentence('templateInstructions.head.example'),
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
  return sentence('templateInstructions.titleOf', { country, targetCurrency, method });
}

function linesOf(corridor: PayoutCorridor, columns: readonly TemplateColumn[]): readonly Words[] {
  const bounds = boundsInWords(corridor);
  const hasAlternatives = columns.some(({ need }) => need === 'one-of');
  return [
    corridorLine(corridor),
    sentence('templateInstructions.linesOf.eachPaymentBoth', { bounds }),
    sentence('templateInstructions.linesOf.fillOneRow'),
    sentence('templateInstructions.linesOf.yellowColumnsRequired', { hasAlternatives }),
    ...CLOSING_LINES,
  ];
}

function corridorLine(corridor: PayoutCorridor): Words {
  const { id, bankName, sourceCurrencies } = corridor;
  const mode = modeInWords(corridor);
  const bank: Words =
    bankName === null
      ? sameWords('')
      : sentence('templateInstructions.corridorLine.toAccountsAt', { bankName });
  return sentence('templateInstructions.corridorLine.corridorPaid', {
    id,
    mode,
    bank,
    join: sourceCurrencies.join(', '),
  });
}

export const CLOSING_LINES: readonly Words[] = [
  sentence('templateInstructions.closingLines.accountCardTelephone'),
  sentence('templateInstructions.closingLines.putInvoicesRows'),
  sentence('templateInstructions.closingLines.saveXlsxRun'),
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
