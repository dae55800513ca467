// A debit advice (camt.054): the debits and fees of a message's payments, for the books of the program that wrote it. It has an entry for each account and
// currency, in one pass over the payments: their details are laid aside until the sums that precede them are known.
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { formatAmount } from '../base/currency.ts';
import { addDecimals, compareDecimals, type DecimalText, divideDecimals } from '../base/decimal.ts';
import { readBytes } from '../base/plain-file.ts';
import type { RowRecord } from '../ledger/records.ts';
import { debitOf } from '../service/wire.ts';
import { isIban } from '../rows/cell.ts';
import type { Row, Table } from '../rows/row.ts';
import { effectOf, rowCurrencies } from './money-tally.ts';
import { escaped, reportedOf } from './status-report.ts';

type AdviceHead = {
  readonly msgId: string;
  /** ISO. */
  readonly createdAt: string;
  /** The id of the answered message, unchanged. */
  readonly original: string;
  readonly batch: string;
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

type Entry = {
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
  const entries = new Map<string, Entry>();
  try {
    await layAside(table, debits, entries, folder);
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
  table: Table,
  debits: AsyncIterable<Debit>,
  entries: Map<string, Entry>,
  folder: string,
): Promise<void> {
  const texts = new Map<Entry, string>();
  const write = async (entry: Entry): Promise<void> => {
    const file = await open(entry.path, 'a', FILE_MODE);
    try {
      await file.writeFile(texts.get(entry) ?? '');
    } finally {
      await file.close();
    }
    texts.set(entry, '');
  };
  for await (const debit of debits) {
    const told = detailsOf(table, debit);
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

type Details = Pick<Entry, 'account' | 'currency' | 'isGivenBack' | 'debited'> & {
  readonly fee: DecimalText;
  readonly text: string;
};

function detailsOf(table: Table, { row, record, isGivenBack }: Debit): Details | null {
  const { transfer, finalAt } = record.progress;
  const currencies = rowCurrencies(record);
  if (transfer === null || currencies === null) return null;
  const { sourceCurrency: currency, targetCurrency } = currencies;
  const debited = debitOf(transfer);
  const { sendAmount, feeAmount: fee, receiveAmount, transferId } = transfer;
  const { pmtInfId, instrId, endToEndId, uetr, amount } = reportedOf(table, row);
  const rate = rateXml(sendAmount, receiveAmount, currency, targetCurrency);
  const text = [
    '<TxDtls><Refs>',
    `<PmtInfId>${escaped(pmtInfId)}</PmtInfId>`,
    instrId === '' ? '' : `<InstrId>${escaped(instrId)}</InstrId>`,
    `<EndToEndId>${escaped(endToEndId)}</EndToEndId>`,
    uetr === '' ? '' : `<UETR>${escaped(uetr)}</UETR>`,
    `</Refs>${amountXml('Amt', debited, currency)}<CdtDbtInd>${sideOf(isGivenBack)}</CdtDbtInd><AmtDtls>`,
    instructed(amount),
    `<TxAmt>${amountXml('Amt', sendAmount, currency)}</TxAmt>`,
    `<CntrValAmt>${amountXml('Amt', receiveAmount, targetCurrency)}${rate}</CntrValAmt></AmtDtls>`,
    chargesXml(fee, currency, isGivenBack),
    finalAt === null ? '' : `<RltdDts><TxDtTm>${finalAt}</TxDtTm></RltdDts>`,
    `<AddtlTxInf>transfer ${escaped(transferId)}</AddtlTxInf></TxDtls>\n`,
  ].join('');
  return { account: row.debtor ?? '', currency, isGivenBack, debited, fee, text };
}

/** As the message asked for it: the amount that arrives, or the amount debited that is paid out in another currency. */
function instructed(amount: string): string {
  const asked = /<(?:InstdAmt|Amt) Ccy="(?<currency>[A-Z]{3})">(?<value>[\d.]+)</.exec(amount)?.groups;
  if (asked === undefined) return '';
  return `<InstdAmt><Amt Ccy="${asked['currency'] ?? ''}">${asked['value'] ?? ''}</Amt></InstdAmt>`;
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

function chargesXml(fee: DecimalText, currency: string, isGivenBack: boolean): string {
  const record = `<Rcrd>${amountXml('Amt', fee, currency)}<CdtDbtInd>${sideOf(isGivenBack)}</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd>`;
  return `<Chrgs>${amountXml('TtlChrgsAndTaxAmt', fee, currency)}${record}</Chrgs>`;
}

function amountXml(name: string, amount: DecimalText, currency: string): string {
  return `<${name} Ccy="${currency}">${formatAmount(amount, currency)}</${name}>`;
}

function sideOf(isGivenBack: boolean): 'CRDT' | 'DBIT' {
  return isGivenBack ? 'CRDT' : 'DBIT';
}

const SANDBOX = '<AddtlInf>SANDBOX: play money, nothing was paid.</AddtlInf>';

function opening({ msgId, createdAt, isSandbox }: AdviceHead): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn>',
    `<GrpHdr><MsgId>${escaped(msgId)}</MsgId><CreDtTm>${createdAt}</CreDtTm>${isSandbox ? SANDBOX : ''}</GrpHdr>\n`,
  ].join('');
}

/** Each entry is a notification about its account. The code for credit transfers issued across borders. */
const KIND =
  '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>XBCT</SubFmlyCd></Fmly></Domn></BkTxCd>';

function entryOpening({ msgId, createdAt, original, batch }: AdviceHead, entry: Entry, index: number) {
  const { account, currency, isGivenBack, count, debited, fees } = entry;
  const side = sideOf(isGivenBack);
  return [
    `<Ntfctn><Id>${escaped(index === 0 ? msgId : `${msgId}.${String(index + 1)}`)}</Id><CreDtTm>${createdAt}</CreDtTm>`,
    `<Acct><Id>${accountXml(account)}</Id><Ccy>${currency}</Ccy></Acct>\n`,
    `<Ntry>${amountXml('Amt', debited, currency)}<CdtDbtInd>${side}</CdtDbtInd>`,
    isGivenBack ? '<RvslInd>true</RvslInd>' : '',
    `<Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>${createdAt}</DtTm></BookgDt>`,
    batch.length > REFERENCE_CHARS ? '' : `<AcctSvcrRef>${batch}</AcctSvcrRef>`,
    `${KIND}<Chrgs>${amountXml('TtlChrgsAndTaxAmt', fees, currency)}</Chrgs>`,
    `<NtryDtls><Btch><MsgId>${escaped(original)}</MsgId><NbOfTxs>${String(count)}</NbOfTxs>`,
    `${amountXml('TtlAmt', debited, currency)}<CdtDbtInd>${side}</CdtDbtInd></Btch>\n`,
  ].join('');
}

const REFERENCE_CHARS = 35;
const ENTRY_CLOSING = '</NtryDtls></Ntry></Ntfctn>\n';
const CLOSING = '</BkToCstmrDbtCdtNtfctn></Document>\n';

function accountXml(account: string): string {
  const joined = account.replace(/\s/g, '');
  if (isIban(joined)) return `<IBAN>${joined}</IBAN>`;
  return `<Othr><Id>${escaped(account === '' ? 'NOTPROVIDED' : account)}</Id></Othr>`;
}
