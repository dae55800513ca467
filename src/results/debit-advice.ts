// A debit advice (camt.054): the debits and fees of a message's payments, for the books of the program that wrote it. It has an entry for each account and
// currency, in one pass over the payments: their details are laid aside until the sums that precede them are known. What the readers in use need beyond the
// schema, `accounting-readers.ts` of the tests says.
import { hash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { formatAmount } from '../base/currency.ts';
import { FILE_READERS, type Language } from '../base/language.ts';
import { addDecimals, compareDecimals, type DecimalText, divideDecimals } from '../base/decimal.ts';
import { readBytes } from '../base/plain-file.ts';
import type { RowRecord } from '../ledger/records.ts';
import { debitOf } from '../service/wire.ts';
import { isIban } from '../rows/cell.ts';
import { cellOf, type Row, type Table } from '../rows/row.ts';
import { effectOf, rowCurrencies } from './money-tally.ts';
import { reasonOf } from './payout-cells.ts';
import { escaped, linesOf, reportedOf } from './status-report.ts';

/** Of the generation of the answered message: a program that writes the first pain.001 cannot read a later camt.054. */
export type AdviceVersion = '02' | '08';

type AdviceHead = {
  readonly version: AdviceVersion;
  readonly msgId: string;
  /** Of the advices of a batch, from 1. */
  readonly number: number;
  /** ISO. */
  readonly createdAt: string;
  /** The day of the booking, `yyyy-mm-dd`: many readers look for no time. */
  readonly bookedOn: string;
  readonly language: Language;
  /** The id of the answered message, unchanged. */
  readonly original: string;
  /** Play money must not pass for a debit in the books of a program that reads it. */
  readonly isSandbox: boolean;
};

/** A payment that was debited, or a debit that was given back. */
export type Debit = { readonly row: Row; readonly record: RowRecord; readonly isGivenBack: boolean };

/** Whether the account was debited for a row: the same that the reconciliation counts as debited. */
export function isDebited(record: RowRecord): boolean {
  const { transfer } = record.progress;
  if (transfer === null || rowCurrencies(record) === null) return false;
  return effectOf(transfer.status, transfer).debited !== '0';
}

type AdviceEntry = {
  readonly account: string;
  readonly currency: string;
  readonly isGivenBack: boolean;
  readonly path: string;
  count: number;
  debited: DecimalText;
  fees: DecimalText;
};

/** The text of an advice; the details of the payments are laid aside in `folder` meanwhile. */
export async function* debitAdvice(
  head: AdviceHead,
  table: Table,
  debits: AsyncIterable<Debit>,
  folder: string,
): AsyncGenerator<string | Uint8Array> {
  const entries = new Map<string, AdviceEntry>();
  try {
    await layAside(head, table, debits, entries, folder);
    yield opening(head);
    for (const [index, entry] of [...entries.values()].entries()) {
      yield entryOpening(head, entry, index);
      yield* readBytes(entry.path);
      yield ENTRY_CLOSING;
    }
    yield CLOSING;
  } finally {
    for (const { path } of entries.values()) await rm(path, { force: true });
  }
}

/** The text is written in pieces of about this size. */
const TEXT_CHARS = 256 * 1024;
const FILE_MODE = 0o600;

async function layAside(
  head: AdviceHead,
  table: Table,
  debits: AsyncIterable<Debit>,
  entries: Map<string, AdviceEntry>,
  folder: string,
): Promise<void> {
  const texts = new Map<AdviceEntry, string>();
  const write = async (entry: AdviceEntry): Promise<void> => {
    const file = await open(entry.path, 'a', FILE_MODE);
    try {
      await file.writeFile(texts.get(entry) ?? '');
    } finally {
      await file.close();
    }
    texts.set(entry, '');
  };
  for await (const debit of debits) {
    const told = detailsOf(head, table, debit);
    if (told === null) continue;
    const { account, currency, isGivenBack } = told;
    const key = JSON.stringify([isGivenBack, account, currency]);
    const path = join(folder, `.camt054-${randomUUID()}.tmp`);
    const entry = entries.get(key) ?? {
      ...{ account, currency, isGivenBack, path, count: 0, debited: '0', fees: '0' },
    };
    entries.set(key, entry);
    entry.count += 1;
    entry.debited = addDecimals(entry.debited, told.debited);
    entry.fees = addDecimals(entry.fees, told.fee);
    const text = (texts.get(entry) ?? '') + told.text;
    texts.set(entry, text);
    if (text.length > TEXT_CHARS) await write(entry);
  }
  for (const entry of entries.values()) await write(entry);
}

type Details = Pick<AdviceEntry, 'account' | 'currency' | 'isGivenBack' | 'debited'> & {
  readonly fee: DecimalText;
  readonly text: string;
};

function detailsOf(head: AdviceHead, table: Table, { row, record, isGivenBack }: Debit): Details | null {
  const { transfer, finalAt } = record.progress;
  const currencies = rowCurrencies(record);
  if (transfer === null || currencies === null) return null;
  const { sourceCurrency: currency, targetCurrency } = currencies;
  const debited = debitOf(transfer);
  const { sendAmount, feeAmount: fee, receiveAmount, transferId } = transfer;
  const reported = reportedOf(table, row);
  const rate = rateXml(sendAmount, receiveAmount, currency, targetCurrency);
  const side = `<CdtDbtInd>${sideOf(isGivenBack)}</CdtDbtInd>`;
  const number = cellOf(table, row, 'documentReferenceNumber').trim();
  const text = [
    `<TxDtls>${refsXml(head, transferId, reported, isGivenBack)}`,
    // Version 02 has them in the entry alone.
    head.version === '02' ? '' : `${amountXml('Amt', debited, currency)}${side}`,
    `<AmtDtls>${instructed(head, reported, currency)}`,
    // What the account was debited: readers without an element for the charges book this amount.
    `<TxAmt>${amountXml('Amt', debited, currency)}</TxAmt>`,
    `<CntrValAmt>${amountXml('Amt', receiveAmount, targetCurrency)}${rate}</CntrValAmt>`,
    `<PrtryAmt><Tp>SENT</Tp>${amountXml('Amt', sendAmount, currency)}</PrtryAmt></AmtDtls>`,
    chargesXml(head, fee, currency, isGivenBack),
    payeeXml(head, table, row),
    number === '' ? '' : `<RmtInf><Ustrd>${escaped(cut(number, UNSTRUCTURED_CHARS))}</Ustrd></RmtInf>`,
    finalAt === null ? '' : `<RltdDts><TxDtTm>${finalAt}</TxDtTm></RltdDts>`,
    isGivenBack ? returnXml(head, record) : '',
    // Readers that find no text take this one for the label of the booking.
    number === '' ? `<AddtlTxInf>transfer ${escaped(transferId)}</AddtlTxInf>` : '',
    '</TxDtls>\n',
  ].join('');
  return { account: row.debtor ?? '', currency, isGivenBack, debited, fee, text };
}

const UNSTRUCTURED_CHARS = 140;

/** Never within a character. */
function cut(text: string, chars: number): string {
  return Array.from(text).slice(0, chars).join('');
}

/**
 * By the first of these references that it finds, a reader knows a booking again, and passes over the next one with the same. So what is given back has another
 * one than its debit, and no UETR.
 */
function refsXml(
  { version, number }: AdviceHead,
  transferId: string,
  { pmtInfId, instrId, endToEndId, uetr }: ReturnType<typeof reportedOf>,
  isGivenBack: boolean,
): string {
  return [
    `<Refs><AcctSvcrRef>${bookingReference(transferId, number, isGivenBack)}</AcctSvcrRef>`,
    `<PmtInfId>${escaped(pmtInfId)}</PmtInfId>`,
    instrId === '' ? '' : `<InstrId>${escaped(instrId)}</InstrId>`,
    `<EndToEndId>${escaped(endToEndId)}</EndToEndId>`,
    uetr === '' || version === '02' || isGivenBack ? '' : `<UETR>${escaped(uetr)}</UETR>`,
    '</Refs>',
  ].join('');
}

const ID_CHARS = 32;
/** Before the third advice nothing can be debited, or given back, for the second time. */
const REPEATED_FROM = 3;

function bookingReference(transferId: string, number: number, isGivenBack: boolean): string {
  const bare = transferId.replaceAll('-', '');
  const id = /^[\da-z]{1,32}$/i.test(bare) ? bare : hash('sha256', transferId).slice(0, ID_CHARS);
  return `${isGivenBack ? 'R' : ''}${id}${number < REPEATED_FROM ? '' : number.toString(36)}`;
}

/**
 * As the message asked for it: the amount that arrives, or the amount debited that is paid out in another currency. A reader of version 02 takes the number
 * for one in the currency of the account, so it is left out there where it is in another.
 */
function instructed(
  { version }: AdviceHead,
  { amount }: Pick<ReturnType<typeof reportedOf>, 'amount'>,
  debited: string,
): string {
  const asked = /<(?:InstdAmt|Amt) Ccy="(?<currency>[A-Z]{3})">(?<value>[\d.]+)</.exec(amount)?.groups;
  const { currency = '', value = '' } = asked ?? {};
  if (asked === undefined || (version === '02' && currency !== debited)) return '';
  return `<InstdAmt><Amt Ccy="${currency}">${value}</Amt></InstdAmt>`;
}

/** The payee and the account as the message has them: most readers match a booking by the name. */
function payeeXml({ version }: AdviceHead, table: Table, row: Row): string {
  const name = escaped(cut(payeeName(table, row), UNSTRUCTURED_CHARS));
  const named = version === '02' ? `<Nm>${name}</Nm>` : `<Pty><Nm>${name}</Nm></Pty>`;
  const account = payeeAccount(table, row);
  const inside = `${name === '' ? '' : `<Cdtr>${named}</Cdtr>`}${account === '' ? '' : `<CdtrAcct><Id>${account}</Id></CdtrAcct>`}`;
  return inside === '' ? '' : `<RltdPties>${inside}</RltdPties>`;
}

function payeeName(table: Table, row: Row): string {
  const cell = (name: string) => cellOf(table, row, name).trim();
  const whole = cell('receiver.name') || cell('receiver.registeredName');
  if (whole !== '') return whole;
  const [first, last] = [cell('receiver.firstName'), cell('receiver.lastName')];
  // Only a comma, or the order that the profile states, took them apart.
  const order = table.message?.personNames ?? null;
  if (order === null) return [last, first].filter(Boolean).join(', ');
  return (order === 'family-given' ? [last, first] : [first, last]).filter(Boolean).join(' ');
}

const ACCOUNT_CHARS = 34;

function payeeAccount(table: Table, row: Row): string {
  const cell = (name: string) => cellOf(table, row, name).trim();
  const account = cell('delivery.bankAccountNumber');
  const joined = account.replace(/\s/g, '').toUpperCase();
  if (account !== '' && isIban(joined)) return `<IBAN>${joined}</IBAN>`;
  const other = account || cell('delivery.cardNumber') || cell('delivery.msisdn') || cell('delivery.email');
  return other === '' || other.length > ACCOUNT_CHARS ? '' : `<Othr><Id>${escaped(other)}</Id></Othr>`;
}

/** A reader takes a credit without it for a payment that succeeded. */
function returnXml({ language }: AdviceHead, record: RowRecord): string {
  const lines = linesOf(reasonOf(record, null, FILE_READERS[language])).map(
    (line) => `<AddtlInf>${escaped(line)}</AddtlInf>`,
  );
  return `<RtrInf><Rsn><Cd>NARR</Cd></Rsn>${lines.join('')}</RtrInf>`;
}

/** A rate has eleven digits, ten of them after the point. */
const RATE_DIGITS = 11;
const RATE_FRACTION = 10;

/** How much arrives for one unit sent; empty where the digits do not suffice. */
function rateXml(sent: DecimalText, received: DecimalText, source: string, target: string): string {
  if (source === target || compareDecimals(sent, '0') <= 0) return '';
  const [whole = ''] = divideDecimals(received, sent, RATE_FRACTION).split('.');
  if (whole.length >= RATE_DIGITS) return '';
  const rate = divideDecimals(received, sent, RATE_DIGITS - whole.length);
  if (rate === '0') return '';
  return `<CcyXchg><SrcCcy>${source}</SrcCcy><TrgtCcy>${target}</TrgtCcy><UnitCcy>${source}</UnitCcy><XchgRate>${rate}</XchgRate></CcyXchg>`;
}

function chargesXml(head: AdviceHead, fee: DecimalText, currency: string, isGivenBack: boolean): string {
  const side = `<CdtDbtInd>${sideOf(isGivenBack)}</CdtDbtInd>`;
  if (head.version === '02') return chargesOf(head, fee, currency, side);
  const record = `<Rcrd>${amountXml('Amt', fee, currency)}${side}<ChrgInclInd>true</ChrgInclInd></Rcrd>`;
  return chargesOf(head, fee, currency, record);
}

/** @param more what follows the sum: in version 02 the amount once more, and its side. */
function chargesOf({ version }: AdviceHead, fee: DecimalText, currency: string, more: string): string {
  const again = version === '02' ? amountXml('Amt', fee, currency) : '';
  return `<Chrgs>${amountXml('TtlChrgsAndTaxAmt', fee, currency)}${again}${more}</Chrgs>`;
}

function amountXml(name: string, amount: DecimalText, currency: string): string {
  return `<${name} Ccy="${currency}">${formatAmount(amount, currency)}</${name}>`;
}

function sideOf(isGivenBack: boolean): 'CRDT' | 'DBIT' {
  return isGivenBack ? 'CRDT' : 'DBIT';
}

const SANDBOX = '<AddtlInf>SANDBOX: play money, nothing was paid.</AddtlInf>';

function opening({ version, msgId, createdAt, isSandbox }: AdviceHead): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.${version}"><BkToCstmrDbtCdtNtfctn>`,
    `<GrpHdr><MsgId>${escaped(msgId)}</MsgId><CreDtTm>${createdAt}</CreDtTm>${isSandbox ? SANDBOX : ''}</GrpHdr>\n`,
  ].join('');
}

