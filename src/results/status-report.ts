// A status message (pain.002): the statuses of a message's payments, for the program that wrote it. One writer for two versions, in one pass over the
// payments: their details are laid aside until the counts that precede them are known.
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { FILE_READERS, type Language, say, type Words } from '../base/language.ts';
import { readBytes } from '../base/plain-file.ts';
import type { RowRecord } from '../ledger/records.ts';
import { elementOf } from '../rows/pain001/elements.ts';
import type { Row, Table } from '../rows/row.ts';
import { reasonOf } from './payout-cells.ts';
import { type RowStatus, type StatusReason, TX_STATUSES, type TxStatus } from './status-codes.ts';

export const REPORT_VERSIONS = ['03', '10'] as const;
/** Which payments a message lists one by one. */
export const REPORT_DETAILS = ['rejected', 'changes', 'all'] as const;
export type ReportDetail = (typeof REPORT_DETAILS)[number];

export type ReportVersion = (typeof REPORT_VERSIONS)[number];

export type ReportHead = {
  readonly version: ReportVersion;
  readonly msgId: string;
  /** ISO. */
  readonly createdAt: string;
  /** The id of the answered message, unchanged, and its kind, as `pain.001.001.09`. */
  readonly original: { readonly msgId: string; readonly name: string };
  /** Play money must not pass for a payment in the books of a program that reads it. */
  readonly isSandbox: boolean;
  /** The reason for the whole message, where it is refused. */
  readonly reason?: { readonly iso: string; readonly text: string };
};

/** The ids of one payment, unchanged, and its status. */
export type Reported = RowStatus & {
  readonly pmtInfId: string;
  readonly instrId: string;
  readonly endToEndId: string;
  readonly uetr: string;
  /** As XML; empty where the message has none that its schema allows. */
  readonly amount: string;
  /** Whether it is in the currency of the account that is debited, as far as that is known. */
  readonly isInOwnCurrency: boolean;
  /** For people: one text for each reason, else one that says more, or none. */
  readonly texts: readonly string[];
  /** The service's own id; empty where it has none. */
  readonly transferId: string;
  /** False for a payment that is only counted. */
  readonly isListed: boolean;
};

/** What a row of a message says about itself. */
export function reportedOf(
  { indexOf, columns }: Table,
  { cells }: Row,
): Omit<Reported, keyof RowStatus | 'texts' | 'transferId' | 'isListed'> {
  const echo = (name: string) => cells[columns.find(({ header }) => header === name)?.index ?? -1] ?? '';
  const cell = (name: string) => cells[indexOf.get(name) ?? -1] ?? '';
  return {
    pmtInfId: echo('iso.pmtInfId'),
    instrId: echo('iso.instrId'),
    endToEndId: echo('iso.endToEndId'),
    uetr: echo('iso.uetr'),
    amount: amountOf(cell),
    isInOwnCurrency: cell('amount') === '' || cell('currency') === cell('sourceCurrency'),
  };
}

/** As requested: the amount that arrives, or the amount debited that is paid out in another currency. */
function amountOf(cell: (name: string) => string): string {
  const [amount, debited] = [cell('amount'), cell('sourceAmount')];
  const [asked, currency] = amount === '' ? [debited, cell('sourceCurrency')] : [amount, cell('currency')];
  // A message that its schema refuses may have anything there.
  if (!AMOUNT.test(asked) || !CURRENCY.test(currency)) return '';
  if (amount !== '') return `<InstdAmt Ccy="${currency}">${amount}</InstdAmt>`;
  const target = cell('targetCurrency');
  if (!CURRENCY.test(target)) return '';
  return `<EqvtAmt><Amt Ccy="${currency}">${debited}</Amt><CcyOfTrf>${target}</CcyOfTrf></EqvtAmt>`;
}

const AMOUNT = /^(?=(?:\D?\d){1,18}$)\d+(?:\.\d{1,5})?$/;
const CURRENCY = /^[A-Z]{3}$/;

