// The surroundings of a payment: the account that its block debits, and the ids by which the payment, its reference and its document are known.
import { hash } from 'node:crypto';

import { compareDecimals, type DecimalText, toDecimalText } from '../../base/decimal.ts';
import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { type Debtor, type MessageRules, type ReadOptions, USUAL_MESSAGE } from '../format.ts';
import type { Row } from '../row.ts';
import { elementAt, textAt, type Element } from './schema.ts';

/** What the message and the block say about all their payments. */
export type Around = {
  readonly header: Element;
  readonly block: Element;
  /** Of the account that is debited; empty where neither the message nor the config says one. */
  readonly debitCurrency: string;
  /** The account that is debited, as the message writes it. */
  readonly debtor: string;
  /** The day of execution of the block. */
  readonly executionDate: string;
  /** The meaning that the firm behind the message gives to it. */
  readonly rules: MessageRules;
};

type AroundNow = {
  readonly group: (header: Element) => void;
  readonly block: (block: Element) => void;
  readonly now: () => Around & { readonly sender: Debtor['sender'] };
};

/** Values for the payments that follow. A block with an unknown account refuses the message before its first payment is read. */
export function startAround(options: ReadOptions): AroundNow {
  let header: Element | null = null;
  let around: ReturnType<AroundNow['now']> | null = null;
  const rules = options.message ?? USUAL_MESSAGE;
  return {
    group: (element) => {
      header = element;
    },
    block: (block) => {
      if (header === null) throw new Error('A block stands before the header of its message.');
      around = { header, block, rules, executionDate: executionDay(block), ...debitedBy(block, options) };
    },
    now: () => {
      if (around === null) throw new Error('A payment stands in no block.');
      return around;
    },
  };
}

/** Day of execution as written, a zone or a time of day left off. */
function executionDay(block: Element): string {
  const written =
    textAt(block, 'ReqdExctnDt', 'Dt') ||
    textAt(block, 'ReqdExctnDt', 'DtTm') ||
    textAt(block, 'ReqdExctnDt');
  return /^-?\d{4,}-\d\d-\d\d/.exec(written)?.[0] ?? written;
}

export function isDebtorOurs(block: Element, { debtors = [], isAnyDebtor = false }: ReadOptions): boolean {
  const debtor = debtors.find((each) => isSameAccount(each, accountIn(block)));
  return isAnyDebtor || debtor?.isFromHere === true;
}

function accountIn(block: Element): string {
  return textAt(block, 'DbtrAcct', 'Id', 'IBAN') || textAt(block, 'DbtrAcct', 'Id', 'Othr', 'Id');
}

type Debited = Pick<Around, 'debitCurrency' | 'debtor'> & { readonly sender: Debtor['sender'] };