/** Each entry is a notification about its account. The code for credit transfers issued across borders. */
const KIND =
  '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>XBCT</SubFmlyCd></Fmly></Domn></BkTxCd>';

function entryOpening(head: AdviceHead, entry: AdviceEntry, index: number) {
  const { version, msgId, createdAt, bookedOn, original } = head;
  const { account, currency, isGivenBack, count, debited, fees } = entry;
  const side = sideOf(isGivenBack);
  const id = escaped(index === 0 ? msgId : `${msgId}.${String(index + 1)}`);
  return [
    `<Ntfctn><Id>${id}</Id><CreDtTm>${createdAt}</CreDtTm>`,
    `<Acct><Id>${accountXml(account)}</Id><Ccy>${currency}</Ccy></Acct>\n`,
    `<Ntry>${amountXml('Amt', debited, currency)}<CdtDbtInd>${side}</CdtDbtInd>`,
    isGivenBack ? '<RvslInd>true</RvslInd>' : '',
    version === '02' ? '<Sts>BOOK</Sts>' : '<Sts><Cd>BOOK</Cd></Sts>',
    `<BookgDt><Dt>${bookedOn}</Dt></BookgDt><ValDt><Dt>${bookedOn}</Dt></ValDt>`,
    `<AcctSvcrRef>${id}</AcctSvcrRef>`,
    `${KIND}${chargesOf(head, fees, currency, '')}`,
    `<NtryDtls><Btch><MsgId>${escaped(original)}</MsgId><NbOfTxs>${String(count)}</NbOfTxs>`,
    `${amountXml('TtlAmt', debited, currency)}<CdtDbtInd>${side}</CdtDbtInd></Btch>\n`,
  ].join('');
}

const ENTRY_CLOSING = '</NtryDtls></Ntry></Ntfctn>\n';
const CLOSING = '</BkToCstmrDbtCdtNtfctn></Document>\n';

function accountXml(account: string): string {
  const joined = account.replace(/\s/g, '');
  if (isIban(joined)) return `<IBAN>${joined}</IBAN>`;
  return `<Othr><Id>${escaped(account === '' ? 'NOTPROVIDED' : account)}</Id></Othr>`;
}
