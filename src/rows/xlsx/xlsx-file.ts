// A workbook is read to its end to know what it is, by a process of its own, see `reader-process.ts`; its rows are kept, packed, and given from there. Only
// those of a very large one are read anew by another process.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startDeadline, systemClock } from '../../base/clock.ts';
import { type Words, sameWords } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { CELL_KINDS, type CellKind } from '../form.ts';
import type { Format, Peek, ReadFile, ReadOptions } from '../format.ts';
import { type Row, type Table, underMarks } from '../row.ts';
import {
  type Keeping,
  type SourceFile,
  checkSame,
  describeCopy,
  describeFile,
  openSame,
  readAgain,
  startKeeping,
  startOf,
} from '../source-file.ts';
import { isGivenOut, startSurvey } from '../survey.ts';
import { READER_BOUNDS, type ReaderBounds } from './limits.ts';
import { MORE, type ReadJob, type ReaderMessage } from './messages.ts';
import { oldFormat, refuseOtherStarts } from './package-parts.ts';
import { merged } from './read-workbook.ts';
import type { WORKBOOK_DESCRIPTOR } from './reader-process.ts';

/** Surveys a workbook. Throws `FileRefused`. */
async function readXlsx(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options);
  const job = jobOf(options);
  const keeping = startKeeping<ReaderMessage>();
  const table = await survey(source, job, options, keeping);
  const kept = keeping.kept();
  const read = (of: SourceFile) => (kept === null ? askReader(of, job) : readAgain(of, kept));
  return { table, rows: (copy) => copyRows(() => describeCopy(source, copy), read, table) };
}

async function* copyRows(
  describe: () => Promise<SourceFile>,
  read: (of: SourceFile) => AsyncGenerator<ReaderMessage>,
  table: Table,
): AsyncGenerator<Row> {
  yield* tableRows(read(await describe()), table);
}

/** The first rows of the sheet that is named, or of the first that holds any. */
async function peekXlsx(path: string, options: ReadOptions): Promise<Peek> {
  const source = await describeFile(path, options);
  const messages = askReader(source, { ...jobOf(options), isPeek: true });
  try {
    for await (const message of messages)
      if (message.kind === 'peeked') return { rows: message.rows, delimiter: null, sheet: message.sheet };
    throw new Error('The reader of workbooks did not say what it sees.');
  } finally {
    await messages.return(undefined);
  }
}

function jobOf({ sheet, headerAliases, header = 'auto', isList = false }: ReadOptions): ReadJob {
  return { sheet: sheet ?? null, aliases: [...(headerAliases ?? [])], header, isList, isPeek: false };
}

async function survey(
  source: SourceFile,
  job: ReadJob,
  options: ReadOptions,
  keeping: Keeping<ReaderMessage>,
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
  { take }: Keeping<ReaderMessage>,
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
      unreadSheets: opened.unread,
      form: { kind: 'xlsx', sheet: opened.sheet, head, numberFormats, decimalMark: '.' },
    };
  }
  throw new Error('The reader of workbooks stopped before the end.');
}

type OpenedMessage = Extract<ReaderMessage, { readonly kind: 'opened' }>;

async function firstOf(messages: AsyncGenerator<ReaderMessage>): Promise<OpenedMessage> {
  const first = await messages.next();
  if (first.done === true || first.value.kind !== 'opened')
    throw new Error('The reader of workbooks did not say what it reads.');
  return first.value;
}

/** With several sheets that can be seen, a row number alone names no row. */
function placesIn({ sheet, isOnlySheet }: OpenedMessage): (place: number) => string {
  return isOnlySheet ? String : (place) => `${sheet}!${place}`;
}