function debitedBy(block: Element, { debtors = [], isAnyDebtor = false }: ReadOptions): Debited {
  const account = accountIn(block);
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

/** Placeholders that programs write where there is no reference. */
const NO_REFERENCE = /^(?:NOT ?PROVIDED|NONREF)$/i;

const IN_BRACES = /\{(\w+)\}/;

/** Pattern → its texts, and between them the names: a message asks for the same with each payment. */
const apart = new Map<string, readonly string[]>();

function piecesOf(pattern: string): readonly string[] {
  const known = apart.get(pattern) ?? pattern.split(IN_BRACES);
  apart.set(pattern, known);
  return known;
}

/** A text of a profile with ids of the payment in braces; empty where the payment has none of one of them. */
export function inBraces(pattern: string, payment: Element, around: Around): string {
  let text = '';
  for (const [index, part] of piecesOf(pattern).entries()) {
    const isName = index % 2 === 1;
    const said = isName ? idOf(part, payment, around).trim() : part;
    if (isName && (said === '' || NO_REFERENCE.test(said))) return '';
    text += said;
  }
  return text;
}

function idOf(name: string, payment: Element, { header, block, debtor }: Around): string {
  if (name === 'MsgId') return textAt(header, name);
  if (name === 'PmtInfId') return textAt(block, name);
  if (name === 'debtor') return debtor;
  return name === 'RfrdDocInf' ? (documentNumbers(payment)[0] ?? '') : textAt(payment, 'PmtId', name);
}

/** Characters that no file name may have become underscores: SAP calls an invoice `5100000123/2026`. */
function asFileName(text: string): string {
  return text.replace(/[\p{Cc}/\\:*?"<>|]/gu, '_');
}

function documentNamed(payment: Element, around: Around): string {
  const { documents } = around.rules;
  return documents === null ? '' : asFileName(inBraces(documents, payment, around));
}

export function documentStems(ids: readonly string[]): readonly string[] {
  const named = ids.map((id) => id.trim()).filter((id) => id !== '' && !NO_REFERENCE.test(id));
  return [...new Set(named.map(asFileName))];
}

export function documentNumbers(payment: Element): readonly string[] {
  const remittance = elementAt(payment, 'RmtInf');
  if (remittance === undefined) return [];
  const numbers = remittance.children
    .filter(({ name }) => name === 'Strd')
    .flatMap(({ children }) => children)
    .map((part) =>
      part.name === 'RfrdDocInf' ? textAt(part, 'Nb') : part.name === 'CdtrRefInf' ? textAt(part, 'Ref') : '',
    );
  return [...new Set(numbers.filter(Boolean))];
}

/** The name of a document in the folder of the message. Nothing is ever fetched: a web address is refused as the name that it is. */
export function attachmentOf(payment: Element, around: Around): string {
  const places = payment.children.filter(({ name }) => name === 'RltdRmtInf');
  const named = places.flatMap((place) => [
    { method: textAt(place, 'RmtLctnMtd'), address: textAt(place, 'RmtLctnElctrncAdr') },
    ...place.children
      .filter(({ name }) => name === 'RmtLctnDtls')
      .map((each) => ({ method: textAt(each, 'Mtd'), address: textAt(each, 'ElctrncAdr') })),
  ]);
  return (
    named.find(({ method, address }) => method === 'URID' && address !== '')?.address ??
    documentNamed(payment, around)
  );
}

// The numbers of payments and the sums that a message states, of itself and of each block, are held against what it holds.

/** The schema lets a number begin with a sign, and begin or end with its point. */
export function plainDecimal(text: string): string {
  if (/^\d+(?:\.\d+)?$/.test(text)) return text;
  return text
    .trim()
    .replace(/^\+/, '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.$/, '');
}

/** Sums are whole numbers of the smallest part that the schema lets an amount have: adding text would cost more than reading it. */
const PARTS_DECIMALS = 5;

type Counted = { readonly element: Element; count: number; parts: bigint };

export function partsOf(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace(/^-/, '').split('.');
  return BigInt(whole + fraction.slice(0, PARTS_DECIMALS).padEnd(PARTS_DECIMALS, '0'));
}

export function inDecimals(parts: bigint): DecimalText {
  const digits = String(parts).padStart(PARTS_DECIMALS + 1, '0');
  return toDecimalText(`${digits.slice(0, -PARTS_DECIMALS)}.${digits.slice(-PARTS_DECIMALS)}`) ?? '0';
}

export function startControls() {
  let message: Counted | null = null;
  let block: Counted | null = null;
  const endBlock = () => {
    if (block !== null) checkControl(block, 'PmtInf');
  };
  return {
    count: () => message?.count ?? 0,
    group: (element: Element) => {
      message = { element, count: 0, parts: 0n };
    },
    block: (element: Element) => {
      endBlock();
      block = { element, count: 0, parts: 0n };
    },
    add: (parts: bigint) => {
      for (const counted of [message, block]) {
        if (counted === null) continue;
        counted.count += 1;
        counted.parts += parts;
      }
    },
    /** The number of all payments. Throws `FileRefused` where the message states another number or sum. */
    end: (): number => {
      endBlock();
      if (message !== null) checkControl(message, 'GrpHdr');
      return message?.count ?? 0;
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

// Two payments of one reference: a program that knows the reference alone could not tell which one was paid.

/** A hash of 64 bits stands for a reference: a million of them take 8 MB. */
export type Hash = bigint;

function hashOf(reference: string): Hash {
  return BigInt(`0x${hash('sha256', reference).slice(0, 16)}`);
}

export function startReferences() {
  let hashes = new BigUint64Array(1_024);
  let count = 0;
  return {
    add: (reference: string) => {
      if (count === hashes.length) {
        const more = new BigUint64Array(2 * count);
        more.set(hashes);
        hashes = more;
      }
      hashes[count] = hashOf(reference);
      count += 1;
    },
    repeated: (): ReadonlySet<Hash> => {
      const sorted = hashes.subarray(0, count).sort();
      const found = new Set<Hash>();
      for (let index = 1; index < count; index += 1) {
        const hash = sorted[index];
        if (hash !== undefined && hash === sorted[index - 1]) found.add(hash);
      }
      return found;
    },
  };
}

/** Of two payments of one reference neither is paid: a program that knows the reference alone could not tell which one was. The reference is the first cell. */
export function withRepeated(rows: AsyncGenerator<Row>, repeated: ReadonlySet<Hash>): AsyncGenerator<Row> {
  return repeated.size === 0 ? rows : tellingRepeated(rows, repeated);
}

async function* tellingRepeated(rows: AsyncGenerator<Row>, repeated: ReadonlySet<Hash>): AsyncGenerator<Row> {
  for await (const row of rows) {
    const reference = row.cells[0] ?? '';
    const isRepeated = reference !== '' && repeated.has(hashOf(reference));
    const words = sentence('pain001File.repeated', { reference });
    const fault = { code: 'reference_repeated', column: 'reference', words } as const;
    yield isRepeated ? { ...row, faults: [...(row.faults ?? []), fault] } : row;
  }
}
