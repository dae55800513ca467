// Debit advices (camt.054) of payment messages: valid, to the cent what the reconciliation counts as debited, and each debit told once.
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import { XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import {
  bookedByErpNext,
  bookedByOdoo,
  booksDiffer,
  missingForDynamics,
  returnedByOdoo,
  returnedByStatus,
  setByTryton,
} from '../invariants/accounting-readers.ts';
import { message, payment, ownMessage } from '../rows/pain001/messages.ts';
import { line, openDesk, PATIENT, type Desk } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

let clock: CalendarClock;
let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock, reversalMs: 3_600_000 }, clock);
});
afterEach(() => desk.close());

async function open(camt054 = true): Promise<void> {
  const debtors = '[{ account: PAYDROP-XAF, currency: XAF }]';
  paydrop = await desk.open(
    `policy: { onInvalidRows: skip-rows }\niso20022: { camt054: ${String(camt054)}, debtors: ${debtors} }`,
  );
}

const outbox = () => join(desk.workspace, 'outbox');
const amount = (value: number) => `<InstdAmt Ccy="CNY">${String(value)}</InstdAmt>`;
const phone = (digits: string) =>
  `<Id><Othr><Id>+861380${digits}</Id><SchmeNm><Prtry>WECHAT</Prtry></SchmeNm></Othr></Id>`;

async function run(name: string, text: string) {
  return (await processBatch(paydrop, await desk.write(name, text), PATIENT)).summary;
}

const schemas = ['02', '08'].map((version) => {
  const url = new URL(`../results/pain002/camt.054.001.${version}.xsd`, import.meta.url);
  const document = XmlDocument.fromString(readFileSync(url, 'utf8'));
  return [`urn:iso:std:iso:20022:tech:xsd:camt.054.001.${version}`, XsdValidator.fromDoc(document)] as const;
});

type Read = {
  readonly msgId: string;
  readonly entries: readonly {
    readonly amount: string;
    readonly side: string;
    readonly account: string;
    readonly fees: string;
    readonly payments: readonly { readonly id: string; readonly amount: string; readonly fee: string }[];
  }[];
};

/** As another program reads it; throws for one that libxml2 does not find valid. */
function readAdvice(text: string): Read {
  using document = XmlDocument.fromString(text);
  const namespace = document.root.namespaceUri;
  const validator = schemas.find(([uri]) => uri === namespace)?.[1];
  if (validator === undefined) throw new Error(`There is no schema of ${namespace}.`);
  validator.validate(document);
  const all = (element: XmlElement, path: string) =>
    element.find(path, { c: namespace }).filter((node) => node instanceof XmlElement);
  const textOf = (element: XmlElement, path: string) => all(element, path)[0]?.content ?? '';
  const money = (element: XmlElement, path: string) =>
    `${textOf(element, path)} ${all(element, path)[0]?.attr('Ccy')?.value ?? ''}`;
  return {
    msgId: textOf(document.root, '//c:GrpHdr/c:MsgId'),
    entries: all(document.root, '//c:Ntfctn').map((note) => ({
      amount: money(note, 'c:Ntry/c:Amt'),
      side: textOf(note, 'c:Ntry/c:CdtDbtInd'),
      account: textOf(note, 'c:Acct/c:Id'),
      fees: money(note, 'c:Ntry/c:Chrgs/c:TtlChrgsAndTaxAmt'),
      payments: all(note, './/c:TxDtls').map((each) => ({
        id: textOf(each, 'c:Refs/c:EndToEndId'),
        // Version 02 has the amount of a transaction in its details alone.
        amount: money(each, all(each, 'c:Amt').length > 0 ? 'c:Amt' : 'c:AmtDtls/c:TxAmt/c:Amt'),
        fee: money(each, 'c:Chrgs/c:TtlChrgsAndTaxAmt'),
      })),
    })),
  };
}

async function advices(): Promise<readonly Read[]> {
  const names = (await readdir(outbox())).filter((name) => name.includes('.camt054'));
  // `camt054-2.xml` is told after `camt054.xml`.
  const inOrder = names.toSorted((a, b) => a.length - b.length);
  return Promise.all(inOrder.map(async (name) => readAdvice(await readFile(join(outbox(), name), 'utf8'))));
}

/** What the last reconciliation of a batch counts as debited, by currency, in hundredths. */
async function reconciled(batch: string): Promise<Readonly<Record<string, number>>> {
  const names = (await readdir(outbox())).filter((name) => name.includes(`.${batch}.reconciliation`));
  const name = names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).at(-1) ?? '';
  const lines: readonly Record<string, string>[] = parse(await readFile(join(outbox(), name)), {
    columns: true,
  });
  const sums: Record<string, number> = {};
  for (const { kind, debited = '', ...cells } of lines) {
    const currency = cells['payout.sourceCurrency'] ?? '';
    if (kind === 'payout' && Number(debited) > 0)
      sums[currency] = (sums[currency] ?? 0) + Math.round(Number(debited) * 100);
  }
  return sums;
}

