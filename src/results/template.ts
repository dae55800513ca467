// An empty spreadsheet that fits one corridor: what is filled in as it says can be paid.
import type { Cell } from 'exceljs';

import { currencyDecimals } from '../base/currency.ts';
import type { PartyFields } from '../service/payout-service.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { templateColumns, type TemplateColumn } from './template-columns.ts';

/** Rows that are prepared for filling in; more can be added below. */
const ROWS = 500;

const REQUIRED_FILL = 'FFFFE699';
const OPTIONAL_FILL = 'FFE7E6E6';
const WIDTH_LEAST = 14;

/** The bytes of the workbook. */
export async function templateFor(corridor: PayoutCorridor, sender: PartyFields): Promise<Uint8Array> {
  const { default: excel } = await import('exceljs');
  const workbook = new excel.Workbook();
  const columns = templateColumns(corridor, sender);
  const sheet = workbook.addWorksheet('Payments', { views: [{ state: 'frozen', ySplit: 1 }] });
  sheet.columns = columns.map(({ header }) => ({ width: Math.max(WIDTH_LEAST, header.length + 3) }));
  for (const [index, column] of columns.entries()) {
    writeHeader(sheet.getCell(1, index + 1), column);
    const format = column.isAmount === true ? amountFormat(corridor.targetCurrency) : '@';
    for (let row = 2; row <= ROWS + 1; row++) prepare(sheet.getCell(row, index + 1), column, format);
  }
  const instructions = workbook.addWorksheet('Instructions');
  instructions.columns = [{ width: 130 }];
  for (const line of instructionLines(corridor, columns)) {
    const cell = instructions.addRow([line]).getCell(1);
    cell.alignment = { wrapText: true, vertical: 'top' };
  }
  instructions.getRow(1).font = { bold: true, size: 14 };
  return new Uint8Array(await workbook.xlsx.writeBuffer());
}

function writeHeader(cell: Cell, { header, isRequired, hint }: TemplateColumn): void {
  cell.value = header;
  cell.font = { bold: isRequired };
  cell.fill = {
    type: 'pattern',
    pattern: 'solid',
    fgColor: { argb: isRequired ? REQUIRED_FILL : OPTIONAL_FILL },
  };
  cell.note = `${isRequired ? 'Required. ' : ''}${hint}`;
}

function prepare(cell: Cell, { choices, isRequired }: TemplateColumn, format: string): void {
  cell.numFmt = format;
  if (choices === undefined) return;
  cell.dataValidation = {
    type: 'list',
    allowBlank: !isRequired,
    formulae: [`"${choices.join(',')}"`],
    showErrorMessage: true,
    errorTitle: 'Choose one of the list',
    error: choices.join(', '),
  };
}

function amountFormat(currency: string): string {
  const decimals = currencyDecimals(currency) ?? 0;
  return `#,##0${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`;
}

/** One sentence a line: a sheet of sentences is never taken for payments. */
function instructionLines(corridor: PayoutCorridor, columns: readonly TemplateColumn[]): readonly string[] {
  const { id, destinationCountryIsoCode, targetCurrency, transactionMode, deliveryMethod, bankName } =
    corridor;
  const where = bankName === null ? '' : ` (${bankName})`;
  return [
    `Payments through ${id}`,
    `To ${destinationCountryIsoCode} in ${targetCurrency}, ${transactionMode}, by ${deliveryMethod}${where}.`,
    `A payment is from ${corridor.minimumTransactionAmount} to ${corridor.maximumTransactionAmount} ${targetCurrency}; the bounds themselves are allowed.`,
    'Fill in one row a payment on the sheet Payments. Yellow columns are required.',
    'Hide no rows and merge no cells.',
    'Save the file and drop it into the inbox, or run: paydrop check FILE, then paydrop run FILE.',
    ...columns.map(({ header, isRequired, hint }) => `${header}${isRequired ? ' (required)' : ''}: ${hint}`),
  ];
}
