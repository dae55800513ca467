// Answers are written as CSV, also those to a workbook: in the form that spreadsheet programs open by a double click.
import type { CsvForm } from './csv-form.ts';
import type { XlsxForm } from './xlsx-form.ts';

const FOR_WORKBOOKS: CsvForm = {
  kind: 'csv',
  delimiter: ';',
  encoding: { name: 'utf-8', bom: true },
  newline: '\r\n',
  sepLine: false,
  decimalMark: '.',
};

export function answerForm(form: CsvForm | XlsxForm): CsvForm {
  return form.kind === 'csv' ? form : FOR_WORKBOOKS;
}
