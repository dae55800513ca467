// What a firm says once about its payment messages: which name comes first, which id is the reference, where the documents are, and which accounts are its own.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { profile } from '../../src/app/desk/commands.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { say } from '../../src/base/language.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { personNames } from '../../src/rows/cell.ts';
import { COMPANY, message, payment, type Paid } from '../rows/pain001/messages.ts';
import { openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { calendarClock } from './schedule/calendar-clock.ts';

const PDF = '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n';
const DEBTOR = 'account: PAYDROP-XAF, currency: XAF';
const CONFIG = `policy: { onInvalidRows: skip-rows }\niso20022: { debtors: [{ ${DEBTOR} }] }`;

let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  const clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

async function endsUnder(rules: string, ...payments: readonly Paid[]): Promise<readonly string[]> {
  if (rules !== '') await desk.write('profiles/erp.yaml', `files: "*.xml"\n${rules}\n`);
  paydrop = await desk.open(CONFIG);
  const path = await desk.write('pay.xml', message(payments.map((paid) => payment(paid))));
  const { summary } = await processBatch(paydrop, path, PATIENT);
  const rows = await paydrop.ledger.rows(summary.batch, 0, 10);
  return rows.map(({ progress, rejections }) =>
    [progress.stage, ...rejections.map(({ code }) => code)].join(' '),
  );
}

async function payouts() {
  const [batch] = await paydrop.ledger.batches();
  return (await paydrop.ledger.rows(batch?.id ?? '', 0, 10)).map(({ payout }) => payout);
}

describe('the two names of a person', () => {
  it.each([
    ['Ngo Bikoï, Clarisse', null, ['Ngo Bikoï', 'Clarisse']],
    ['Ngo Bikoï, Clarisse', 'given-family', ['Ngo Bikoï', 'Clarisse']],
    ['Chen Wenjie', 'family-given', ['Chen', 'Wenjie']],
    ['Jean Paul Mballa', 'given-family', ['Mballa', 'Jean Paul']],
    ['Chen Wenjie', null, null],
    ['Chen', 'family-given', null],
    ['Chen, Wenjie, Dr', 'family-given', null],
    [', Chen', null, null],
  ] as const)('%s, %s', (name, order, parts) => {
    expect(personNames(name, order)).toEqual(parts);
  });

  it('are not guessed, and the words say where they are decided', async () => {
    expect(await endsUnder('', { name: 'Chen Wenjie' })).toEqual(['rejected person_name_undecided']);
    const path = await desk.write('b.xml', message([payment({ name: 'Chen Wenjie' })], { msgId: 'M-2' }));
    expect((await checkFile(paydrop, path)).about?.join(' ')).toContain('personNames: family-given');
  });

  it.each([
    ['family-given', 'Chen'],
    ['given-family', 'Wenjie'],
  ])('are told apart once the profile says %s', async (order, lastName) => {
    expect(await endsUnder(`personNames: ${order}`, { name: 'Chen Wenjie' })).toEqual(['paid']);
    expect((await payouts())[0]?.receivingParty).toMatchObject({ lastName });
  });

  it('are told apart where only the corridor shows that the payee is a person', async () => {
    const open = { name: 'Chen Wenjie', party: '', purpose: '<Purp><Cd>GDDS</Cd></Purp>' };
    expect(await endsUnder('personNames: family-given\nconstants: { transactionMode: B2C }', open)).toEqual([
      'paid',
    ]);
  });

  it('are proposed by the command that makes a profile, which saves it', async () => {
    paydrop = await desk.open();
    const path = await desk.write('paie 2026-11.xml', message([payment({ name: 'Chen Wenjie' })]));
    const said = { columns: {}, constants: {}, values: [], split: {}, same: {} };
    const asked = await profile(paydrop, path, { said });
    expect(asked.trial).toMatchObject({
      payable: 0,
      hints: [
        { kind: 'names', order: 'family-given' },
        { kind: 'names', order: 'given-family' },
      ],
    });
    const { trial, save } = await profile(paydrop, path, {
      said: { ...said, personNames: 'family-given' },
    });
    expect(trial?.payable).toBe(1);
    const text = await readFile(await save(false), 'utf8');
    expect(text).toContain('personNames: family-given');
    expect(text).toContain('files: paie *.xml');
    expect(text).not.toMatch(/columns|delimiter|layout/);
    paydrop = await desk.open(CONFIG);
    expect((await processBatch(paydrop, path, PATIENT)).summary.outcomes.paid).toBe(1);
  });
});

describe('the reference', () => {
  it('may be made of several ids, so that those of two companies do not meet', async () => {
    await endsUnder("reference: '{debtor}/{EndToEndId}'", { reference: '47' });
    expect((await payouts())[0]?.reference).toBe('PAYDROP-XAF/47');
  });

  it('is none where one of its ids is none', async () => {
    await endsUnder("reference: '{PmtInfId}/{EndToEndId}'", { reference: 'NOTPROVIDED' });
    expect((await payouts())[0]?.reference).toBeNull();
  });

  it.each(['MsgId', "'{PmtInfId}'", "'{Nm}'", "''"])('cannot be %s', async (text) => {
    await desk.write('profiles/erp.yaml', `reference: ${text}\n`);
    await expect(desk.open(CONFIG)).rejects.toThrow('EndToEndId');
  });
});

it('an element that the house writes without meaning it is passed over once the profile lists it', async () => {
  const instructed: Paid = { agent: '<ChrgBr>CRED</ChrgBr>' };
  expect(await endsUnder('', instructed)).toEqual(['rejected element_unsupported']);
  await desk.shut();
  await desk.write('profiles/erp.yaml', 'files: "*.xml"\nignored: [ChrgBr]\n');
  paydrop = await desk.open(CONFIG);
  const path = await desk.write(
    'again.xml',
    message([payment({ ...instructed, reference: 'A-2' })], { msgId: 'M-2' }),
  );
  expect((await processBatch(paydrop, path, PATIENT)).summary.outcomes.paid).toBe(1);
});

it('the purpose comes from where banks want it, if the profile says so', async () => {
  const told: Paid = {
    purpose: '<InstrForCdtrAgt><InstrInf>/REC/CSTRDR</InstrInf></InstrForCdtrAgt>',
  };
  expect(await endsUnder('purposeFrom: InstrForCdtrAgt', told)).toEqual(['paid']);
  expect((await payouts())[0]?.purposeOfRemittance).toBe('SERVICE_CHARGES');
});

describe('the document of a payment', () => {
  const toBank: Paid = {
    reference: 'FRN/26-1',
    party: COMPANY,
    name: 'Yiwu Hengda',
    purpose: '<Purp><Cd>GDDS</Cd></Purp>',
    address: '<PstlAdr><StrtNm>Chouzhou Road</StrtNm><TwnNm>Yiwu</TwnNm><Ctry>CN</Ctry></PstlAdr>',
    agent:
      '<CdtrAgt><FinInstnId><BICFI>ICBKCNBJZJP</BICFI><Nm>ICBC, Zhejiang Branch</Nm></FinInstnId></CdtrAgt>',
    account: '<Id><Othr><Id>1208020109200614873</Id></Othr></Id>',
    remittance: '<RmtInf><Strd><RfrdDocInf><Nb>YHD-260914</Nb></RfrdDocInf></Strd></RmtInf>',
  };
  const ended = async (...names: readonly string[]) => {
    for (const name of names) await desk.write(name, PDF);
    return endsUnder('', toBank);
  };

  it('is found by its EndToEndId, what no file name may hold turned to _', async () => {
    expect(await ended('FRN_26-1.pdf')).toEqual(['paid']);
  });

  it('is found by the number of the invoice, once nothing has the EndToEndId', async () => {
    expect(await ended('YHD-260914.pdf')).toEqual(['paid']);
    expect((await payouts())[0]?.document?.name).toBe('YHD-260914.pdf');
  });

  it('is that of the EndToEndId where both are there', async () => {
    expect(await ended('YHD-260914.pdf', 'FRN_26-1.pdf')).toEqual(['paid']);
    expect((await payouts())[0]?.document?.name).toBe('FRN_26-1.pdf');
  });

  it('is none of two that fit', async () => {
    expect(await ended('FRN_26-1.pdf', 'FRN_26-1.png')).toEqual(['rejected attachment_not_found']);
  });

  it('is missing where nothing fits', async () => {
    expect(await ended()).toEqual(['rejected attachment_missing']);
  });

  it.each([
    [{}, '"FRN_26-1.pdf" or "YHD-260914.pdf"'],
    [{ reference: 'NOTPROVIDED' }, '"YHD-260914.pdf"'],
    [{ reference: 'NOTPROVIDED', remittance: '' }, '"pay.pdf"'],
  ])('that is missing is told by the names that it may have: %j', async (other, names) => {
    paydrop = await desk.open(CONFIG);
    const path = await desk.write('pay.xml', message([payment({ ...toBank, ...other })]));
    const { summary } = await checkFile(paydrop, path);
    expect(summary.check?.faults.map((fault) => fault.message)).toEqual([
      `A bank transfer needs its invoice or contract. Put it into the folder of the message as ${names} (or .png, .jpg).`,
    ]);
    await desk.write(names.split('"').at(-2) ?? '', PDF);
    expect((await checkFile(paydrop, path)).summary.check?.faults).toEqual([]);
  });

  it('does not hide that the digits of an IBAN are wrong, which is told once', async () => {
    paydrop = await desk.open(CONFIG);
    const account = '<Id><IBAN>FR7630006000011234567890188</IBAN></Id>';
    const path = await desk.write('pay.xml', message([payment({ ...toBank, agent: '', account })]));
    const faults = (await checkFile(paydrop, path)).summary.check?.faults ?? [];
    expect(faults.filter(({ code }) => code === 'iban_wrong')).toMatchObject([{ count: 1, rows: ['1'] }]);
  });

  it('has the name that the profile makes', async () => {
    await desk.write('facture YHD-260914.pdf', PDF);
    expect(await endsUnder("documents: 'facture {RfrdDocInf}.pdf'", toBank)).toEqual(['paid']);
  });
});

describe('the bank of the payee', () => {
  it.each([
    ['Access Bank', 'paid'],
    ['ACCESS  BANK', 'paid'],
    ['Bank of Nowhere', 'rejected corridor_none'],
  ])('%s decides where corridors are of banks: %s', async (name, end) => {
    await desk.write('A-1.pdf', PDF);
    const ends = await endsUnder('', {
      name: 'Wale, Ade',
      amount: '<InstdAmt Ccy="NGN">150000</InstdAmt>',
      agent: `<CdtrAgt><FinInstnId><BICFI>ABNGNGLAXXX</BICFI><Nm>${name}</Nm></FinInstnId></CdtrAgt>`,
      account: '<Id><Othr><Id>0690000031</Id></Othr></Id>',
      address: '<PstlAdr><StrtNm>Marina 1</StrtNm><TwnNm>Lagos</TwnNm><Ctry>NG</Ctry></PstlAdr>',
    });
    expect(ends).toEqual([end]);
  });
});

describe('an account that pays', () => {
  const open = (more: string) => desk.open(`iso20022: { debtors: [{ ${DEBTOR}, ${more} }] }`);

  it('has a sending party of its own, and nothing of the usual one beside it', async () => {
    paydrop = await open(
      'sender: { registeredName: Sanaga SA, registrationNumber: GA1, countryIsoCode: GAB, address: 2 Rue, city: Libreville }',
    );
    const { summary } = await processBatch(paydrop, await desk.write('a.xml', message([payment()])), PATIENT);
    expect(summary.outcomes.paid).toBe(1);
    expect((await payouts())[0]?.sendingParty).toEqual({
      registeredName: 'Sanaga SA',
      registrationNumber: 'GA1',
      countryIsoCode: 'GAB',
      address: '2 Rue',
      city: 'Libreville',
    });
  });

  it('takes messages of its own folder only', async () => {
    paydrop = await open('folder: north');
    const elsewhere = await desk.write('a.xml', message([payment()]));
    const { summary } = await processBatch(paydrop, elsewhere, PATIENT);
    expect(summary.state).toBe('refused');
    const name = summary.answers.find((each) => each.endsWith('.refused.json')) ?? '';
    const text = await readFile(join(desk.workspace, 'outbox', name), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ code: 'debtor_not_allowed' });
    expect(await transfersOf(paydrop)).toEqual([]);
    const own = join(paydrop.workspace.inbox, 'north', 'a.xml');
    await mkdir(dirname(own));
    await writeFile(own, message([payment()]));
    expect((await processBatch(paydrop, own, PATIENT)).summary.outcomes.paid).toBe(1);
  });
});

