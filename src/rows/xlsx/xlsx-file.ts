// A workbook is read twice, as a CSV file is: once to its end to know what it is, and once more to give its rows. Each reading is a process
// of its own, see `xlsx/reader-process.ts`; but the rows of a small one are kept from the first.
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { CELL_KINDS, type CellKind } from '../form.ts';
import type { Format, Peek, ReadFile, ReadOptions } from '../format.ts';
import { type Row, type Table, underMarks } from '../row.ts';
import { describeFile, type SourceFile } from '../source-file.ts';
import { isGivenOut, startSurvey } from '../survey.ts';
import { askReader } from './ask-reader.ts';
import { type Keeping, readAgain, type ReaderMessage, type ReadJob, startKeeping } from './messages.ts';
import { oldFormat } from './package-parts.ts';
import { merged } from './read-workbook.ts';

/** Surveys a workbook. Throws `FileRefused`. */
async function readXlsx(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options.bytesMax);
  const job = jobOf(options);
  const keeping = startKeeping();
  const table = await survey(source, job, options, keeping);
  const kept = keeping.kept();
  const read = () => (kept === null ? askReader(source, job) : readAgain(source, kept));
  return { table, rows: () => tableRows(read(), table) };
}

/** The first rows of the sheet that is named, or of the first that holds any. */
async function peekXlsx(path: string, options: ReadOptions): Promise<Peek> {
  const source = await describeFile(path, options.bytesMax);
  const messages = askReader(source, { ...jobOf(options), isPeek: true });
  try {
    for await (const message of messages)
      if (message.kind === 'peeked') return { rows: message.rows, delimiter: null, sheet: message.sheet };
    throw new Error('The reader of workbooks did not say what it sees.');
  } finally {
    await messages.return(undefined);
  }
}

function jobOf({ sheet, headerAliases }: ReadOptions): ReadJob {
  return { sheet: sheet ?? null, aliases: [...(headerAliases ?? [])], isPeek: false };
}

async function survey(
  source: SourceFile,
  job: ReadJob,
  options: ReadOptions,
  keeping: Keeping,
): Promise<Table> {
  const messages = askReader(source, job);
  try {
    return await surveyMessages(taken(messages, keeping), options);
  } finally {
    // Wherever the survey ended, nobody reads on.
    await messages.return(undefined);
  }
}

async function* taken(
  messages: AsyncGenerator<ReaderMessage>,
  { take }: Keeping,
): AsyncGenerator<ReaderMessage> {
  for await (const message of messages) {
    take(message);
    yield message;
  }
}

async function surveyMessages(messages: AsyncGenerator<ReaderMessage>, options: ReadOptions): Promise<Table> {
  const opened = await firstOf(messages);
  const placeOf = placesIn(opened);
  const rows = startSurvey(opened.header, { ...options, placeOf, isProtected: false });
  for await (const message of messages) {
    if (message.kind === 'rows')
      for (const [place, cells, kinds] of message.rows) rows.take(place, cells, kindsOf(kinds));
    if (message.kind !== 'end') continue;
    const { lastPayment, ...surveyed } = rows.finish();
    const { head, numberFormats, firstMerge } = message;
    // A label over the width of a totals row, or of a signature below it, is common, and pays nobody.
    if (firstMerge !== null && firstMerge.row <= lastPayment) throw merged(firstMerge.area);
    return {
      ...surveyed,
      form: { kind: 'xlsx', sheet: opened.sheet, head, numberFormats, decimalMark: '.' },
    };
  }
  throw new Error('The reader of workbooks stopped before the end.');
}

type Opened = Extract<ReaderMessage, { readonly kind: 'opened' }>;

async function firstOf(messages: AsyncGenerator<ReaderMessage>): Promise<Opened> {
  const first = await messages.next();
  if (first.done === true || first.value.kind !== 'opened')
    throw new Error('The reader of workbooks did not say what it reads.');
  return first.value;
}

/** With several sheets that can be seen, a row number alone names no row. */
function placesIn({ sheet, isOnlySheet }: Opened): (place: number) => string {
  return isOnlySheet ? String : (place) => `${sheet}!${place}`;
}

async function* tableRows(messages: AsyncGenerator<ReaderMessage>, table: Table): AsyncGenerator<Row> {
  const placeOf = placesIn(await firstOf(messages));
  let position = 0;
  for await (const message of messages) {
    if (message.kind !== 'rows') continue;
    for (const [number, cells, letters] of message.rows) {
      const place = placeOf(number);
      if (!isGivenOut(table, number, place, cells)) continue;
      const kinds = kindsOf(letters);
      yield { position, place, cells: underMarks(cells, kinds, table), kinds };
      position += 1;
    }
  }
}

const KIND_OF_LETTER: ReadonlyMap<string, CellKind> = new Map(
  CELL_KINDS.map((kind) => [kind.charAt(0), kind]),
);

/** Rows of one file have few patterns of kinds, so a million rows share a handful of lists. */
const known = new Map<string, readonly CellKind[]>();

/** Files differ; what they leave behind must not grow for ever. */
const KNOWN_MAX = 1_000;

function kindsOf(letters: string): readonly CellKind[] {
  const found = known.get(letters);
  if (found !== undefined) return found;
  const kinds = Array.from(letters, (letter) => KIND_OF_LETTER.get(letter) ?? 'text');
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(letters, kinds);
  return kinds;
}

/** Workbooks whose very kind says that they are not taken. */
function refuseMacros(): Promise<ReadFile> {
  return Promise.reject(new FileRefused('workbook_macros', sentence('xlsxReader.refuseMacros')));
}

function refuseOldFormat(): Promise<ReadFile> {
  return Promise.reject(oldFormat());
}

export const WORKBOOK: Format = {
  readers: new Map([
    ['.xlsx', readXlsx],
    ['.xlsm', refuseMacros],
    ['.xls', refuseOldFormat],
  ]),
  peek: peekXlsx,
  answersAs: null,
  writtenAs: (form) => ({
    delimiter: 'auto',
    encoding: 'auto',
    sheet: form.kind === 'xlsx' ? form.sheet : null,
    hasMarks: false,
  }),
  whenCut: ['workbook_damaged', 'not_workbook'],
};
