// An answer as a workbook: the input's cells as they were, ours as real numbers and moments, coloured by what became of the row.
import type { Outcome } from '../payouts/outcome.ts';
import { toDecimalText } from '../base/decimal.ts';
import type { CellKind } from '../rows/cell-kind.ts';
import type { Column, Table } from '../rows/row.ts';
import { writeXlsx, type XlsxCell, type XlsxSheet } from '../rows/xlsx-writer.ts';
import type { XlsxForm } from '../rows/xlsx-form.ts';
import type { AnswerKind, AnswerRow, AnswerTable } from './answer-table.ts';
import { placeFaults } from './fault-places.ts';
import { sampled, shownText, widthsOf } from './column-widths.ts';

/** The words stand in the row as well: nobody has to tell green from red. */
const FILLS: Readonly<Record<Outcome, string | undefined>> = {
  paid: 'FFE2F0D9',
  failed: 'FFF8CBAD',
  rejected: 'FFF8CBAD',
  held: 'FFFFE699',
  duplicate: 'FFE7E6E6',
  submitted: 'FFDDEBF7',
  pending: undefined,
};

const FAULT_FILL = 'FFFFC7CE';

/** The bytes; `more` are sheets that follow. */
export async function* xlsxAnswer(
  form: XlsxForm,
  input: Pick<Table, 'decimalMarks'>,
  table: AnswerTable,
  more: readonly XlsxSheet[],
): AsyncGenerator<Uint8Array> {
  const header = [...table.own, ...table.added].map((column) => column.header);
  const { first, all } = await sampled(table.rows);
  const sample = await Array.fromAsync(cellsOf(form, input, table, first));
  const sheet: XlsxSheet = {
    name: form.sheet,
    ...headOf(form, table.own),
    header,
    widths: widthsOf(
      header,
      sample.map((cells) => cells.map(shownText)),
    ),
    rows: cellsOf(form, input, table, all),
  };
  yield* writeXlsx([sheet, ...more]);
}

/** The title block above the input's header, and the header's colours, where the answer mirrors the input. */
function headOf({ head }: XlsxForm, own: readonly Column[]): Pick<XlsxSheet, 'title' | 'headerLooks'> {
  if (own.length === 0) return {};
  const title = head
    .slice(0, -1)
    .map((row) => row.map(({ text, kind, format, look }) => ({ ...ownCell(text, kind, format), ...look })));
  return { title, headerLooks: own.map(({ index }) => head.at(-1)?.[index]?.look ?? {}) };
}

async function* cellsOf(
  form: XlsxForm,
  input: Pick<Table, 'decimalMarks'>,
  { own, added }: AnswerTable,
  rows: AsyncIterable<AnswerRow> | Iterable<AnswerRow>,
): AsyncGenerator<readonly XlsxCell[]> {
  for await (const line of rows) {
    const fill = line.outcome === undefined ? undefined : FILLS[line.outcome];
    const notes = placeFaults(line.faults ?? [], own);
    const ownCells = own.map(({ index, canonical }, position) => {
      const kind = line.row?.kinds?.[index] ?? 'text';
      const comma = input.decimalMarks.get(canonical ?? '') === ',';
      const raw = kind === 'number' ? line.row?.cells[index] : undefined;
      const text = raw ?? line.own[position] ?? '';
      const cell = ownCell(
        comma && kind === 'number' ? text.replace(',', '.') : text,
        kind,
        form.numberFormats[index],
      );
      return withFault(cell, notes.get(position));
    });
    const addedCells = added.map(({ kind }, position) => addedCell(line.added[position] ?? '', kind));
    const marked = addedCells.map((cell, position) => {
      const isFault = added[position]?.header === 'payout.error' && (line.faults ?? []).length > 0;
      const background = isFault ? FAULT_FILL : fill;
      return background === undefined ? cell : { ...cell, fill: background };
    });
    yield [...ownCells, ...marked];
  }
}

function ownCell(text: string, kind: CellKind, format = 'General'): XlsxCell {
  switch (kind) {
    case 'number':
      return numberCell(text, format);
    case 'date':
      return momentCell(text, format === 'General' || format === '@' ? 'yyyy-mm-dd' : format);
    case 'boolean':
      return { value: text === 'TRUE' };
    case 'text':
    case 'empty':
      // Text format even where the column had none: digits that are typed in the place of the fault stay digits.
      return { value: text, format: '@' };
  }
}

/** A moment of a workbook has no zone; its format says which one is meant. */
const MOMENT_FORMAT = 'yyyy-mm-dd hh:mm:ss "UTC"';

function addedCell(text: string, kind: AnswerKind): XlsxCell {
  switch (kind) {
    case 'number':
      return numberCell(text, `#,##0${decimalsOf(text)}`);
    case 'moment':
      return momentCell(text, MOMENT_FORMAT);
    case 'text':
      return { value: text };
  }
}

function numberCell(text: string, format: string): XlsxCell {
  const decimal = toDecimalText(text);
  return decimal === null ? { value: text } : { value: { decimal }, format };
}

function momentCell(text: string, format: string): XlsxCell {
  const isMoment = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?$/.test(text);
  const ms = isMoment ? Date.parse(/T.*[^Z]$/.test(text) ? `${text}Z` : text) : NaN;
  return Number.isNaN(ms) ? { value: text } : { value: new Date(ms), format };
}

function decimalsOf(text: string): string {
  const decimals = text.split('.')[1]?.length ?? 0;
  return decimals === 0 ? '' : `.${'0'.repeat(decimals)}`;
}

function withFault(cell: XlsxCell, fault: string | undefined): XlsxCell {
  return fault === undefined ? cell : { ...cell, fill: FAULT_FILL, note: fault };
}
