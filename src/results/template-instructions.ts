// The second sheet of a template: what the corridor allows, and what stands in which column. No row of it names two columns, so that it is
// never taken for payments itself.
import type { Worksheet } from 'exceljs';

import { countryName } from '../payouts/country.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { Need, TemplateColumn } from './template-columns.ts';
import { BOLD, NEED_FILLS, PLAIN, solid } from './template-style.ts';
import { boundsInWords, methodInWords, modeInWords } from './template-words.ts';

/** In characters: the column, its need, what to write, an example. */
const HINT_WIDTH = 70;
const WIDTHS = [36, 16, HINT_WIDTH, 36] as const;

const NEED_WORDS: Readonly<Record<Need, string>> = {
  required: 'required',
  'one-of': 'this or another',
  optional: 'optional',
};

/** Letters are narrower than the digits that widths are counted in; so many go on a line over all columns. */
const LINE_CHARS = 160;

/** No program makes room for wrapped lines of itself when it opens a file. */
const LINE_POINTS = 15;

export function fillInstructions(
  sheet: Worksheet,
  corridor: PayoutCorridor,
  columns: readonly TemplateColumn[],
): void {
  sheet.columns = WIDTHS.map((width) => ({ width }));
  sheet.addRow([titleOf(corridor)]).font = { ...BOLD, size: 14 };
  sheet.addRow([]);
  for (const line of linesOf(corridor, columns)) addLine(sheet, line);
  sheet.addRow([]);
  addHead(sheet);
  for (const column of columns) addColumn(sheet, column);
}

function addHead(sheet: Worksheet): void {
  const row = sheet.addRow(['Column', 'Needed', 'What to write', 'Example']);
  row.font = BOLD;
  row.border = { bottom: { style: 'thin' } };
}

function titleOf(corridor: PayoutCorridor): string {
  const country = countryName(corridor.destinationCountryIsoCode) ?? corridor.destinationCountryIsoCode;
  return `Payments to ${country} in ${corridor.targetCurrency}, by ${methodInWords(corridor)}`;
}

function linesOf(corridor: PayoutCorridor, columns: readonly TemplateColumn[]): readonly string[] {
  const hasAlternatives = columns.some(({ need }) => need === 'one-of');
  return [
    `Corridor ${corridor.id}: ${modeInWords(corridor)}${corridor.bankName === null ? '' : `, to accounts at ${corridor.bankName}`}; paid from ${corridor.sourceCurrencies.join(', ')}.`,
    `Each payment is ${boundsInWords(corridor)}, both included. Bounds and columns are those of the day on which this file was made.`,
    '1. Fill in one row for each payment on the sheet "Payments", without merging cells or hiding rows. Rows may be added without end.',
    `2. Yellow columns are required.${hasAlternatives ? ' Of the blue ones, one is enough.' : ''} Grey ones may stay empty. The table below says what goes where.`,
    '3. Account, card and telephone columns are set to text, so that no zero and no digit is lost: paste values only ("paste special", "values").',
    '4. Put the invoices that the rows name beside this file.',
    '5. Save it as .xlsx and run "paydrop check FILE": it says what is left to fix. Then "paydrop preview FILE" says what it costs, and "paydrop run FILE" pays it.',
  ];
}

function addLine(sheet: Worksheet, line: string): void {
  const row = sheet.addRow([line]);
  sheet.mergeCells(row.number, 1, row.number, WIDTHS.length);
  row.font = PLAIN;
  row.getCell(1).alignment = { vertical: 'top', wrapText: true };
  row.height = LINE_POINTS * Math.ceil(line.length / LINE_CHARS);
}

function addColumn(sheet: Worksheet, { header, need, hint, example }: TemplateColumn): void {
  const row = sheet.addRow([header, NEED_WORDS[need], hint, example]);
  row.alignment = { vertical: 'top', wrapText: true };
  row.height = LINE_POINTS * Math.ceil(hint.length / HINT_WIDTH);
  row.font = PLAIN;
  row.getCell(1).font = need === 'optional' ? PLAIN : BOLD;
  row.getCell(2).fill = solid(NEED_FILLS[need]);
  // An example that looks like a number is shown digit by digit.
  row.getCell(4).numFmt = '@';
}
