// A credit transfer message (pain.001) as a file of payments: a row a payment, its place the number of the payment in the message. The message vouches
// for its own numbers and sums, and is taken only for accounts that are ours: a file of the same kind may be meant for a bank.
import { idOf } from '../../base/plain-text.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import type { CsvForm } from '../form.ts';
import {
  type Format,
  type Peek,
  type ReadFile,
  type ReadOptions,
  type RefusedMessage,
  USUAL_MESSAGE,
} from '../format.ts';
import type { Column, Row, Table } from '../row.ts';
import { describeCopy, describeFile, readAgain, type SourceFile, startKeeping } from '../source-file.ts';
import { CANONICAL, ECHOED, ID, isNamed, mapPayment, NAMES, saidIn } from './map-payment.ts';
import {
  type Hash,
  inDecimals,
  isDebtorOurs,
  partsOf,
  startAround,
  startControls,
  startReferences,
  withRepeated,
} from './around-payment.ts';
import { type MessageHandler, type Reading, readMessage, readStart } from './read-message.ts';
import { type Element, elementAt, textAt } from './schema.ts';

/** In which the answers are written: what any program reads. */
const FORM: CsvForm = {
  kind: 'csv',
  delimiter: ',',
  encoding: { name: 'utf-8', bom: false },
  newline: '\n',
  sepLine: false,
  decimalMark: '.',
};

/** Where the columns stand that the survey asks. */
const AT = {
  amount: NAMES.indexOf('amount'),
  sourceAmount: NAMES.indexOf('sourceAmount'),
  executionDate: NAMES.indexOf('executionDate'),
  reference: NAMES.indexOf('reference'),
};

/** Rows that are packed together. */
const PIECE_ROWS = 200;

const COLUMNS: readonly Column[] = [
  ...CANONICAL.map((canonical, index) => ({ index, header: canonical, canonical })),
  ...ECHOED.map((header, index) => ({ index: CANONICAL.length + index, header, canonical: null })),
];

/** Reads the message to its end and holds it against itself. Throws `FileRefused`. */
async function readPain001(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options);
  const keeping = startKeeping<Piece>();
  const survey = startSurvey(options, keeping.take);
  await Array.fromAsync(readMessage<never>(source, () => survey.handler));
  const { repeated, named, ...found } = survey.finish();
  const kept = keeping.kept();
  const rows = (copy?: string) =>
    kept === null ? paymentRows(source, options, { copy }) : keptRows(source, kept, copy);
  return { table: tableOf(options, named, found), rows: (copy) => withRepeated(rows(copy), repeated) };
}

type Named = Pick<NonNullable<Table['message']>, 'name' | 'id' | 'days'>;
type MessageFinding = Pick<Table, 'rowCount' | 'sums' | 'blank'>;

function tableOf({ message }: ReadOptions, named: Named, found: MessageFinding): Table {
  return {
    form: FORM,
    headerPlace: '0',
    columns: COLUMNS,
    indexOf: new Map(CANONICAL.map((canonical, index) => [canonical, index])),
    unknown: [],
    decimalMarks: new Map([
      ['amount', '.'],
      ['sourceAmount', '.'],
    ]),
    totals: null,
    footer: null,
    ...found,
    message: { ...named, personNames: (message ?? USUAL_MESSAGE).personNames },
  };
}

/**
 * The readable part of a refused message, for the program that wrote it; null where its name is not certain, or where it debits an account that is not
 * ours: a bank may be paying it at this moment. Throws `FileRefused` for a file that is no message.
 */
