// A workbook from its first byte to its last row, with memory for one piece of it and its distinct texts. It runs in a process of its own.
import { FileRefused } from '../file-refused.ts';
import type { HeaderAliases } from '../columns.ts';
import type { HeadCell } from '../xlsx-form.ts';
import type { CellContext } from './cell-value.ts';
import { chooseSheet, peekSheet } from './choose-sheet.ts';
import { bytesOf } from './file-bytes.ts';
import { HEADER_COLUMNS_MAX } from './limits.ts';
import { lookAtSheet, type SheetLook } from './look-at-sheet.ts';
import type { ReaderMessage, ReadJob, WireRow } from './messages.ts';
import { openParts, type Parts } from './package-parts.ts';
import { refuseOtherFiles } from './refuse-other-files.ts';
import { scanSheet, type SheetRow } from './scan-sheet.ts';
import { readSharedStrings } from './shared-strings.ts';
import { readStyles, type Styles } from './styles.ts';
import { checkHiddenColumns, startTableRows, type TableRow } from './table-rows.ts';
import { readWorkbook, type Workbook } from './workbook.ts';
import { sentence } from '../../messages/messages.ts';

/** What is found, in the order of the messages' type. Throws `FileRefused`. */
export async function* readWorkbookFile(
  descriptor: number,
  job: ReadJob,
  onBytes: (count: number) => void,
): AsyncGenerator<ReaderMessage> {
  const file = bytesOf(descriptor);
  await refuseOtherFiles(file);
  const parts = await openParts(file, onBytes);
  const workbook = await readWorkbook(parts);
  const styles = await readStyles(parts, workbook.stylesPart);
  const context: CellContext = {
    styles: styles.forms,
    strings: await readSharedStrings(parts, workbook.stringsPart),
    is1904: workbook.is1904,
    isUncomputed: workbook.isUncomputed,
  };
  const looks = await lookAtSheets(parts, workbook, context, new Map(job.aliases));
  if (job.isPeek) {
    const { sheet, first } = peekSheet(looks, job.sheet);
    yield { kind: 'peeked', sheet: sheet.name, rows: first };
    return;
  }
  const { look, header } = chooseSheet(looks, job.sheet);
  const { name, part } = look.sheet;
  const isOnlySheet = workbook.sheets.filter(({ isHidden }) => !isHidden).length < 2;
  yield { kind: 'opened', sheet: name, isOnlySheet, header };
  const scan = scanSheet(parts, name, part ?? '', context);
  const table = startTableRows(name, header);
  const head: HeadCell[][] = [];
  let isChecked = false;
  for await (const rows of scan.rows) {
    if (!isChecked) checkHiddenColumns(name, header, scan.layout);
    isChecked = true;
    for (const row of rows) if (row.place <= header.record + 1) keepHead(head, row, styles);
    const taken = rows.flatMap((row) => table.take(row) ?? []);
    if (taken.length > 0) yield { kind: 'rows', rows: taken.map(wireRow) };
  }
  const numberFormats = table.styles.map((style) => context.styles[style ?? -1]?.code ?? 'General');
  yield { kind: 'end', head, numberFormats, firstMerge: table.firstMerge(scan.layout) };
}

/** What its owner sees above the payments; nobody reads a meaning in it. */
function keepHead(head: HeadCell[][], { place, cells }: SheetRow, { forms, looks }: Styles): void {
  while (head.length < place) head.push([]);
  for (const { column, text, kind, style } of cells) {
    if (column >= HEADER_COLUMNS_MAX) break;
    const row = head[place - 1] ?? [];
    while (row.length < column) row.push(NO_CELL);
    row[column] = { text, kind, format: forms[style]?.code ?? 'General', look: looks[style] ?? {} };
  }
}

const NO_CELL: HeadCell = { text: '', kind: 'empty', format: 'General', look: {} };

async function lookAtSheets(
  parts: Parts,
  { sheets }: Workbook,
  context: CellContext,
  aliases: HeaderAliases,
): Promise<readonly SheetLook[]> {
  const looks: SheetLook[] = [];
  for (const sheet of sheets)
    if (sheet.part !== null)
      looks.push(await lookAtSheet(sheet, scanSheet(parts, sheet.name, sheet.part, context), aliases));
  if (looks.length === 0) throw new FileRefused('empty_file', sentence('readWorkbook.lookAtSheets'));
  return looks;
}

function wireRow({ place, cells, kinds }: TableRow): WireRow {
  return [place, cells, kinds.map((kind) => kind.charAt(0)).join('')];
}
