// Status messages as another program reads them, and what must hold of all those of one message. It reads XML by libxml2 and shares no code with src.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';

export type StatusMessage = {
  readonly version: string;
  readonly msgId: string;
  readonly original: string;
  readonly originalKind: string;
  readonly group: string;
  readonly groupReasons: readonly string[];
  readonly count: number;
  readonly perStatus: Readonly<Record<string, number>>;
  readonly blocks: readonly {
    readonly id: string;
    readonly status: string;
    readonly count: number;
    readonly perStatus: Readonly<Record<string, number>>;
  }[];
  readonly transactions: readonly {
    readonly endToEndId: string;
    readonly instrId: string;
    readonly status: string;
    readonly codes: readonly string[];
    readonly texts: readonly string[];
    readonly amount: string;
  }[];
};

const validators = new Map<string, XsdValidator>();

function validatorFor(version: string): XsdValidator {
  const known = validators.get(version);
  if (known !== undefined) return known;
  const schema = new URL(`../results/pain002/pain.002.001.${version}.xsd`, import.meta.url);
  using document = XmlDocument.fromString(readFileSync(schema, 'utf8'));
  const validator = XsdValidator.fromDoc(document);
  validators.set(version, validator);
  return validator;
}

/** Throws for one that libxml2 does not find valid. */
export function readStatus(text: string): StatusMessage {
  const version = /urn:iso:std:iso:20022:tech:xsd:pain\.002\.001\.(\d\d)"/.exec(text)?.[1] ?? '';
  using document = XmlDocument.fromString(text);
  validatorFor(version).validate(document);
  const { root } = document;
  const group = one(root, '//p:OrgnlGrpInfAndSts');
  return {
    version,
    msgId: textOf(root, '//p:GrpHdr/p:MsgId'),
    original: textOf(group, 'p:OrgnlMsgId'),
    originalKind: textOf(group, 'p:OrgnlMsgNmId'),
    group: textOf(group, 'p:GrpSts'),
    groupReasons: textsOf(group, 'p:StsRsnInf/p:Rsn/p:Cd'),
    count: Number(textOf(group, 'p:OrgnlNbOfTxs')),
    perStatus: countsOf(group),
    blocks: all(root, '//p:OrgnlPmtInfAndSts').map((block) => ({
      id: textOf(block, 'p:OrgnlPmtInfId'),
      status: textOf(block, 'p:PmtInfSts'),
      count: Number(textOf(block, 'p:OrgnlNbOfTxs')),
      perStatus: countsOf(block),
    })),
    transactions: all(root, '//p:TxInfAndSts').map((each) => ({
      endToEndId: textOf(each, 'p:OrgnlEndToEndId'),
      instrId: textOf(each, 'p:OrgnlInstrId'),
      status: textOf(each, 'p:TxSts'),
      codes: textsOf(each, 'p:StsRsnInf/p:Rsn/p:Cd'),
      texts: textsOf(each, 'p:StsRsnInf/p:AddtlInf'),
      amount: textOf(each, 'p:OrgnlTxRef/p:Amt/p:InstdAmt'),
    })),
  };
}

function all(element: XmlElement, path: string): readonly XmlElement[] {
  const found = element.find(path, { p: element.namespaceUri });
  return found.filter((node) => node instanceof XmlElement);
}

function one(element: XmlElement, path: string): XmlElement {
  const [found] = all(element, path);
  if (found === undefined) throw new Error(`There is no ${path}.`);
  return found;
}

function textsOf(element: XmlElement, path: string): readonly string[] {
  return all(element, path).map(({ content }) => content);
}

function textOf(element: XmlElement, path: string): string {
  return textsOf(element, path)[0] ?? '';
}

function countsOf(element: XmlElement): Readonly<Record<string, number>> {
  const statuses = textsOf(element, 'p:NbOfTxsPerSts/p:DtldSts');
  const counts = textsOf(element, 'p:NbOfTxsPerSts/p:DtldNbOfTxs').map(Number);
  return Object.fromEntries(statuses.map((status, index) => [status, counts[index] ?? 0]));
}

