// An empty spreadsheet that fits one corridor: what is filled in as it says can be paid.
import type { DataValidation, Worksheet } from 'exceljs';

import { currencyDecimals } from '../base/currency.ts';
import { countryName, countryNames } from '../payouts/country.ts';
import type { PartyFields } from '../service/payout-service.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { templateColumns, type Need, type TemplateColumn } from './template-columns.ts';
import { fillInstructions } from './template-instructions.ts';
import { BOLD, NEED_FILLS, PLAIN, solid } from './template-style.ts';
import { boundsInWords } from './template-words.ts';

/** Rows whose cells offer choices and hints; the formats hold for whole columns. */
const GUIDED_ROWS = 1_000;

const WIDTH_LEAST = 16;

/** Room for a bold header and the arrow of its choices. */
const WIDTH_MORE = 5;

/** The bytes of the workbook. */
export async function templateFor(corridor: PayoutCorridor, sender: PartyFields): Promise<Uint8Array> {
  // Loaded only when a workbook is written: it takes longer than everything else together.
  const { default: excel } = await import('exceljs');
  const workbook = new excel.Workbook();
  const columns = templateColumns(corridor, sender);
  const sheet = workbook.addWorksheet('Payments', {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  sheet.columns = columns.map((column) => ({
    width: Math.max(WIDTH_LEAST, column.header.length + WIDTH_MORE),
    // For the column, not for its cells: whatever is added at the end finds the first empty row, and the format with it.
    style: { numFmt: formatOf(column) },
  }));
  for (const [index, column] of columns.entries()) prepareColumn(sheet, index + 1, column, corridor);
  const instructions = workbook.addWorksheet('Instructions', {
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  fillInstructions(instructions, corridor, columns);
  const lists = workbook.addWorksheet(LISTS, { state: 'hidden' });
  for (const name of countriesFor(corridor)) lists.addRow([name]);
  return new Uint8Array(await workbook.xlsx.writeBuffer());
}

/** A list that is too long to stand in its cells. */
const LISTS = 'Lists';

/** The corridor's own country first: most receivers live where the money goes. */
function countriesFor({ destinationCountryIsoCode }: PayoutCorridor): readonly string[] {
  const own = countryName(destinationCountryIsoCode);
  return [...new Set([...(own === null ? [] : [own]), ...countryNames()])];
}

const NEED_NOTES: Readonly<Record<Need, string>> = {
  required: 'Required. ',
  'one-of': 'This or another. ',
  optional: '',
};

function prepareColumn(
  sheet: Worksheet,
  index: number,
  column: TemplateColumn,
  corridor: PayoutCorridor,
): void {
  const cell = sheet.getCell(1, index);
  cell.value = column.header;
  cell.font = column.need === 'optional' ? PLAIN : BOLD;
  cell.fill = solid(NEED_FILLS[column.need]);
  cell.note = `${NEED_NOTES[column.need]}${column.hint}`;
  const letters = sheet.getColumn(index).letter;
  guide(sheet, `${letters}2:${letters}${GUIDED_ROWS + 1}`, {
    ...ruleOf(column, corridor),
    allowBlank: true,
    showInputMessage: true,
    promptTitle: column.header.slice(0, PROMPT_TITLE_CHARS),
    prompt: column.hint.slice(0, PROMPT_CHARS),
  });
}

/** What spreadsheet programs show of a hint and of its title. */
const PROMPT_TITLE_CHARS = 32;
const PROMPT_CHARS = 255;

type Rule = Omit<DataValidation, 'type'> & { readonly type: DataValidation['type'] | 'any' };

/** Ranges are not in exceljs' types; a rule for each cell would make a workbook of a thousand cells out of an empty one. */
function guide(sheet: Worksheet, range: string, rule: Rule): void {
  const { dataValidations } = sheet as unknown as {
    readonly dataValidations: { add: (range: string, rule: Rule) => void };
  };
  dataValidations.add(range, rule);
}

function ruleOf({ choices, amountIn }: TemplateColumn, corridor: PayoutCorridor): Rule {
  if (choices !== undefined) {
    const listed = listFormula(choices.of, corridor);
    return listed === null ? NO_RULE : choiceRule(listed, choices.isOpen);
  }
  if (amountIn === undefined) return NO_RULE;
  const isTarget = amountIn === corridor.targetCurrency;
  return isTarget ? boundsRule(corridor) : { ...ABOVE_ZERO };
}

const NO_RULE: Rule = { type: 'any', formulae: [] };

const ABOVE_ZERO: Rule = {
  type: 'decimal',
  operator: 'greaterThan',
  formulae: ['0'],
  showErrorMessage: true,
  errorTitle: 'Not an amount',
  error: 'Write a number above zero.',
};

function choiceRule(listed: string, isOpen: boolean): Rule {
  return {
    type: 'list',
    formulae: [listed],
    showErrorMessage: true,
    errorStyle: isOpen ? 'warning' : 'stop',
    errorTitle: isOpen ? 'Not on the list' : 'Choose one of the list',
    error: isOpen ? 'Keep it only if you are sure.' : 'Nothing else fits this corridor.',
  };
}

/** A list as a cell can have it; null for one that its commas or quotes would take apart. */
function listFormula(of: readonly string[] | 'countries', corridor: PayoutCorridor): string | null {
  if (of === 'countries') return `${LISTS}!$A$1:$A$${countriesFor(corridor).length}`;
  return of.some((choice) => /[",]/.test(choice)) ? null : `"${of.join(',')}"`;
}

function boundsRule(corridor: PayoutCorridor): Rule {
  return {
    type: 'decimal',
    operator: 'between',
    formulae: [corridor.minimumTransactionAmount, corridor.maximumTransactionAmount],
    showErrorMessage: true,
    errorTitle: 'Outside the bounds',
    error: `Write an amount ${boundsInWords(corridor)}.`,
  };
}

/** Text, or a number with the decimals of its currency. */
function formatOf({ amountIn }: TemplateColumn): string {
  if (amountIn === undefined) return '@';
  if (amountIn === null) return 'General';
  const decimals = currencyDecimals(amountIn) ?? 0;
  return `#,##0${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`;
}