async function* tableRows(messages: AsyncGenerator<ReaderMessage>, table: Table): AsyncGenerator<Row> {
  const placeOf = placesIn(await firstOf(messages));
  let position = 0;
  for await (const message of messages) {
    if (message.kind !== 'rows') continue;
    for (const [number, cells, letters, currencies] of message.rows) {
      const place = placeOf(number);
      if (!isGivenOut(table, number, place, cells)) continue;
      const kinds = kindsOf(letters);
      const shown = currencies.length > 0 ? { currencies } : {};
      yield { position, place, cells: underMarks(cells, kinds, table), kinds, ...shown };
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

async function refuseOldFormat(path: string): Promise<ReadFile> {
  throw oldFormat((await startOf(path, START_BYTES)).start);
}

/** Enough to tell a page and text from a workbook. */
const START_BYTES = 512;

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
  refuseByStart: refuseOtherStarts,
};

// Asks a process of its own to read a workbook, and outlives whatever becomes of it: a workbook is made by others, and may be made to hurt.

/** The same file, as it is run: TypeScript from a clone, JavaScript from a package. */
const PROGRAM = fileURLToPath(new URL(`./reader-process${extname(import.meta.url)}`, import.meta.url));

/** Whatever a workbook might make the process do, it can only read. */
const FLAGS = ['--permission', '--allow-fs-read=*'];

/** Standard streams, the channel, and at `WORKBOOK_DESCRIPTOR` the file. */
type Streams = ['ignore', 'ignore', 'ignore', 'ipc', number] & { readonly [WORKBOOK_DESCRIPTOR]: number };

/** The messages up to and with `end`, signs of life left out. Throws `FileRefused`. */
export async function* askReader(
  source: SourceFile,
  job: ReadJob,
  bounds: ReaderBounds = READER_BOUNDS,
): AsyncGenerator<ReaderMessage> {
  const file = await openSame(source);
  const child = start(file.fd, bounds.heapMbMax);
  try {
    const next = listen(child, bounds);
    child.send(job, toldByItsEnd);
    for (;;) {
      const message = await next();
      source.signal?.throwIfAborted();
      if (message.kind === 'alive') continue;
      if (message.kind === 'refused') throw new FileRefused(message.code, message.fault);
      yield message;
      if (message.kind === 'end') break;
      if (message.kind === 'rows') child.send(MORE, toldByItsEnd);
    }
    await checkSame(source, file);
  } finally {
    child.kill('SIGKILL');
    await file.close();
  }
}

/** A message that does not arrive finds nobody there any more, and `listen` hears of that end. */
function toldByItsEnd(): void {
  return;
}

function start(descriptor: number, heapMbMax: number): ChildProcess {
  const stdio: Streams = ['ignore', 'ignore', 'ignore', 'ipc', descriptor];
  return fork(PROGRAM, [], {
    execArgv: [`--max-old-space-size=${heapMbMax}`, ...FLAGS],
    // Without the environment it does not know the key either.
    env: {},
    stdio,
    // A group of its own, so that Ctrl-C does not end it before us.
    detached: true,
  });
}

type Ended = { readonly kind: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Gives the next message, each time it is asked. */
function listen(
  child: ChildProcess,
  { silenceMsMax, waitMsMax }: ReaderBounds,
): () => Promise<ReaderMessage> {
  const waiting: (ReaderMessage | Ended | Error)[] = [];
  let wake = (): void => undefined;
  const arrive = (message: ReaderMessage | Ended | Error) => {
    waiting.push(message);
    wake();
  };
  child.on('message', (message: ReaderMessage) => arrive(message));
  child.on('error', arrive);
  child.on('exit', (code, signal) => arrive({ kind: 'ended', code, signal }));
  let leftMs = waitMsMax;
  return async () => {
    const limitMs = Math.min(silenceMsMax, leftMs);
    if (waiting.length === 0) leftMs -= await arrival(limitMs, (resolve) => (wake = resolve));
    const message = waiting.shift();
    if (message === undefined) throw died(sentence('askReader.listen', { limitMs }));
    if (message instanceof Error) throw message;
    if (message.kind === 'ended') throw endOf(message);
    return message;
  };
}

/** How long it took until something arrived: not much more than `limitMs`. */
async function arrival(limitMs: number, listenFor: (resolve: () => void) => void): Promise<number> {
  const started = systemClock.monotonic();
  const deadline = startDeadline(limitMs);
  await new Promise<void>((resolve) => {
    deadline.signal.addEventListener('abort', () => resolve(), { once: true });
    listenFor(resolve);
  });
  deadline.clear();
  // After a stop of this very process (Ctrl-Z, a machine that slept) the deadline is met first, and what has arrived meanwhile comes next.
  if (deadline.signal.aborted) await setImmediate();
  return systemClock.monotonic() - started;
}

/** Signals by which somebody ends a process, whatever it reads. */
const FROM_OUTSIDE: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function endOf({ code, signal }: Ended): Error {
  // That says nothing of the file, which must not be refused for it.
  if (FROM_OUTSIDE.includes(signal))
    return new Error(`The reader of workbooks was ended by ${String(signal)}.`);
  const end = signal ?? `code ${String(code)}`;
  const memory = OUT_OF_MEMORY.includes(signal) ? sentence('askReader.endOf.doesWhenMemory') : sameWords('');
  return died(sentence('askReader.endOf.itEndedWith', { end, memory }));
}

/** How the engine ends when its heap is full, and how the system ends who takes too much. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL'];

function died(how: Words): FileRefused {
  return new FileRefused('workbook_reader_died', sentence('askReader.died', { how }));
}
