// A credit transfer message (pain.001) as a file of payments: a row a payment, its place the number of the payment in the message. The message vouches
// for its own numbers and sums, and is taken only for accounts that are ours: a file of the same kind may be meant for a bank.
import { compareDecimals, type DecimalText, toDecimalText } from '../../base/decimal.ts';
import type { Words } from '../../base/language.ts';
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
import { describeFile, type SourceFile } from '../source-file.ts';
import { CANONICAL, ECHOED, mapPayment, plainDecimal } from './map-payment.ts';
import { type Hash, isDebtorOurs, startAround, startReferences, withRepeated } from './around-payment.ts';
import {
  elementAt,
  readMessage,
  textAt,
  type Element,
  type MessageHandler,
  type ReadFor,
} from './read-message.ts';

/** In which the answers are written: what any program reads. */
const FORM: CsvForm = {
  kind: 'csv',
  delimiter: ',',
  encoding: { name: 'utf-8', bom: false },
  newline: '\n',
  sepLine: false,
  decimalMark: '.',
};

const NAMES = [...CANONICAL, ...ECHOED] as const;

const COLUMNS: readonly Column[] = [
  ...CANONICAL.map((canonical, index) => ({ index, header: canonical, canonical })),
  ...ECHOED.map((header, index) => ({ index: CANONICAL.length + index, header, canonical: null })),
];

/** Reads the message to its end and holds it against itself. Throws `FileRefused`. */
async function readPain001(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options.bytesMax);
  const survey = startSurvey(options);
  await Array.fromAsync(readMessage<never>(source, () => survey.handler));
  const { name, rowCount, sums, repeated, days } = survey.finish();
  const table = tableOf(options, { name, days }, { rowCount, sums });
  return { table, rows: () => paymentRows(source, options, repeated) };
}

type Named = Pick<NonNullable<Table['message']>, 'name' | 'days'>;

function tableOf({ message }: ReadOptions, named: Named, found: Pick<Table, 'rowCount' | 'sums'>): Table {
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
  const source = await describeFile(path, options.bytesMax);
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
  await Array.fromAsync(readMessage<never>(source, () => handler, 'refusing'));
  const [found, ...others] = heads;
  if (found === undefined || others.length > 0 || blocks.length === 0 || blocks.includes(false)) return null;
  // Of a payment that cannot be named nobody would know later that it was told as rejected.
  if (unnamed > 0 || !ID.test(found.msgId)) return null;
  const named = { name: found.name, days: new Map<string, number>() };
  const table = tableOf(options, named, { rowCount: 0, sums: new Map() });
  return { ...found, table, rows: () => paymentRows(source, options, new Set(), 'refusing') };
}

/** As the schemas have it: an id that breaks them can be told to nobody. */
const ID = /^.{1,35}$/su;
const UETR = /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/;

function isNamed(payment: Element): boolean {
  const id = (name: string) => elementAt(payment, 'PmtId', name)?.text;
  return ID.test(id('EndToEndId') ?? '') && ID.test(id('InstrId') ?? '-') && UETR.test(id('UETR') ?? NO_UETR);
}

const NO_UETR = '00000000-0000-4000-8000-000000000000';

function nameOfVersion(version: string): string {
  return `pain.001.001.${version}`;
}

type Survey = {
  readonly handler: MessageHandler;
  readonly finish: () => {
    readonly name: string;
    readonly rowCount: number;
    readonly sums: ReadonlyMap<string, DecimalText>;
    /** How many payments each day has, as the message writes it. */
    readonly days: ReadonlyMap<string, number>;
    /** References that several payments of the message carry. */
    readonly repeated: ReadonlySet<Hash>;
  };
};

/** Sums are whole numbers of the smallest part that the schema lets an amount have: adding text would cost more than reading it. */
const PARTS_DECIMALS = 5;

type Counted = { readonly element: Element; count: number; parts: bigint };

function partsOf(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace(/^-/, '').split('.');
  return BigInt(whole + fraction.slice(0, PARTS_DECIMALS).padEnd(PARTS_DECIMALS, '0'));
}

function inDecimals(parts: bigint): DecimalText {
  const digits = String(parts).padStart(PARTS_DECIMALS + 1, '0');
  return toDecimalText(`${digits.slice(0, -PARTS_DECIMALS)}.${digits.slice(-PARTS_DECIMALS)}`) ?? '0';
}

