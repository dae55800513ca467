// What people and programs get for payment messages that are wrong, or odd: the outcome of the row, the exit code of the command, and the ISO code that the
// program gets for the payment. One line for each fault; files that are refused whole for their form are in `rows/pain001/refused-messages.test.ts`.
import { truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { exitCodeOf } from '../../src/app/workflow/work.ts';
import { readStatus, statusTexts } from '../invariants/status-messages.ts';
import { COMPANY, message, payment, type Paid } from '../rows/pain001/messages.ts';
import { clientOf } from '../sandbox/sandbox-client.ts';
import { endsOf, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { calendarClock } from './schedule/calendar-clock.ts';

let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  const clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

async function openWith(policy: string, more = '', pause = '1s'): Promise<void> {
  const debtors = '[{ account: PAYDROP-XAF, currency: XAF }]';
  paydrop = await desk.open(
    `policy: { onInvalidRows: ${policy} }\niso20022: { debtors: ${debtors}, statusReports: { detail: all, pause: ${pause} } }\n${more}`,
  );
}

/** The ends of the rows, the exit code, and what was told of each payment at the end. */
async function run(text: string, waitMs = PATIENT.waitMs) {
  const path = await desk.write('a.xml', text);
  const result = await processBatch(paydrop, path, { ...PATIENT, waitMs });
  const { batch, state } = result.summary;
  const last = statusTexts(join(desk.workspace, 'outbox'), batch).at(-1);
  const told = last === undefined ? [] : readStatus(last).transactions;
  const rows = state === 'refused' ? [] : await paydrop.ledger.rows(batch, 0, 10);
  return {
    ends: state === 'refused' ? [] : await endsOf(paydrop, batch),
    codes: rows.flatMap(({ rejections }) => rejections.map((each) => each.code)),
    exit: exitCodeOf(result, waitMs),
    told: told.map(({ status, codes }) => [status, ...codes].join(' ')),
  };
}

const cny = (value: string) => `<InstdAmt Ccy="CNY">${value}</InstdAmt>`;
const wallet = (scheme: string, id = '') =>
  `<Id><Othr><Id>${id}</Id><SchmeNm><Prtry>${scheme}</Prtry></SchmeNm></Othr></Id>`;

const TO_BANK: Paid = {
  name: 'Yiwu Trading Co., Ltd',
  party: COMPANY,
  agent: '<CdtrAgt><FinInstnId><BICFI>ICBKCNBJXXX</BICFI></FinInstnId></CdtrAgt>',
  address: '<PstlAdr><StrtNm>Chouzhou Road</StrtNm><TwnNm>Yiwu</TwnNm><Ctry>CN</Ctry></PstlAdr>',
  account: '<Id><Othr><Id>6222021208001234567</Id></Othr></Id>',
  purpose: '<Purp><Cd>GDDS</Cd></Purp>',
};
const agent = (inside: string) => `<CdtrAgt><FinInstnId>${inside}</FinInstnId></CdtrAgt>`;
const elsewhere = (address: string) =>
  `<RltdRmtInf><RmtLctnDtls><Mtd>URID</Mtd><ElctrncAdr>${address}</ElctrncAdr></RmtLctnDtls></RltdRmtInf>`;

type Line = readonly [what: string, code: string, iso: string, paid: Paid, documents?: readonly string[]];

const ROWS: readonly Line[] = [
  ['a letter that turns the writing around', 'text_unprintable', 'RR10', { name: 'Li, W\u202Eei' }],
  ['a letter of no width', 'text_unprintable', 'RR10', { name: 'Li, W\u200Bei' }],
  ['an amount of 0', 'amount_not_positive', 'AM01', { amount: cny('0') }],
  [
    'half a franc',
    'amount_too_many_decimals',
    'CH20',
    { amount: '<InstdAmt Ccy="XAF">150000.50</InstdAmt>' },
  ],
  ['half a fen', 'amount_too_many_decimals', 'CH20', { amount: cny('100.005') }],
  ['pounds to China', 'amount_currency_unrelated', 'AM03', { amount: '<InstdAmt Ccy="GBP">100</InstdAmt>' }],
  [
    'francs to be paid in euro to China',
    'amount_currency_contradicts',
    'CURR',
    { amount: '<EqvtAmt><Amt Ccy="XAF">150000</Amt><CcyOfTrf>EUR</CcyOfTrf></EqvtAmt>' },
  ],
  ['more than the corridor takes', 'amount_outside_bounds', 'AM02', { amount: cny('999999999') }],
  ['less than the corridor takes', 'amount_outside_bounds', 'AM06', { amount: cny('0.01') }],
  [
    'an IBAN with wrong digits',
    'iban_wrong',
    'AC03',
    { ...TO_BANK, agent: '', account: '<Id><IBAN>FR7630006000011234567890188</IBAN></Id>' },
    ['A-1.pdf'],
  ],
  [
    'an account of France at a bank of China',
    'country_contradicts',
    'AG06',
    { ...TO_BANK, account: '<Id><IBAN>FR7630006000011234567890189</IBAN></Id>' },
    ['A-1.pdf'],
  ],
  [
    'a bank by its number in China alone',
    'delivery_field_missing',
    'RC07',
    {
      ...TO_BANK,
      agent: agent(
        '<ClrSysMmbId><ClrSysId><Cd>CNAPS</Cd></ClrSysId><MmbId>102100099996</MmbId></ClrSysMmbId>',
      ),
    },
    ['A-1.pdf'],
  ],
  ['a wallet without a number', 'delivery_field_missing', 'BE23', { account: wallet('ALIPAY', '-') }],
  ['a name that nobody can divide', 'person_name_undecided', 'BE21', { name: 'Chen Wenjie' }],
  [
    'an address in lines alone',
    'receiver_field_missing',
    'BE04',
    { ...TO_BANK, address: '<PstlAdr><Ctry>CN</Ctry><AdrLine>Chouzhou Road, Yiwu</AdrLine></PstlAdr>' },
    ['A-1.pdf'],
  ],
  ['a purpose of no table', 'purpose_malformed', 'FF07', { purpose: '<Purp><Cd>INTC</Cd></Purp>' }],
  ['no purpose', 'purpose_missing', 'FF07', { purpose: '' }],
  ['a cheque', 'element_unsupported', 'AG03', { before: '<ChqInstr><ChqNb>1</ChqNb></ChqInstr>' }],
  ['charges to the payee', 'element_unsupported', 'BE19', { before: '<ChrgBr>CRED</ChrgBr>' }],
  [
    'a bank between',
    'element_unsupported',
    'RC11',
    { before: '<IntrmyAgt1><FinInstnId><BICFI>CITIUS33</BICFI></FinInstnId></IntrmyAgt1>' },
  ],
  [
    'somebody else who gets it in the end',
    'element_unsupported',
    'RR03',
    { after: '<UltmtCdtr><Nm>Somebody else</Nm></UltmtCdtr>' },
  ],
  [
    'a rate that was agreed',
    'element_unsupported',
    'CH17',
    { before: '<XchgRateInf><RateTp>AGRD</RateTp></XchgRateInf>' },
  ],
  ['no document', 'attachment_missing', 'MINF', TO_BANK],
  [
    'a document in the web',
    'attachment_path',
    'CH16',
    { ...TO_BANK, purpose: `<Purp><Cd>GDDS</Cd></Purp>${elsewhere('https://example.com/a.pdf')}` },
  ],
  ['two documents that fit', 'attachment_not_found', 'MINF', TO_BANK, ['A-1.pdf', 'A-1.png']],
  ['a document of 200 MB', 'attachment_too_large', 'AMSE', TO_BANK, ['A-1.pdf#200']],
];

const MEGABYTE = 1_048_576;

async function lay(documents: readonly string[]): Promise<void> {
  const folder = dirname(await desk.write('readme.md', ''));
  for (const each of documents) {
    const [name = '', megabytes] = each.split('#');
    await writeFile(join(folder, name), '%PDF-1.7\n%%EOF\n');
    if (megabytes !== undefined) await truncate(join(folder, name), Number(megabytes) * MEGABYTE);
  }
}

describe('a payment with a fault', () => {
  it.each(ROWS.map(([what, code, iso, paid, documents = []]) => ({ what, code, iso, paid, documents })))(
    '$what: $code, told as $iso',
    async ({ code, iso, paid, documents }) => {
      await lay(documents);
      const text = message([payment(paid)]);
      await openWith('skip-rows');
      const { exit, told, codes } = await run(text);
      expect([exit, codes, told[0]?.split(' ')]).toEqual([
        4,
        expect.arrayContaining([code]),
        expect.arrayContaining(['RJCT', iso]),
      ]);
      await openWith('refuse-file');
      const whole = await run(text.replace('<MsgId>M-1', '<MsgId>M-2'));
      expect([whole.exit, whole.told]).toEqual([3, told]);
    },
  );
});

describe('a payment that is odd', () => {
  beforeEach(() => openWith('skip-rows'));

  it.each([
    ['francs with two decimals', { amount: '<InstdAmt Ccy="XAF">150000.00</InstdAmt>' }],
    ['a formula as its id', { reference: '=cmd|x' }],
    ['a tag as its id', { reference: '&lt;script&gt;' }],
    ['a path as its id', { reference: '../../x' }],
  ] as const)('with %s is paid, and told by its own id', async (_, paid) => {
    expect(await run(message([payment(paid)]))).toMatchObject({ ends: ['paid'], exit: 0, told: ['ACSC'] });
  });

  it('under a name with slashes, in a file of a long name, is paid', async () => {
    const text = message([payment()], { msgId: 'PAY/2026/11/0007' });
    const path = await desk.write(`${'n'.repeat(176)}.xml`, text);
    const { summary } = await processBatch(paydrop, path, PATIENT);
    expect(summary.outcomes.paid).toBe(1);
  });

  it('that was paid under another message is told as there already', async () => {
    await run(message([payment()]));
    const again = await run(message([payment()], { msgId: 'M-2' }));
    expect(again).toMatchObject({ ends: ['duplicate duplicate_reference'], exit: 4, told: ['PDNG DUPL'] });
  });

  it('of an id that was paid to somebody else is held', async () => {
    await processBatch(paydrop, await desk.file('a.csv', [line('A-1', '777')]), PATIENT);
    expect(await run(message([payment()]))).toMatchObject({
      ends: ['held reference_paid_differently'],
      exit: 5,
      told: ['PDNG DU04'],
    });
  });

  it('twice without an id is held twice', async () => {
    const bare = payment({ reference: 'NOTPROVIDED' });
    expect(await run(message([bare, bare]))).toMatchObject({
      ends: ['held equal_rows', 'held equal_rows'],
      exit: 5,
      told: ['PDNG DUPL', 'PDNG DUPL'],
    });
  });

  it('for a day that is past is paid, as the config has it by default', async () => {
    expect((await run(message([payment()], { day: '2026-11-20' }))).ends).toEqual(['paid']);
  });

  it('for a day that is past waits for a person where the config has it so, and is told from the start', async () => {
    await openWith('skip-rows', 'executionDate: { past: hold }');
    expect(await run(message([payment()], { day: '2026-11-20' }), 0)).toMatchObject({
      exit: 5,
      told: ['PDNG NARR'],
    });
  });

  it('that the balance does not reach for waits for funds, and is told so', async () => {
    await openWith('skip-rows', '', '1ms');
    await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount: '5000' });
    expect(await run(message([payment()]), 0)).toMatchObject({ exit: 5, told: ['PDNG AM04'] });
  });

  it('of a block whose account is somebody else’s refuses the whole message, and nothing is told', async () => {
    const other = message([payment({ reference: 'A-2' })])
      .replace(/^.*<PmtInf>/s, '<PmtInf>')
      .replace(/<\/CstmrCdtTrfInitn>.*$/s, '')
      .replace('PAYDROP-XAF', 'BANK-1');
    const text = message([payment()], { stated: '<NbOfTxs>2</NbOfTxs>' }).replace(
      '</CstmrCdtTrfInitn>',
      `${other}</CstmrCdtTrfInitn>`,
    );
    expect(await run(text)).toMatchObject({ ends: [], exit: 3, told: [] });
  });
});

describe('a message that is too large', () => {
  const two = message([payment(), payment({ reference: 'A-2' })]);

  it('by its payments is refused, and each is told', async () => {
    await openWith('skip-rows', 'intake: { rowsMax: 1 }');
    expect(await run(two)).toMatchObject({ exit: 3, told: ['RJCT NARR', 'RJCT NARR'] });
  });

  it('by its bytes is refused before it is read, and nothing is told', async () => {
    await openWith('skip-rows', 'intake: { bytesMax: 1KB }');
    expect(await run(two)).toMatchObject({ exit: 3, told: [] });
  });
});
