// A credit transfer message (pain.001) as a file of payments: a row a payment, its place the number of the payment in the message. The message vouches
// for its own numbers and sums, and is taken only for accounts that are ours: a file of the same kind may be meant for a bank.
import { compareDecimals, type DecimalText, toDecimalText } from '../../base/decimal.ts';
import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import type { CsvForm } from '../form.ts';
import {
  type Debtor,
  type Format,
  type Peek,
  type ReadFile,
  type ReadOptions,
  USUAL_MESSAGE,
} from '../format.ts';
import type { Column, Row, Table } from '../row.ts';
import { describeFile, type SourceFile } from '../source-file.ts';
import { CANONICAL, ECHOED, mapPayment, plainDecimal } from './map-payment.ts';
import { type Around, type Hash, startReferences, withRepeated } from './payment-ids.ts';
import { elementAt, readMessage, textAt, type Element, type MessageHandler } from './read-message.ts';

/** In which the answers are written: what any program reads. */
const FORM: CsvForm = {
  kind: 'csv',
  delimiter: ',',
  encoding: { name: 'utf-8', bom: false },
  newline: '\n',
  sepLine: false,
  decimalMark: '.',
};

const COLUMNS: readonly Column[] = [
  ...CANONICAL.map((canonical, index) => ({ index, header: canonical, canonical })),
  ...ECHOED.map((header, index) => ({ index: CANONICAL.length + index, header, canonical: null })),
];

/** Reads the message to its end and holds it against itself. Throws `FileRefused`. */
async function readPain001(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options.bytesMax);
  const survey = startSurvey(options);
  await Array.fromAsync(readMessage<never>(source, () => survey.handler));
  const { rowCount, sums, repeated } = survey.finish();
  const table: Table = {
    form: FORM,
    headerPlace: '0',
    columns: COLUMNS,
    indexOf: new Map(CANONICAL.map((canonical, index) => [canonical, index])),
    unknown: [],
    decimalMarks: new Map([
      ['amount', '.'],
      ['sourceAmount', '.'],
    ]),
    rowCount,
    totals: null,
    footer: null,
    sums,
    message: { personNames: (options.message ?? USUAL_MESSAGE).personNames },
  };
  return { table, rows: () => paymentRows(source, options, repeated) };
}