async function refusedMessage(path: string, options: ReadOptions): Promise<RefusedMessage | null> {
  const source = await describeFile(path, options);
  const heads: Pick<RefusedMessage, 'msgId' | 'name'>[] = [];
  const blocks: boolean[] = [];
  const group: MessageHandler['group'] = (header, version) => {
    heads.push({ msgId: elementAt(header, 'MsgId')?.text ?? '', name: nameOfVersion(version) });
  };
  const block: MessageHandler['block'] = (element) => {
    blocks.push(isDebtorOurs(element, options) && ID.test(elementAt(element, 'PmtInfId')?.text ?? ''));
  };
  let unnamed = 0;
  const begun = () => {
    unnamed += 1;
  };
  const payment = (element: Element) => {
    // Itself and its id.
    if (isNamed(element)) unnamed -= 2;
  };
  const handler = { group, block, payment, begun };
  await Array.fromAsync(readMessage<never>(source, () => handler, { readFor: 'refusing' }));
  const [found, ...others] = heads;
  if (found === undefined || others.length > 0 || blocks.length === 0 || blocks.includes(false)) return null;
  // Of a payment that cannot be named nobody would know later that it was told as rejected.
  if (unnamed > 0 || !ID.test(found.msgId)) return null;
  const named = { name: found.name, id: found.msgId, days: new Map<string, number>() };
  const table = tableOf(options, named, { rowCount: 0, sums: new Map() });
  return { ...found, table, rows: () => paymentRows(source, options, { readFor: 'refusing' }) };
}

function nameOfVersion(version: string): string {
  return `pain.001.001.${version}`;
}

type Survey = {
  readonly handler: MessageHandler;
  readonly finish: () => MessageFinding & {
    readonly named: Named;
    /** References that several payments of the message carry. */
    readonly repeated: ReadonlySet<Hash>;
  };
};

/** @param keep takes the rows, so many at a time. */
function startSurvey(options: ReadOptions, keep: (piece: Piece) => void): Survey {
  const sums = { amount: 0n, sourceAmount: 0n };
  const references = startReferences();
  const blank = new Set(NAMES.keys());
  const days = new Map<string, number>();
  const around = startAround(options);
  const controls = startControls();
  const piece: Row[] = [];
  let [name, id] = ['', ''];
  const take = (row: Row): void => {
    piece.push(row);
    if (piece.length === PIECE_ROWS) keep(packed(piece.splice(0)));
    const { cells } = row;
    for (const index of blank) if (cells[index] !== '') blank.delete(index);
    const column = cells[AT.amount] === '' ? 'sourceAmount' : 'amount';
    const parts = partsOf(cells[AT[column]] ?? '0');
    controls.add(parts);
    sums[column] += parts;
    const [day = '', reference = ''] = [cells[AT.executionDate], cells[AT.reference]];
    days.set(day, (days.get(day) ?? 0) + 1);
    if (reference !== '') references.add(reference);
    const { rowsMax } = options;
    if (row.position >= rowsMax)
      throw new FileRefused('too_many_rows', sentence('survey.tooManyRows', { rowsMax }));
  };
  return {
    handler: {
      group: (header, version) => {
        around.group(header);
        controls.group(header);
        name = nameOfVersion(version);
        id = nameIn(header);
      },
      block: (element) => {
        controls.block(element);
        around.block(element);
      },
      payment: (payment) => take(rowOf(payment, around, controls.count())),
    },
    finish: () => {
      keep(packed(piece));
      const rowCount = controls.end();
      const inText = Object.entries(sums).map(([column, parts]) => [column, inDecimals(parts)] as const);
      const named = { name, id, days };
      return { named, rowCount, sums: new Map(inText), blank, repeated: references.repeated() };
    },
  };
}

function rowOf(
  payment: Element,
  { now }: Pick<ReturnType<typeof startAround>, 'now'>,
  position: number,
): Row {
  const { sender, ...place } = now();
  const { cells, faults, documentStems } = mapPayment(payment, place);
  return {
    position,
    place: String(position + 1),
    cells,
    faults,
    documentStems,
    debtor: place.debtor,
    ...(sender === null ? {} : { sender }),
  };
}

function paymentRows(source: SourceFile, options: ReadOptions, reading: Reading): AsyncGenerator<Row> {
  const around = startAround({ ...options, isAnyDebtor: true });
  let position = 0;
  const handlerFor = (tell: (row: Row) => void): MessageHandler => ({
    ...around,
    payment: (element) => {
      tell(rowOf(element, around, position));
      position += 1;
    },
  });
  return readMessage<Row>(source, handlerFor, reading);
}

/**
 * Rows as they are kept, with the cells of these columns alone, for a message leaves most of them empty. Of a usual row nothing else is kept than the
 * account that it debits and the names of its documents, behind its cells.
 */