function startSurvey(options: ReadOptions): Survey {
  const sums = { amount: 0n, sourceAmount: 0n };
  const references = startReferences();
  const days = new Map<string, number>();
  let name = '';
  let message: Counted | null = null;
  let block: Counted | null = null;
  const around = startAround(options);
  const endBlock = () => {
    if (block !== null) checkControl(block, 'PmtInf');
  };
  return {
    handler: {
      group: (header, version) => {
        around.group(header);
        name = nameOfVersion(version);
        message = { element: header, count: 0, parts: 0n };
      },
      block: (element) => {
        endBlock();
        around.block(element);
        block = { element, count: 0, parts: 0n };
      },
      payment: (payment) => {
        const { cells } = mapPayment(payment, around.now());
        const column = cells.amount === undefined ? 'sourceAmount' : 'amount';
        const parts = partsOf(cells[column] ?? '0');
        for (const counted of [message, block]) {
          if (counted === null) continue;
          counted.count += 1;
          counted.parts += parts;
        }
        sums[column] += parts;
        const day = cells.executionDate ?? '';
        days.set(day, (days.get(day) ?? 0) + 1);
        if ((message?.count ?? 0) > options.rowsMax)
          throw new FileRefused(
            'too_many_rows',
            sentence('survey.tooManyRows', { rowsMax: options.rowsMax }),
          );
        if (cells.reference !== undefined && cells.reference !== '') references.add(cells.reference);
      },
    },
    finish: () => {
      endBlock();
      if (message !== null) checkControl(message, 'GrpHdr');
      const inText = Object.entries(sums).map(([column, parts]) => [column, inDecimals(parts)] as const);
      const rowCount = message?.count ?? 0;
      return { name, rowCount, days, sums: new Map(inText), repeated: references.repeated() };
    },
  };
}

/** The number of payments and their sum, in any currencies, must be those that the message states; the sum may be left out. */
function checkControl({ element, count, parts }: Counted, place: 'GrpHdr' | 'PmtInf'): void {
  const stated = textAt(element, 'NbOfTxs');
  if (stated !== '' && BigInt(stated) !== BigInt(count))
    throw controlDiffers(
      sentence('pain001File.count', { place: nameOf(element, place), stated, count }),
      place === 'GrpHdr' ? 'AM19' : 'AM20',
    );
  const statedSum = textAt(element, 'CtrlSum');
  const exact = toDecimalText(plainDecimal(statedSum));
  const sum = inDecimals(parts);
  if (statedSum !== '' && (exact === null || compareDecimals(exact, sum) !== 0))
    throw controlDiffers(
      sentence('pain001File.sum', { place: nameOf(element, place), stated: statedSum, sum }),
      place === 'GrpHdr' ? 'AM16' : 'AM17',
    );
}

function nameOf(element: Element, place: string): string {
  return place === 'GrpHdr' ? place : `${place} ${textAt(element, 'PmtInfId')}`;
}

function controlDiffers(words: Words, iso: string): FileRefused {
  return new FileRefused('control_differs', words, { iso });
}

function paymentRows(
  source: SourceFile,
  options: ReadOptions,
  repeated: ReadonlySet<Hash>,
  readFor: ReadFor = 'paying',
): AsyncGenerator<Row> {
  const around = startAround({ ...options, isAnyDebtor: true });
  let position = 0;
  const handlerFor = (tell: (row: Row) => void): MessageHandler => ({
    ...around,
    payment: (element) => {
      const { sender, ...place } = around.now();
      const { cells, faults, documentStems } = mapPayment(element, place);
      tell({
        position,
        place: String(position + 1),
        cells: NAMES.map((name) => cells[name] ?? ''),
        faults: withRepeated(faults, cells.reference ?? '', repeated),
        documentStems,
        debtor: place.debtor,
        ...(sender === null ? {} : { sender }),
      });
      position += 1;
    },
  });
  return readMessage<Row>(source, handlerFor, readFor);
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
  const source = await describeFile(path, options.bytesMax);
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
  const id = party === undefined ? '' : (elementAt(party, 'Id')?.children.map(said).join('') ?? '');
  const sender = id === '' && party !== undefined ? textAt(party, 'Nm') : id;
  return `${textAt(header, 'MsgId')}\n${sender}`;
}

function said({ name, text, children }: Element): string {
  return `<${name}>${children.length === 0 ? text.trim() : children.map(said).join('')}`;
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
  messageName,
  refusedMessage,
};