describe('a reason for the owner of a message', () => {
  const wrong: readonly Paid[] = [
    { account: '<Id><Othr><Id>1</Id></Othr></Id>', party: COMPANY, address: '<PstlAdr/>', name: 'Li Wei' },
    { account: '<Id><Othr><Id>6.2E+15</Id></Othr></Id>' },
    { account: '<Id><Othr><Id>8613800138000</Id><SchmeNm><Prtry>MSISDN</Prtry></SchmeNm></Othr></Id>' },
    { account: '<Id><Othr><Id>me@home</Id><SchmeNm><Prtry>WECHAT</Prtry></SchmeNm></Othr></Id>' },
    { name: 'Chen Wenjie' },
    { name: 'Li\u202e, Wei' },
    { name: 'Li\n, Wei' },
    { name: '12345, 678' },
    { amount: '<InstdAmt Ccy="GBP">100</InstdAmt>' },
    { amount: '<InstdAmt Ccy="CNY">1.005</InstdAmt>' },
    { amount: '<InstdAmt Ccy="CNY">99999999</InstdAmt>' },
    { amount: '<InstdAmt Ccy="CNY">0</InstdAmt>' },
    { purpose: '<Purp><Cd>INTC</Cd></Purp>' },
    { purpose: '', party: COMPANY },
    { agent: '<ChrgBr>CRED</ChrgBr>' },
    { account: '<Id><IBAN>FR7630006000011234567890189</IBAN></Id>' },
  ];
  const OF_TABLES =
    /\b(?:cells?|columns?|spreadsheets?|Excel|CSV|workbooks?|cellules?|colonnes?|tableau|classeur)\b/i;

  it.each(['en', 'fr'])('names elements, never a column or a cell (%s)', async (language) => {
    paydrop = await desk.open(`language: ${language}\n${CONFIG}`);
    const payments = wrong.map((paid, n) => payment({ ...paid, reference: `R-${String(n)}` }));
    const { summary } = await processBatch(paydrop, await desk.write('pay.xml', message(payments)), PATIENT);
    expect(summary.outcomes.rejected).toBeGreaterThanOrEqual(15);
    const rows = await paydrop.ledger.rows(summary.batch, 0, 100);
    const reasons = rows.flatMap(({ rejections }) =>
      rejections.map(({ words }) => say(words, paydrop.config.language)),
    );
    expect(reasons.filter((text) => OF_TABLES.test(text))).toEqual([]);
    const statuses = summary.answers.filter((name) => name.includes('.status-'));
    const read = (name: string) => readFile(join(desk.workspace, 'outbox', name), 'utf8');
    const xml = (await Promise.all(statuses.map(read))).join('');
    const said = xml.match(/<AddtlInf>[^<]*/g) ?? [];
    expect(said.length).toBeGreaterThanOrEqual(15);
    expect(said.filter((text) => OF_TABLES.test(text))).toEqual([]);
    for (const element of ['Cdtr/Nm', 'Cdtr/PstlAdr/TwnNm', 'SchmeNm']) expect(xml).toContain(element);
    expect(xml).not.toMatch(/receiver\.|delivery\./);
  });
});
