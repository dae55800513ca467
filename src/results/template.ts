// An empty spreadsheet for one corridor: if it is filled in as it says, it can be paid.
import type { DataValidation, Worksheet } from 'exceljs';

import { currencyDecimals } from '../base/currency.ts';
import { type Language, sameWords, say, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { methodWords } from '../payouts/corridor.ts';
import { countryName, countryNames } from '../payouts/read-parties.ts';
import {
  BOLD,
  boundsInWords,
  modeInWords,
  type Need,
  NEED_FILLS,
  PLAIN,
  solid,
  type TemplateColumn,
  templateColumns,
} from './template-columns.ts';
import { corridorHeader, namedHeader, plainHeader } from '../rows/known-columns.ts';
import { linesIn } from '../rows/xlsx/xlsx-writer.ts';
import type { PartyFields } from '../service/payout-service.ts';
import type { PayoutCorridor } from '../service/wire.ts';

/** Rows whose cells offer choices and hints; the formats hold for whole columns. */
const GUIDED_ROWS = 1_000;

const WIDTH_LEAST = 16;

/** Room for a bold header and the arrow of its choices. */
const WIDTH_MORE = 5;

/** The bytes of the workbook. */
export async function templateFor(
  corridor: PayoutCorridor,
  sender: PartyFields,
  language: Language,
): Promise<Uint8Array> {
  // Loaded only when a workbook is written: loading takes longer than everything else together.
  const { default: excel } = await import('exceljs');
  const workbook = new excel.Workbook();
  const columns = templateColumns(corridor, sender);
  const sheet = workbook.addWorksheet(say(PAYMENTS, language), {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  sheet.columns = columns.map((column) => ({
    width: Math.max(WIDTH_LEAST, shownHeader(column, corridor, language).length + WIDTH_MORE),
    // The format belongs to the column, not to its cells: a program that appends rows looks for the first empty row, and finds the format there too.
    style: { numFmt: formatOf(column) },
  }));
  for (const [index, column] of columns.entries())
    prepareColumn(sheet, index + 1, column, corridor, language);
  const instructions = workbook.addWorksheet('Instructions', {
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  fillInstructions(instructions, corridor, columns, language);
  const lists = workbook.addWorksheet(LISTS, { state: 'hidden' });
  for (const name of countriesFor(corridor, language)) lists.addRow([name]);
  return new Uint8Array(await workbook.xlsx.writeBuffer());
}

/** The column as people call it; the corridor is the same in all rows, so its header names it. */
function shownHeader({ header }: TemplateColumn, { id }: PayoutCorridor, language: Language): string {
  return header === 'payoutCorridorId' ? corridorHeader(id) : say(plainHeader(header), language);
}

/** The name of the sheet in the instructions. */
const PAYMENTS: Words = sentence('template.payments');

/** A sheet for lists that are too long to stand in their cells. */
const LISTS = 'Lists';

/** The corridor's own country first: most receivers live where the money goes. */
function countriesFor({ destinationCountryIsoCode }: PayoutCorridor, language: Language): readonly string[] {
  const own = countryName(destinationCountryIsoCode, language);
  return [...new Set([...(own === null ? [] : [own]), ...countryNames(language)])];
}

const NEED_NOTES: Readonly<Record<Need, Words>> = {
  required: sentence('template.required'),
  'one-of': sentence('template.one-of'),
  optional: sameWords(''),
};

function prepareColumn(
  sheet: Worksheet,
  index: number,
  column: TemplateColumn,
  corridor: PayoutCorridor,
  language: Language,
): void {
  const hint = say(column.hint, language);
  const cell = sheet.getCell(1, index);
  const header = shownHeader(column, corridor, language);
  cell.value = header;
  cell.font = column.need === 'optional' ? PLAIN : BOLD;
  cell.fill = solid(NEED_FILLS[column.need]);
  cell.note = `${say(NEED_NOTES[column.need], language)}${hint}`;
  const letters = sheet.getColumn(index).letter;
  guide(sheet, `${letters}2:${letters}${GUIDED_ROWS + 1}`, {
    ...ruleOf(column, corridor, language),
    allowBlank: true,
    showInputMessage: true,
    promptTitle: header.slice(0, PROMPT_TITLE_CHARS),
    prompt: hint.slice(0, PROMPT_CHARS),
  });
}

/** The lengths that spreadsheet programs show of a hint and its title. */
const PROMPT_TITLE_CHARS = 32;
const PROMPT_CHARS = 255;

type Rule = Omit<DataValidation, 'type'> & { readonly type: DataValidation['type'] | 'any' };

/** exceljs' types have no ranges; a rule for each cell would turn an empty workbook into one of a thousand cells. */
function guide(sheet: Worksheet, range: string, rule: Rule): void {
  const { dataValidations } = sheet as unknown as {
    readonly dataValidations: { add: (range: string, rule: Rule) => void };
  };
  dataValidations.add(range, rule);
}

function ruleOf({ choices, amountIn }: TemplateColumn, corridor: PayoutCorridor, language: Language): Rule {
  if (choices !== undefined) {
    const listed = listFormula(choices.of, corridor, language);
    return listed === null ? NO_RULE : choiceRule(listed, choices.isOpen, language);
  }
  if (amountIn === undefined) return NO_RULE;
  const isTarget = amountIn === corridor.targetCurrency;
  return isTarget ? boundsRule(corridor, language) : aboveZeroRule(language);
}

const NO_RULE: Rule = { type: 'any', formulae: [] };

/** The words of a spreadsheet program for an entry that does not fit. */
export const FAULTS = {
  amount: {
    title: sentence('template.amount.title'),
    text: sentence('template.amount.text'),
  },
  unlisted: {
    title: sentence('template.unlisted.title'),
    text: sentence('template.unlisted.text'),
  },
  wrong: {
    title: sentence('template.wrong.title'),
    text: sentence('template.wrong.text'),
  },
} as const satisfies Readonly<Record<string, EntryFault>>;

type EntryFault = { readonly title: Words; readonly text: Words };

function told({ title, text }: EntryFault, language: Language) {
  return { showErrorMessage: true, errorTitle: say(title, language), error: say(text, language) } as const;
}

function aboveZeroRule(language: Language): Rule {
  return { type: 'decimal', operator: 'greaterThan', formulae: ['0'], ...told(FAULTS.amount, language) };
}

function choiceRule(listed: string, isOpen: boolean, language: Language): Rule {
  return {
    type: 'list',
    formulae: [listed],
    errorStyle: isOpen ? 'warning' : 'stop',
    ...told(isOpen ? FAULTS.unlisted : FAULTS.wrong, language),
  };
}

/** A list in the form that a cell can have; null for one that its commas or quotes would split. */
function listFormula(
  of: readonly Words[] | 'countries',
  corridor: PayoutCorridor,
  language: Language,
): string | null {
  if (of === 'countries') return `${LISTS}!$A$1:$A$${countriesFor(corridor, language).length}`;
  const listed = of.map((choice) => say(choice, language));
  return listed.some((choice) => /[",]/.test(choice)) ? null : `"${listed.join(',')}"`;
}

function boundsRule(corridor: PayoutCorridor, language: Language): Rule {
  const bounds = boundsInWords(corridor);
  const fault: EntryFault = {
    title: sentence('template.boundsRule.outsideBounds'),
    text: sentence('template.boundsRule.writeAmount', { bounds }),
  };
  return {
    type: 'decimal',
    operator: 'between',
    formulae: [corridor.minimumTransactionAmount, corridor.maximumTransactionAmount],
    ...told(fault, language),
  };
}

/** Text, or a number with the decimals of its currency. */
function formatOf({ amountIn }: TemplateColumn): string {
  if (amountIn === undefined) return '@';
  if (amountIn === null) return 'General';
  const decimals = currencyDecimals(amountIn) ?? 0;
  return `#,##0${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`;
}

// The second sheet of a template: what the corridor allows, and the content of each column. No row of it names two columns, so that the sheet is
// never taken for payments itself.

/** In characters: the column, its need, what to write, an example. */
const HINT_WIDTH = 70;
const WIDTHS = [36, 16, HINT_WIDTH, 36] as const;

export const NEED_WORDS: Readonly<Record<Need, Words>> = {
  required: sentence('templateInstructions.required'),
  'one-of': sentence('templateInstructions.one-of'),
  optional: sentence('templateInstructions.optional'),
};

/** Letters are narrower than the digits that widths are counted in; so many fit on a line over all columns. */
const LINE_CHARS = 160;

/** No program makes room for wrapped lines by itself when it opens a file. */
const LINE_POINTS = 15;

function fillInstructions(
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

/** None of them is also the name of a payment column. */
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
  const method = methodWords(corridor.deliveryMethod);
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