/** The status messages of a batch in a folder, in the order of their numbers. */
export function statusTexts(folder: string, batch: string): readonly string[] {
  const numbered = readdirSync(folder).flatMap((name) => {
    const number = name.split(`.${batch}.status-`)[1]?.split('.')[0];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
  return numbered
    .toSorted((a, b) => a.number - b.number)
    .map(({ name }) => readFileSync(join(folder, name), 'utf8'));
}

/**
 * As the importer of payment returns that Odoo users install reads them: whatever the status says, each transaction that is listed is a return, and it is
 * found by its EndToEndId alone. Gives the EndToEndIds whose invoices it opens again.
 */
export function returnsOfOdoo(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => readStatus(text).transactions.map(({ endToEndId }) => endToEndId));
}

/** What became of a row, as its result says. */
export type Ended = { readonly endToEndId: string; readonly outcome: string };

const STATUS_OF: Readonly<Record<string, readonly string[]>> = {
  paid: ['ACSC'],
  submitted: ['ACSP'],
  held: ['PDNG'],
  duplicate: ['PDNG'],
  // Closed by a person while it may still be paid.
  rejected: ['RJCT', 'PDNG'],
  failed: ['RJCT'],
  pending: ['ACCP', 'PDNG'],
};

/** @param detail of the config; what is listed singly depends on it. */
export function checkStatusMessages(
  texts: readonly string[],
  ended: readonly Ended[],
  detail: 'rejected' | 'changes' | 'all',
): readonly string[] {
  const broken: string[] = [];
  const breaks = (rule: string, detailOf: string) => void broken.push(`${rule}: ${detailOf}`);
  const messages = texts.map(readStatus);
  const told = new Map<string, string>();
  const names = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const where = `status-${String(index + 1)}`;
    if (names.has(message.msgId)) breaks('status message id', `${where} bears ${message.msgId} again`);
    names.add(message.msgId);
    checkCounts(message, where, breaks);
    for (const { endToEndId, status, codes } of message.transactions) {
      const before = told.get(endToEndId);
      if (detail === 'rejected' && status !== 'RJCT')
        breaks('only rejections are listed', `${where} lists ${endToEndId} as ${status}`);
      if (detail !== 'all' && before === status)
        breaks('each status is told once', `${where} tells ${status} of ${endToEndId} again`);
      if (status === 'RJCT' && codes.length === 0)
        breaks('a rejection has its code', `${where}, ${endToEndId}`);
      told.set(endToEndId, status);
    }
  }
  const last = messages.at(-1);
  if (last === undefined) return broken;
  if (last.count !== ended.length)
    breaks('every payment is counted', `${String(last.count)} of ${String(ended.length)}`);
  for (const { endToEndId, outcome } of ended) {
    const status = told.get(endToEndId);
    const fitting = STATUS_OF[outcome] ?? [];
    if (status !== undefined && !fitting.includes(status))
      breaks('the last status is the outcome', `${endToEndId} is ${outcome}, and told ${status}`);
    if (status === undefined && (detail !== 'rejected' || outcome === 'failed'))
      breaks('every end is told', `${endToEndId} is ${outcome}`);
  }
  const counted = (statuses: readonly string[]) =>
    statuses.reduce((sum, status) => sum + (last.perStatus[status] ?? 0), 0);
  const paid = ended.filter(({ outcome }) => outcome === 'paid').length;
  if (counted(['ACSC']) !== paid)
    breaks('what is paid is counted', `${String(counted(['ACSC']))} of ${String(paid)}`);
  return broken;
}

function checkCounts(
  message: StatusMessage,
  where: string,
  breaks: (rule: string, detail: string) => void,
): void {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  if (message.blocks.length === 0) return;
  if (sum(message.perStatus) !== message.count) breaks('counts add up', `${where}: group`);
  for (const { id, count, perStatus } of message.blocks)
    if (sum(perStatus) !== count) breaks('counts add up', `${where}: ${id}`);
  const blocks = message.blocks.reduce((total, { count }) => total + count, 0);
  if (blocks !== message.count) breaks('blocks add up', where);
  const together = (counts: Readonly<Record<string, number>>) => {
    const [only, ...others] = Object.keys(counts);
    return others.length > 0 ? 'PART' : only;
  };
  if (message.group !== together(message.perStatus)) breaks('the group is its payments', where);
  for (const { id, status, perStatus } of message.blocks)
    if (status !== together(perStatus)) breaks('a block is its payments', `${where}: ${id}`);
}