/** For people: each fault of a wrong row, else its outcome. */
export function textsOf(
  record: RowRecord | null,
  reasons: readonly StatusReason[],
  waiting: Words | null,
  language: Language,
): readonly string[] {
  if (record === null) return [];
  const { rejections, progress } = record;
  const isByRejection = rejections.length > 0 && progress.transfer === null && progress.hold === null;
  const reader = FILE_READERS[language];
  if (!isByRejection) return reasons.map(() => reasonOf(record, waiting, reader));
  return rejections.map(({ column, words }) => `${elementOf(column)}: ${say(words, reader)}`);
}

type Counts = Map<TxStatus, number>;

type Block = { readonly pmtInfId: string; readonly counts: Counts; end: number };

/** The text of a message; the details of the payments are laid aside in `folder` meanwhile. */
export async function* statusReport(
  head: ReportHead,
  payments: AsyncIterable<readonly Reported[]>,
  folder: string,
): AsyncGenerator<string | Uint8Array> {
  const aside = join(folder, `.status-${randomUUID()}.tmp`);
  try {
    const { all, blocks } = await layAside(head.version, payments, aside);
    yield opening(head, all);
    yield* blocksOf(blocks, aside);
    yield CLOSING;
  } finally {
    await rm(aside, { force: true });
  }
}

const FILE_MODE = 0o600;

async function layAside(
  version: ReportVersion,
  payments: AsyncIterable<readonly Reported[]>,
  path: string,
): Promise<{ readonly all: Counts; readonly blocks: readonly Block[] }> {
  const all: Counts = new Map();
  const blocks: Block[] = [];
  const file = await open(path, 'wx', FILE_MODE);
  let written = 0;
  try {
    for await (const page of payments) {
      let text = '';
      for (const payment of page) {
        let block = blocks.at(-1);
        if (block?.pmtInfId !== payment.pmtInfId) {
          if (block !== undefined) block.end = written + Buffer.byteLength(text);
          block = { pmtInfId: payment.pmtInfId, counts: new Map(), end: 0 };
          blocks.push(block);
        }
        for (const counts of [all, block.counts])
          counts.set(payment.status, (counts.get(payment.status) ?? 0) + 1);
        if (payment.isListed) text += transaction(version, payment);
      }
      await file.writeFile(text);
      written += Buffer.byteLength(text);
    }
  } finally {
    await file.close();
  }
  const last = blocks.at(-1);
  if (last !== undefined) last.end = written;
  return { all, blocks };
}

/** Each block with its own payments, however they were grouped while reading. */
async function* blocksOf(blocks: readonly Block[], path: string): AsyncGenerator<string | Uint8Array> {
  let at = 0;
  let index = 0;
  const begin = (block: Block | undefined) => (block === undefined ? '' : blockOpening(block));
  yield begin(blocks[index]);
  for await (const bytes of readBytes(path)) {
    let from = 0;
    for (let block = blocks[index]; block !== undefined && block.end <= at + bytes.length;) {
      const to = block.end - at;
      yield Buffer.from(bytes.subarray(from, to));
      from = to;
      index += 1;
      block = blocks[index];
      yield `${BLOCK_CLOSING}${begin(block)}`;
    }
    yield Buffer.from(bytes.subarray(from));
    at += bytes.length;
  }
  // Blocks of which nothing is listed come after the last byte.
  for (; index < blocks.length; index += 1) yield `${BLOCK_CLOSING}${begin(blocks[index + 1])}`;
}

const BLOCK_CLOSING = '</OrgnlPmtInfAndSts>\n';
const CLOSING = '</CstmrPmtStsRpt></Document>\n';