type Survey = {
  readonly handler: MessageHandler;
  readonly finish: () => {
    readonly rowCount: number;
    readonly sums: ReadonlyMap<string, DecimalText>;
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
  let message: Counted | null = null;
  let block: Counted | null = null;
  const around = startAround(options);
  const endBlock = () => {
    if (block !== null) checkControl(block, 'PmtInf');
  };
  return {
    handler: {
      group: (header) => {
        around.group(header);
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
      return { rowCount: message?.count ?? 0, sums: new Map(inText), repeated: references.repeated() };
    },
  };
}

/** The number of payments and their sum, whatever their currencies, must be those that the message states; the sum may be left out. */
function checkControl({ element, count, parts }: Counted, place: 'GrpHdr' | 'PmtInf'): void {
  const stated = textAt(element, 'NbOfTxs');
  if (stated !== '' && BigInt(stated) !== BigInt(count))
    throw controlDiffers(sentence('pain001File.count', { place: nameOf(element, place), stated, count }));
  const statedSum = textAt(element, 'CtrlSum');
  const exact = toDecimalText(plainDecimal(statedSum));
  const sum = inDecimals(parts);
  if (statedSum !== '' && (exact === null || compareDecimals(exact, sum) !== 0))
    throw controlDiffers(
      sentence('pain001File.sum', { place: nameOf(element, place), stated: statedSum, sum }),
    );
}

function nameOf(element: Element, place: string): string {
  return place === 'GrpHdr' ? place : `${place} ${textAt(element, 'PmtInfId')}`;
}

function controlDiffers(words: Words): FileRefused {
  return new FileRefused('control_differs', words);
}

type AroundNow = {
  readonly group: (header: Element) => void;
  readonly block: (block: Element) => void;
  readonly now: () => Around & { readonly sender: Debtor['sender'] };
};

/** What holds for the payments that follow. A block whose account is nobody's of ours refuses the message before its first payment is read. */
function startAround(options: ReadOptions): AroundNow {
  let header: Element | null = null;
  let around: ReturnType<AroundNow['now']> | null = null;
  const rules = options.message ?? USUAL_MESSAGE;
  return {
    group: (element) => {
      header = element;
    },
    block: (block) => {
      if (header === null) throw new Error('A block stands before the header of its message.');
      around = { header, block, rules, ...debitedBy(block, options) };
    },
    now: () => {
      if (around === null) throw new Error('A payment stands in no block.');
      return around;
    },
  };
}

type Debited = Pick<Around, 'debitCurrency' | 'debtor'> & { readonly sender: Debtor['sender'] };

function debitedBy(block: Element, { debtors = [], isAnyDebtor = false }: ReadOptions): Debited {
  const account = textAt(block, 'DbtrAcct', 'Id', 'IBAN') || textAt(block, 'DbtrAcct', 'Id', 'Othr', 'Id');
  const written = textAt(block, 'DbtrAcct', 'Ccy');
  const debtor = debtors.find((each) => isSameAccount(each, account));
  const refused = isAnyDebtor ? null : refusalOf(debtor, account, written);
  if (refused !== null) throw refused;
  return {
    debtor: account,
    debitCurrency: written === '' ? (debtor?.currency ?? '') : written,
    sender: debtor?.sender ?? null,
  };
}

function refusalOf(debtor: Debtor | undefined, account: string, written: string): FileRefused | null {
  if (debtor === undefined)
    return new FileRefused('debtor_unknown', sentence('pain001File.debtor', { account }));
  if (!debtor.isFromHere)
    return new FileRefused('debtor_not_allowed', sentence('pain001File.elsewhere', { account }));
  const { currency } = debtor;
  if (currency === null || written === '' || written === currency) return null;
  const words = sentence('pain001File.currency', { account, written, currency });
  return new FileRefused('debtor_currency_differs', words);
}

/** An IBAN of the CEMAC zone has the RIB behind its first four characters. */
const RIB_DIGITS = 23;

function isSameAccount({ account }: Debtor, other: string): boolean {
  const bare = (text: string) => {
    const joined = text.replace(/\s/g, '');
    return /^[A-Z]{2}\d{2}/.test(joined) && joined.length === RIB_DIGITS + 4 ? joined.slice(4) : joined;
  };
  return bare(account) === bare(other);
}

function paymentRows(
  source: SourceFile,
  options: ReadOptions,
  repeated: ReadonlySet<Hash>,
): AsyncGenerator<Row> {
  const around = startAround({ ...options, isAnyDebtor: true });
  let position = 0;
  return readMessage<Row>(source, (tell) => ({
    ...around,
    payment: (element) => {
      const { sender, ...place } = around.now();
      const { cells, faults, documentStems } = mapPayment(element, place);
      tell({
        position,
        place: String(position + 1),
        cells: [...CANONICAL, ...ECHOED].map((name) => cells[name] ?? ''),
        faults: withRepeated(faults, cells.reference ?? '', repeated),
        documentStems,
        ...(sender === null ? {} : { sender }),
      });
      position += 1;
    },
  }));
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

/** Where a root of this kind begins, whatever its version or variant; other XML is somebody else's. */
const BEGINS = /<(?:[\w.-]+:)?[\w.-]+\b[^>]*pain\.001/;

export const PAIN001: Format = {
  readers: new Map([['.xml', readPain001]]),
  peek: peekPain001,
  answersAs: 'csv',
  writtenAs: () => ({ delimiter: 'auto', encoding: 'auto', sheet: null, hasMarks: false }),
  whenCut: ['xml_damaged'],
  begins: (start) => BEGINS.test(start.toString('latin1').replaceAll('\0', '')),
  messageName,
};
