// A profile says once how to read the files of a program; from then on they are paid as they come, and refused when their layout changes.
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { endsOf, HURRIED, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const HEADER = 'Lfd;Vorname;Empfänger;Betrag;Weg;Mobil';
const LINES = ['1;Li;Wei;1.250,50;Handy;+8613800138000', '2;Ana;Ngo;980,00;Handy;+8613800138001'];
const PROFILE = `
files: "lohn-*.csv"
delimiter: ";"
decimalMark: ","
columns:
  Lfd: ignore
  Vorname: receiver.firstName
  empfänger: receiver.lastName
  Betrag: destinationAmount
  Weg: deliveryMethod
  Mobil: delivery.msisdn
constants:
  destinationCountryIsoCode: Chine
  transactionMode: B2C
  sourceCurrency: XAF
  purposeOfRemittance: Salaire
values:
  deliveryMethod: { Handy: wechat }
layout: [Lfd, Vorname, Empfänger, Betrag, Weg, Mobil]
`;

const text = (lines: readonly string[], header = HEADER) => `${[header, ...lines].join('\n')}\n`;

async function answerNamed(kind: string): Promise<string> {
  const outbox = join(desk.workspace, 'outbox');
  const name = (await readdir(outbox)).find((each) => each.includes(`.${kind}.`));
  return join(outbox, name ?? '');
}

describe('a file whose program nobody knows', () => {
  beforeEach(() => desk.write('profiles/lohn.yaml', PROFILE));

  it('is paid by its profile, and its own columns come back untouched', async () => {
    const paydrop = await desk.open();
    const path = await desk.write('lohn-11.csv', text(LINES));
    const { summary, words } = await processBatch(paydrop, path, PATIENT);
    expect(await endsOf(paydrop, summary.batch), said(words).join(' ')).toEqual(['paid', 'paid']);
    const transfers = await transfersOf(paydrop);
    expect(transfers.map(({ receiveAmount }) => receiveAmount).sort()).toEqual(['1250.5', '980']);
    const [header, first] = (await readFile(await answerNamed('result'), 'utf8')).split('\n');
    expect(header?.startsWith(`${HEADER};payout.row`)).toBe(true);
    expect(first?.startsWith('1;Li;Wei;1.250,50;Handy;')).toBe(true);
  });

  it('is corrected in its own form and dropped again, and only what was wrong is paid then', async () => {
    const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
    const wrong = [LINES[0] ?? '', '2;Ana;Ngo;980,00;Brieftaube;+8613800138001'];
    const path = await desk.write('lohn-11.csv', text(wrong));
    const { summary } = await processBatch(paydrop, path, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'rejected']);
    const rejected = await answerNamed('rejected');
    const fixed = await desk.write(
      basename(rejected),
      (await readFile(rejected, 'utf8')).replace('Brieftaube', 'Handy'),
    );
    const again = await processBatch(paydrop, fixed, PATIENT);
    expect(await endsOf(paydrop, again.summary.batch), said(again.words).join(' ')).toEqual(['paid']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it.each([
    [
      'a column gone and a new one',
      'Lfd;Vorname;Empfänger;Betrag;Weg;Handynummer',
      ['«Mobil» is gone', '«Handynummer» (F) is new'],
    ],
    [
      'columns in another order',
      'Lfd;Empfänger;Vorname;Betrag;Weg;Mobil',
      ['«Vorname» has moved from B to C'],
    ],
  ])('is refused with the difference named: %s (layout_changed)', async (_name, header, differences) => {
    const paydrop = await desk.open();
    const { summary, words } = await processBatch(
      paydrop,
      await desk.write('lohn-12.csv', text(LINES, header)),
      PATIENT,
    );
    expect(summary.state).toBe('refused');
    for (const difference of differences) expect(said(words).join(' ')).toContain(difference);
    expect(await readFile(await answerNamed('refused'), 'utf8')).toContain('layout_changed');
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('is carried on by the profile under which it was taken, whatever becomes of that', async () => {
    const path = await desk.write('lohn-11.csv', text(LINES));
    const { summary } = await processBatch(await desk.open('', 'nobody'), path, HURRIED);
    await desk.shut();
    await desk.write('profiles/lohn.yaml', PROFILE.replace('wechat', 'alipay'));
    const paydrop = await desk.open();
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'paid']);
    await desk.loseLedger();
    const profiles = await desk.write('profiles/lohn.yaml', '');
    await rm(profiles);
    const after = await desk.open();
    await rebuildFile(after, path, PATIENT);
    await resumeBatches(after, null, PATIENT);
    expect(await endsOf(after, summary.batch)).toEqual(['paid', 'paid']);
    expect(await transfersOf(after)).toHaveLength(2);
  });

  it('is refused when a second profile is for it too (profiles_several)', async () => {
    await desk.write('profiles/any.yaml', 'files: "*.csv"\n');
    const paydrop = await desk.open();
    const { summary, words } = await processBatch(
      paydrop,
      await desk.write('lohn-11.csv', text(LINES)),
      PATIENT,
    );
    expect(summary.state).toBe('refused');
    expect(said(words).join(' ')).toContain('«any» and «lohn»');
    expect(await readFile(await answerNamed('refused'), 'utf8')).toContain('profiles_several');
  });
});

it('a profile is for the files of its folder alone', async () => {
  await desk.write('profiles/lohn.yaml', PROFILE.replace('files:', 'folder: personal/lohn\nfiles:'));
  const paydrop = await desk.open();
  const elsewhere = await checkFile(paydrop, await desk.write('lohn-1.csv', text(LINES)));
  // Without its profile nobody knows what «Weg» says.
  expect(elsewhere.summary.outcomes).toMatchObject({ rejected: 2 });
  const there = await checkFile(paydrop, await desk.write('personal/lohn/LOHN-1.csv', text(LINES)));
  expect(there.summary.outcomes).toMatchObject({ rejected: 0, pending: 2 });
});

it('a profile overrides what is done with wrong rows', async () => {
  await desk.write('profiles/lohn.yaml', `${PROFILE}policy: { onInvalidRows: skip-rows }\n`);
  const paydrop = await desk.open();
  const path = await desk.write(
    'lohn-1.csv',
    text([LINES[0] ?? '', '2;Ana;Ngo;980,00;Brieftaube;+8613800138001']),
  );
  const { summary } = await processBatch(paydrop, path, PATIENT);
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'rejected']);
});

it('a cell wins over the constant of its column', async () => {
  const profile = PROFILE.replace('Weg: deliveryMethod', 'Weg: documentReferenceNumber');
  const constants = 'constants:\n  deliveryMethod: wechat\n  documentReferenceNumber: D-0';
  await desk.write('profiles/lohn.yaml', profile.replace('constants:', constants));
  const paydrop = await desk.open();
  const lines = ['1;Li;Wei;10,00;D-7;+8613800138000', '2;Li;Wu;11,00;;+8613800138000'];
  await processBatch(paydrop, await desk.write('lohn-1.csv', text(lines)), PATIENT);
  const numbers = (await transfersOf(paydrop)).map(({ documentReferenceNumber }) => documentReferenceNumber);
  expect(numbers.sort()).toEqual(['D-0', 'D-7']);
});

describe('a profile that cannot be meant is refused with its place', () => {
  it.each([
    ['columns: { Betrag: amonut }', 'line 1', '"amonut" is not a column of paydrop'],
    ['files: "*"\nconstants: { amount: "5" }', 'line 2', 'cannot be the same in every row'],
    ['constants: { reference: A }', 'line 1', 'cannot be the same in every row'],
    ['constants: { delivery.msisdn: "86138" }', 'line 1', 'cannot be the same in every row'],
    ['values: { delivery.bankAccountNumber: { "62": "63" } }', 'line 1', 'whose words can be mapped'],
    ['columns: { Betrag: amount, BETRAG: ignore }', 'line 1', 'the same but for case'],
    ['decimalMark: comma', 'line 1', 'decimalMark'],
    ['kolumns: {}', 'line 1', 'kolumns'],
  ])('%s', async (yaml, place, words) => {
    await desk.write('profiles/bad.yaml', yaml);
    await expect(desk.open()).rejects.toThrow(new RegExp(`bad\\.yaml, ${place}.*${words}`));
  });
});
