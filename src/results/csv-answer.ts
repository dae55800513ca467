// An answer as CSV, in the form of its input.
import type { CsvForm } from '../rows/csv-form.ts';
import { writeCsv } from '../rows/csv-writer.ts';
import { isAmountColumn } from '../rows/known-columns.ts';
import type { AnswerTable } from './answer-table.ts';

export function csvAnswer(form: CsvForm, table: AnswerTable): AsyncIterable<Uint8Array> {
  const { own, added } = table;
  const numbers = [
    ...own.flatMap(({ canonical }, index) => (isAmountColumn(canonical) ? [index] : [])),
    ...added.flatMap(({ kind }, index) => (kind === 'number' ? [own.length + index] : [])),
  ];
  return writeCsv(form, linesOf(table), new Set(numbers));
}

async function* linesOf({ own, added, rows }: AnswerTable): AsyncGenerator<readonly string[]> {
  yield [...own, ...added].map(({ header }) => header);
  for await (const row of rows) yield [...row.own, ...row.added];
}
