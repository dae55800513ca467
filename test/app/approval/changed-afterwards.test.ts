// What an approval covers is what was read when it was asked for: whatever is changed afterwards, and wherever, nobody is paid otherwise than was approved.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { approve } from '../../../src/app/desk/commands.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { questionOfBatch } from '../../../src/app/workflow/approval/decide-approval.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { errorCodeOf } from '../../../src/results/payout-cells.ts';
import { type Desk, HURRIED, openDesk, PATIENT, SENDER, transfersOf } from '../desk.ts';
import { changeAccount } from './change-account.ts';
import { said } from '../said.ts';

const POLICY = 'policy: { approval: required, approvalBy: name }';

const profile = (account: 'Mobil' | 'Privat') => `
files: "lohn-*.csv"
columns:
  Vorname: receiver.firstName
  Name: receiver.lastName
  Betrag: destinationAmount
  Beleg: attachment
  Mobil: ${account === 'Mobil' ? 'delivery.msisdn' : 'ignore'}
  Privat: ${account === 'Privat' ? 'delivery.msisdn' : 'ignore'}
constants:
  destinationCountryIsoCode: Chine
  transactionMode: B2C
  deliveryMethod: wechat
  sourceCurrency: XAF
  purposeOfRemittance: Salaire
layout: [Vorname, Name, Betrag, Beleg, Mobil, Privat]
`;

const file = (mobile: string) =>
  [
    'Vorname,Name,Betrag,Beleg,Mobil,Privat',
    `Li,Wei,100,payslip.pdf,${mobile},+8613800139991`,
    'Ana,Ngo,200,,+8613800138002,+8613800139992',
    '',
  ].join('\n');

const slip = (word: string) => `%PDF-1.4\n% ${word}\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF\n`;

const ACCOUNTS = ['+8613800138000', '+8613800138002'];
const NAME = 'lohn-11.csv';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  await desk.write('profiles/lohn.yaml', profile('Mobil'));
  await desk.write('payslip.pdf', slip('as it was approved'));
});
afterEach(() => desk.close());

/** A file that was asked about; with its question. */
async function askedAbout() {
  const paydrop = await desk.open(POLICY);
  const path = await desk.write(NAME, file(ACCOUNTS[0] ?? ''));
  const { summary } = await processBatch(paydrop, path, HURRIED, false, ['Armand Mbarga']);
  return { paydrop, batch: summary.batch, before: await questionIn(paydrop, summary.batch) };
}

async function questionIn({ ledger }: Paydrop, batch: string) {
  const record = await ledger.batch(batch);
  const question = record === null ? null : questionOfBatch(record);
  if (question === null) throw new Error('Nothing was asked.');
  return question;
}

async function giveApproval(paydrop: Paydrop, batch: string): Promise<void> {
  const order = { by: 'Marie Ngo', via: 'the test', said: { question: null } };
  expect((await approve(paydrop, batch, order)).kind).toBe('decided');
}

/** The file of this name in the folder of the batch, wherever that stands. */
async function inBatch(batch: string, name: string): Promise<string> {
  const all = await readdir(desk.workspace, { recursive: true });
  const found = all.find((path) => path.includes(batch) && path.endsWith(name));
  if (found === undefined) throw new Error(`There is no ${name} of ${batch}.`);
  return join(desk.workspace, found);
}

type Change = { readonly made: (batch: string) => Promise<unknown>; readonly config?: string };

const CHANGES: Readonly<Record<string, Change>> = {
  profile: { made: () => desk.write('profiles/lohn.yaml', profile('Privat')) },
  config: {
    made: () => Promise.resolve(),
    config: `${SENDER.replace('Wouri SARL', 'Another SARL')}\n${POLICY}`,
  },
  document: { made: async (batch) => writeFile(await inBatch(batch, '.pdf'), slip('another one')) },
  'batch file': { made: async (batch) => writeFile(await inBatch(batch, NAME), file('+8613800139990')) },
  ledger: { made: (batch) => changeAccount(desk.workspace, batch) },
};

const approvedTo = (transfers: Awaited<ReturnType<typeof transfersOf>>) =>
  transfers
    .filter(({ status }) => status === 'paid')
    .map(({ deliveryMethodInfo }) => deliveryMethodInfo['msisdn'])
    .sort();

/** With the whole ledger: what was read is there, and is paid or not; nothing is read anew. */
const THEN: Readonly<
  Record<keyof typeof CHANGES, { readonly paid: readonly string[]; readonly told: string }>
> = {
  profile: { paid: ACCOUNTS, told: '' },
  config: { paid: ACCOUNTS, told: '' },
  document: { paid: ACCOUNTS.slice(1), told: 'Held rows wait' },
  'batch file': { paid: [], told: 'is missing or was changed' },
  ledger: { paid: [], told: 'The payments are no longer those that were approved' },
};

describe('once it is approved, as it was read and no otherwise is paid what has another', () => {
  it.each(Object.entries(CHANGES))('%s', async (name, { made, config = POLICY }) => {
    const { paydrop, batch, before } = await askedAbout();
    await giveApproval(paydrop, batch);
    await desk.shut();
    await made(batch);
    const after = await desk.open(config);
    const [report] = (await resumeBatches(after, batch, PATIENT)) ?? [];
    const transfers = await transfersOf(after);
    expect(approvedTo(transfers)).toEqual(THEN[name]?.paid);
    expect(said(report?.words ?? []).join(' ')).toContain(THEN[name]?.told);
    const question = await questionIn(after, batch);
    expect(question.digest === before.digest).toBe(name !== 'ledger');
    const [first] = await after.ledger.rows(batch, 0, 1);
    if (name === 'document') expect(first && errorCodeOf(first)).toBe('document_changed');
  });
});

describe('once the ledger is lost as well, nothing is paid before it is approved again, with another', () => {
  it.each(Object.entries(CHANGES))('%s', async (name, { made, config = POLICY }) => {
    const { paydrop, batch, before } = await askedAbout();
    await giveApproval(paydrop, batch);
    await made(batch);
    await desk.loseLedger();
    const after = await desk.open(config);
    await rebuildFile(after, await inBatch(batch, NAME), PATIENT);
    if (name === 'batch file') {
      // Other bytes are another file, and the one that was approved is missed.
      await expect(resumeBatches(after, batch, PATIENT)).rejects.toThrow(batch);
      expect(await after.ledger.batch(batch)).toBeNull();
    } else {
      await resumeBatches(after, batch, PATIENT);
      const question = await questionIn(after, batch);
      expect(question).toMatchObject({ state: 'waiting', round: 2 });
      // The folder of the batch keeps by what it was read; the sender is of the config, and is part of what is asked.
      const isSame = question.subject.payments === before.subject.payments;
      expect(isSame).toBe(name !== 'config');
    }
    expect(await transfersOf(after)).toEqual([]);
  });
});