type Piece = {
  readonly columns: readonly number[];
  readonly first: number;
  readonly rows: readonly (readonly string[] | Row)[];
};

function packed(rows: readonly Row[]): Piece {
  const columns = [...NAMES.keys()].filter((column) => rows.some(({ cells }) => cells[column] !== ''));
  const inShort = (row: Row): Piece['rows'][number] => {
    const { cells, faults = [], documentStems = [], debtor = '', sender } = row;
    if (faults.length > 0 || sender !== undefined) return row;
    const texts = columns.map((column) => cells[column] ?? '');
    texts.push(debtor, ...documentStems);
    return texts;
  };
  return { columns, first: rows[0]?.position ?? 0, rows: rows.map(inShort) };
}

function* unpacked({ columns, first, rows }: Piece): Generator<Row> {
  for (const [index, kept] of rows.entries()) {
    if ('cells' in kept) {
      yield kept;
      continue;
    }
    const cells = NO_CELLS.slice();
    for (const [at, column] of columns.entries()) cells[column] = kept[at] ?? '';
    const [debtor = '', ...documentStems] = kept.slice(columns.length);
    const position = first + index;
    yield { position, place: String(position + 1), cells, faults: [], documentStems, debtor };
  }
}

const NO_CELLS = NAMES.map(() => '');

async function* keptRows(
  source: SourceFile,
  kept: Iterable<Piece>,
  copy: string | undefined,
): AsyncGenerator<Row> {
  for await (const piece of readAgain(await describeCopy(source, copy), kept)) yield* unpacked(piece);
}

/** Enough to see what the columns hold. */
const PEEKED_ROWS = 30;

async function peekPain001(path: string, options: ReadOptions): Promise<Peek> {
  const { rows } = await readPain001(path, { ...options, isAnyDebtor: true });
  const first: (readonly string[])[] = [COLUMNS.map(({ header }) => header)];
  for await (const { cells } of rows()) {
    first.push(cells);
    if (first.length > PEEKED_ROWS) break;
  }
  return { rows: first, delimiter: null, sheet: null };
}

/** The name that its sender gives to a message, with the sender: two messages of one name are one message. */
async function messageName(path: string, options: ReadOptions): Promise<string | null> {
  const source = await describeFile(path, options);
  const ignore = () => undefined;
  const names = readMessage<string>(source, (tell) => ({
    group: (header) => tell(nameIn(header)),
    block: ignore,
    payment: ignore,
  }));
  for await (const name of names) return name;
  return null;
}

function nameIn(header: Element): string {
  const party = elementAt(header, 'InitgPty');
  const id = party === undefined ? '' : (elementAt(party, 'Id')?.children.map(saidIn).join('') ?? '');
  // One program writes its name in several ways.
  const name = party === undefined ? '' : textAt(party, 'Nm').replace(/\s+/g, ' ').toUpperCase();
  const sender = id === '' ? name : id;
  return `${idOf(textAt(header, 'MsgId'))}\n${sender}`;
}

/** A damaged or foreign start, a bomb, and an account that is not ours: a file for a bank is refused whatever its length. */
function refuseByStart(start: Buffer, options: ReadOptions): void {
  // Its program is told of a currency that is not the account's, once the whole message is read.
  const debtors = (options.debtors ?? []).map((debtor) => ({ ...debtor, currency: null }));
  const { group, block } = startAround({ ...options, debtors });
  readStart(start, { group, block, payment: () => undefined });
}

/** The start of a root of this kind, in any version or variant; other XML is somebody else's. */
const BEGINS = /<(?:[\w.-]+:)?[\w.-]+\b[^>]*pain\.001/;

export const PAIN001: Format = {
  readers: new Map([['.xml', readPain001]]),
  peek: peekPain001,
  answersAs: 'csv',
  writtenAs: () => ({ delimiter: 'auto', encoding: 'auto', sheet: null, hasMarks: false }),
  whenCut: ['xml_damaged'],
  begins: (start) => BEGINS.test(start.toString('latin1').replaceAll('\0', '')),
  refuseByStart,
  messageName,
  refusedMessage,
};