function opening({ version, msgId, createdAt, original, isSandbox, reason }: ReportHead, counts: Counts) {
  const sum = [...counts.values()].reduce((total, count) => total + count, 0);
  const reasons = [
    ...(isSandbox ? [reasonXml('NARR', 'SANDBOX: play money, nothing was paid.')] : []),
    ...(reason === undefined ? [] : [reasonXml(reason.iso, reason.text)]),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}"><CstmrPmtStsRpt>`,
    `<GrpHdr><MsgId>${escaped(msgId)}</MsgId><CreDtTm>${createdAt}</CreDtTm>`,
    `<InitgPty><Nm>paydrop${isSandbox ? ' SANDBOX' : ''}</Nm></InitgPty></GrpHdr>\n`,
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${escaped(original.msgId)}</OrgnlMsgId><OrgnlMsgNmId>${escaped(original.name)}</OrgnlMsgNmId>`,
    `<OrgnlNbOfTxs>${String(sum)}</OrgnlNbOfTxs>`,
    `<GrpSts>${together(counts)}</GrpSts>`,
    ...reasons,
    countsXml(counts),
    '</OrgnlGrpInfAndSts>\n',
  ].join('');
}

function blockOpening({ pmtInfId, counts }: Block): string {
  const sum = [...counts.values()].reduce((total, count) => total + count, 0);
  return `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${escaped(pmtInfId)}</OrgnlPmtInfId><OrgnlNbOfTxs>${String(sum)}</OrgnlNbOfTxs><PmtInfSts>${together(counts)}</PmtInfSts>${countsXml(counts)}\n`;
}

/** The common status of all; `PART` if they differ. */
function together(counts: Counts): TxStatus | 'PART' {
  const [only, ...others] = counts.keys();
  return only === undefined || others.length > 0 ? 'PART' : only;
}

function countsXml(counts: Counts): string {
  return TX_STATUSES.flatMap((status) => {
    const count = counts.get(status) ?? 0;
    if (count === 0) return [];
    return `<NbOfTxsPerSts><DtldNbOfTxs>${String(count)}</DtldNbOfTxs><DtldSts>${status}</DtldSts></NbOfTxsPerSts>`;
  }).join('');
}

/** `AcctSvcrRef` has room for 35 characters; a UUID has one more. */
const REFERENCE_CHARS = 35;

function transaction(version: ReportVersion, payment: Reported): string {
  const { instrId, endToEndId, uetr, status, reasons, texts, transferId, amount, isInOwnCurrency } = payment;
  // Readers of this version take the number for one in the currency of the account.
  const isLeftOut = amount === '' || (version === '03' && !isInOwnCurrency);
  const isShort = transferId !== '' && transferId.length <= REFERENCE_CHARS;
  const explained = reasons.map(({ iso, own }, index) => reasonXml(iso, `${own} ${texts[index] ?? ''}`));
  const named = transferId === '' || isShort ? [] : [reasonXml(null, `transfer ${transferId}`)];
  return [
    '<TxInfAndSts>',
    instrId === '' ? '' : `<OrgnlInstrId>${escaped(instrId)}</OrgnlInstrId>`,
    `<OrgnlEndToEndId>${escaped(endToEndId)}</OrgnlEndToEndId>`,
    uetr === '' || version === '03' ? '' : `<OrgnlUETR>${escaped(uetr)}</OrgnlUETR>`,
    `<TxSts>${status}</TxSts>`,
    ...explained,
    ...named,
    isShort ? `<AcctSvcrRef>${escaped(transferId)}</AcctSvcrRef>` : '',
    isLeftOut ? '' : `<OrgnlTxRef><Amt>${amount}</Amt></OrgnlTxRef>`,
    '</TxInfAndSts>\n',
  ].join('');
}

function reasonXml(iso: string | null, text: string): string {
  const code = iso === null ? '' : `<Rsn><Cd>${iso}</Cd></Rsn>`;
  const lines = linesOf(text).map((line) => `<AddtlInf>${escaped(line)}</AddtlInf>`);
  return `<StsRsnInf>${code}${lines.join('')}</StsRsnInf>`;
}

/** The length of one `AddtlInf`, and how many of them are worth reading. */
const LINE_CHARS = 105;
const LINES_MOST = 6;

/** Breaks at blanks; a word longer than a line is cut at the end of the line, never within a character. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/u).flatMap(piecesOf)) {
    const last = lines.at(-1);
    if (last === undefined || Array.from(`${last} ${word}`).length > LINE_CHARS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.filter((line) => line !== '').slice(0, LINES_MOST);
}

function piecesOf(word: string): readonly string[] {
  const characters = Array.from(word);
  return Array.from({ length: Math.ceil(characters.length / LINE_CHARS) }, (_, index) =>
    characters.slice(index * LINE_CHARS, (index + 1) * LINE_CHARS).join(''),
  );
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes also line ends and tabs, which a reader of XML would turn into blanks; characters that XML cannot hold are left out. */
export function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '')
    .replace(/[\t\n\r]/g, (character) => `&#${String(character.charCodeAt(0))};`)
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '');
}