function told(read: readonly Read[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { amount: text, side, payments } of read.flatMap(({ entries }) => entries)) {
    const [value = '', currency = ''] = text.split(' ');
    const ofPayments = payments.reduce(
      (sum, each) => sum + Math.round(Number.parseFloat(each.amount) * 100),
      0,
    );
    expect(Math.round(Number(value) * 100)).toBe(ofPayments);
    const sum = (sums[currency] ?? 0) + (side === 'DBIT' ? 1 : -1) * ofPayments;
    sums[currency] = sum;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

it.each(['03', '09', '12'])(
  'of a message of version %s are to the cent what was debited',
  async (version) => {
    await open();
    for (const name of ['YHD-260914', 'LF-2026-3307', 'F-778'])
      await desk.write(`${name}.pdf`, '%PDF-1.4\n%%EOF\n');
    const { batch, answers, outcomes } = await run('own.xml', ownMessage(version));
    expect(outcomes.paid).toBe(6);
    expect(answers.filter((name) => name.endsWith('.camt054.xml'))).toHaveLength(1);
    const read = await advices();
    expect(read.map(({ msgId }) => msgId)).toEqual([`${batch}-D1`]);
    expect(told(read)).toEqual(await reconciled(batch));
    expect(read.flatMap(({ entries }) => entries.flatMap(({ payments }) => payments))).toHaveLength(6);
    expect(read[0]?.entries.every(({ side }) => side === 'DBIT')).toBe(true);
  },
);

it('tells the fee of each payment, and nothing of one that failed', async () => {
  await open();
  const text = message([
    payment({ reference: 'A-1' }),
    payment({ reference: 'A-2', account: phone('0100002'), amount: amount(200) }),
    payment({ reference: 'A-3', amount: amount(300) }),
  ]);
  const { batch } = await run('a.xml', text);
  const [read] = await advices();
  const rows = await paydrop.ledger.rows(batch, 0, 10);
  const fees = rows.flatMap(({ progress }) =>
    progress.transfer?.status === 'paid' ? [Number(progress.transfer.feeAmount)] : [],
  );
  const [entry] = read?.entries ?? [];
  expect(entry?.payments.map(({ id, fee }) => [id, fee])).toEqual([
    ['A-1', `${String(fees[0])} XAF`],
    ['A-3', `${String(fees[1])} XAF`],
  ]);
  expect(entry?.fees).toBe(`${String((fees[0] ?? 0) + (fees[1] ?? 0))} XAF`);
  expect(entry?.account).toBe('PAYDROP-XAF');
  expect(told([read].filter((each) => each !== undefined))).toEqual(await reconciled(batch));
});

it('tells what was given back as a credit of its own, once', async () => {
  await open();
  const text = message([
    payment({ reference: 'A-1' }),
    payment({ reference: 'A-2', account: phone('0100001'), amount: amount(200) }),
  ]);
  const { batch } = await run('a.xml', text);
  expect(await advices()).toHaveLength(1);
  clock.goTo('2026-11-29T09:00:00Z');
  await resumeBatches(paydrop, null, PATIENT);
  await resumeBatches(paydrop, null, PATIENT);
  const read = await advices();
  expect(read.map(({ msgId }) => msgId)).toEqual([`${batch}-D1`, `${batch}-D2`]);
  expect(read[1]?.entries.map(({ side, payments }) => [side, payments.map(({ id }) => id)])).toEqual([
    ['CRDT', ['A-2']],
  ]);
  expect(told(read)).toEqual(await reconciled(batch));
});

/** What each payment cost in the end, fees and reversals included, as the ledger has it. */
async function debitedOf(batch: string): Promise<ReadonlyMap<string, number>> {
  const rows = await paydrop.ledger.rows(batch, 0, 100);
  return new Map(
    rows.map(({ reference, progress: { transfer } }) => [
      reference ?? '',
      transfer?.status === 'paid' ? Number(transfer.sendAmount) + Number(transfer.feeAmount) : 0,
    ]),
  );
}

async function texts(kind: RegExp): Promise<readonly string[]> {
  const names = (await readdir(outbox())).filter((name) => kind.test(name));
  const inOrder = names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return Promise.all(inOrder.map((name) => readFile(join(outbox(), name), 'utf8')));
}

describe.each([
  ['03', '02'],
  ['09', '08'],
])('to a message of version %s', (version, advised) => {
  const uetr = (n: number) => `<UETR>00000000-0000-4000-8000-00000000000${String(n)}</UETR></PmtId>`;
  const pay = (n: number, digits: string, ids: string, remittance = '') =>
    payment({
      reference: `A-${String(n)}`,
      name: `Li, Wei ${String(n)}`,
      account: phone(digits),
      amount: amount(100 + n),
      remittance,
    }).replace('</PmtId>', version === '03' ? '</PmtId>' : ids);
  const invoice = '<RmtInf><Strd><RfrdDocInf><Nb>INV-2026-77</Nb></RfrdDocInf></Strd></RmtInf>';

  beforeEach(async () => {
    await open();
    const payments = [
      pay(1, '0013800', uetr(1), invoice),
      pay(2, '0100001', uetr(2)),
      pay(3, '0100002', uetr(3)),
      pay(4, '0013801', '</PmtId>'),
    ];
    batch = (await run('a.xml', message(payments, { version }))).batch;
    clock.goTo('2026-11-29T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    told = await texts(/\.camt054/);
    expect(told).toHaveLength(2);
    for (const text of told) readAdvice(text);
  });
  let batch: string;
  let told: readonly string[];

  it('is booked by each reader with its fee, and what was given back is taken off again', async () => {
    expect(booksDiffer(told, await debitedOf(batch))).toEqual([]);
    expect(bookedByErpNext(told).map(({ id }) => id)).toEqual(['A-1', 'A-2', 'A-4', 'A-2']);
    const lines = bookedByOdoo(told[0] ?? '');
    expect(lines.map(({ currency }) => currency)).toEqual(['XAF', 'XAF', 'XAF']);
    expect(lines.map(({ day, payee }) => [day, payee])).toEqual(
      [1, 2, 4].map((n) => ['2026-11-28', `Li, Wei ${String(n)}`]),
    );
    expect(lines[0]?.text).toBe('INV-2026-77');
  });

  it('makes no payment succeed that did not, nor fail that was paid', () => {
    const set = told.flatMap(setByTryton).filter(({ kind }) => kind === 'payable');
    expect(set).toEqual([{ id: 'A-2', kind: 'payable', state: 'failed', day: '2026-11-29' }]);
  });

  it('is of the generation that its program reads, and returns nothing in a foreign currency', async () => {
    for (const text of told) expect(missingForDynamics(text, advised)).toEqual([]);
    const returned = told.flatMap(returnedByOdoo);
    expect(returned).toEqual(advised === '02' ? [{ id: 'A-2', amount: null }] : []);
    // The amounts are of CNY, and the account is of XAF.
    const statuses = await texts(/\.status-/);
    expect(statuses.flatMap(returnedByStatus)).toEqual(
      version === '03' ? ['A-3', 'A-2'].map((id) => ({ id, amount: null })) : [],
    );
  });

  it('has the account, and a reference of its own for each booking', () => {
    const references = told.join('').match(/<Refs><AcctSvcrRef>[^<]*/g) ?? [];
    expect(new Set(references).size).toBe(4);
    expect(told[0]).toContain('<CdtrAcct><Id><Othr><Id>+8613800013800</Id>');
    expect(told[1]).toMatch(/<RtrInf><Rsn><Cd>NARR<\/Cd><\/Rsn><AddtlInf>/);
  });
});

it('is not written where nobody asks for it, nothing was debited, or the file is no message', async () => {
  await open();
  await run('none.xml', message([payment({ account: phone('0100002') })]));
  await processBatch(paydrop, await desk.file('a.csv', [line('A-9', '900')]), PATIENT);
  await open(false);
  await run('off.xml', message([payment({ reference: 'B-1', amount: amount(400) })], { msgId: 'M-2' }));
  expect(await advices()).toEqual([]);
});

it.each([
  ['beside its folder', []],
  ['without its folder', ['archive']],
])('is not told again after a rebuild %s', async (_, lost) => {
  await open();
  const text = message([payment()]);
  const path = await desk.write('a.xml', text);
  await processBatch(paydrop, path, PATIENT);
  const before = await advices();
  await desk.loseLedger();
  for (const folder of lost) await rm(join(desk.workspace, folder), { recursive: true });
  await open();
  clock.goTo('2026-11-28T10:00:00Z');
  await rebuildFile(paydrop, path, PATIENT);
  await resumeBatches(paydrop, null, PATIENT);
  clock.goTo('2026-11-28T11:00:00Z');
  await resumeBatches(paydrop, null, PATIENT);
  // Neither in addition to it nor in its place, under another name inside.
  expect(before).toHaveLength(1);
  expect(await advices()).toEqual(before);
});
