// What people and programs get for payment messages that are wrong, or odd: the code, the exit code of the command, and the ISO code that the program which
// wrote the message gets. One line for each fault, by its number; `TABLE=1` prints what was seen.
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { readStatus, statusTexts } from '../invariants/status-messages.ts';
import { BAD_FILES } from '../rows/pain001/bad-files.ts';
import { blocks, COMPANY, message, payment, type Paid } from '../rows/pain001/messages.ts';
import { clientOf } from '../sandbox/sandbox-client.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { calendarClock } from './schedule/calendar-clock.ts';
import { said } from './said.ts';

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

const seen: string[] = [];
afterAll(() => {
  const inOrder = seen.toSorted((a, b) => parseInt(a, 10) - parseInt(b, 10));
  if (process.env['TABLE'] !== undefined) process.stdout.write(`\n${inOrder.join('\n')}\n`);
});

type Ended = Awaited<ReturnType<typeof run>>;

/** Notes a line of the table as it was seen. */
function saw(line: number, what: string, { codes, refusal, ends, exit, group, told }: Ended): void {
  const code = refusal ?? (codes.length > 0 ? [...new Set(codes)].join(' ') : ends.join(', '));
  const status = told.length === 0 ? '–' : [group, ...told].join(', ');
  seen.push(`${String(line)} | ${what} | ${code} | ${String(exit)} | ${status}`);
}

/** The ends of the rows, the exit code, and what was told of the message and of each payment at the end. */
async function run(content: string | Uint8Array, waitMs = PATIENT.waitMs, name = 'a.xml') {
  return runAt(await desk.write(name, content), waitMs);
}

async function runAt(path: string, waitMs = PATIENT.waitMs) {
  const result = await processBatch(paydrop, path, { ...PATIENT, waitMs });
  const { batch, state, answers } = result.summary;
  const last = statusTexts(join(desk.workspace, 'outbox'), batch).at(-1);
  const status = last === undefined ? null : readStatus(last);
  const rows = state === 'refused' ? [] : await paydrop.ledger.rows(batch, 0, 10);
  const refused = answers.find((answer) => answer.endsWith('.refused.json'));
  const json = refused === undefined ? '{}' : await readFile(join(desk.workspace, 'outbox', refused), 'utf8');
  return {
    ends: state === 'refused' ? [] : await endsOf(paydrop, batch),
    codes: rows.flatMap(({ rejections }) => rejections.map((each) => each.code)),
    refusal: (JSON.parse(json) as { readonly code?: string }).code ?? null,
    exit: exitCodeOf(result, waitMs),
    group: status === null ? null : [status.group, ...status.groupReasons].join(' '),
    told: (status?.transactions ?? []).map(({ status: each, codes }) => [each, ...codes].join(' ')),
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

type Line = readonly [
  line: number,
  what: string,
  code: string,
  iso: string,
  paid: Paid,
  documents?: readonly string[],
];

const ROWS: readonly Line[] = [
  [23, 'a letter that turns the writing around', 'text_unprintable', 'RR10', { name: 'Li, W\u202Eei' }],
  [23, 'a name whose letters were read twice', 'text_unprintable', 'RR10', { name: 'Li, ZoÃ©' }],
  [23, 'a letter of no width', 'text_unprintable', 'RR10', { name: 'Li, W\u200Bei' }],
  [27, 'an amount of 0', 'amount_not_positive', 'AM01', { amount: cny('0') }],
  [
    28,
    'half a franc',
    'amount_too_many_decimals',
    'CH20',
    { amount: '<InstdAmt Ccy="XAF">150000.50</InstdAmt>' },
  ],
  [28, 'half a fen', 'amount_too_many_decimals', 'CH20', { amount: cny('100.005') }],
  [
    29,
    'pounds to China',
    'amount_currency_unrelated',
    'AM03',
    { amount: '<InstdAmt Ccy="GBP">100</InstdAmt>' },
  ],
  [
    30,
    'francs to be paid in euro to China',
    'amount_currency_contradicts',
    'CURR',
    { amount: '<EqvtAmt><Amt Ccy="XAF">150000</Amt><CcyOfTrf>EUR</CcyOfTrf></EqvtAmt>' },
  ],
  [31, 'more than the corridor takes', 'amount_outside_bounds', 'AM02', { amount: cny('999999999') }],
  [31, 'less than the corridor takes', 'amount_outside_bounds', 'AM06', { amount: cny('0.01') }],
  [
    32,
    'an IBAN with wrong digits',
    'iban_wrong',
    'AC03',
    { ...TO_BANK, agent: '', account: '<Id><IBAN>FR7630006000011234567890188</IBAN></Id>' },
    ['A-1.pdf'],
  ],
  [
    33,
    'an account of France at a bank of China',
    'country_contradicts',
    'AG06',
    { ...TO_BANK, account: '<Id><IBAN>FR7630006000011234567890189</IBAN></Id>' },
    ['A-1.pdf'],
  ],
  [
    34,
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
  [35, 'a wallet without a number', 'delivery_field_missing', 'BE23', { account: wallet('ALIPAY', '-') }],
  [35, 'a card without a number', 'delivery_field_missing', 'AC16', { account: wallet('UNIONPAY', '-') }],
  [36, 'a name that nobody can divide', 'person_name_undecided', 'BE21', { name: 'Chen Wenjie' }],
  [
    37,
    'an address in lines alone',
    'receiver_field_missing',
    'BE04',
    { ...TO_BANK, address: '<PstlAdr><Ctry>CN</Ctry><AdrLine>Chouzhou Road, Yiwu</AdrLine></PstlAdr>' },
    ['A-1.pdf'],
  ],
  [38, 'a purpose of no table', 'purpose_malformed', 'FF07', { purpose: '<Purp><Cd>INTC</Cd></Purp>' }],
  [38, 'no purpose', 'purpose_missing', 'FF07', { purpose: '' }],
  [39, 'a cheque', 'element_unsupported', 'AG03', { before: '<ChqInstr><ChqNb>1</ChqNb></ChqInstr>' }],
  [39, 'charges to the payee', 'element_unsupported', 'BE19', { before: '<ChrgBr>CRED</ChrgBr>' }],
  [
    39,
    'a bank between',
    'element_unsupported',
    'RC11',
    { before: '<IntrmyAgt1><FinInstnId><BICFI>CITIUS33</BICFI></FinInstnId></IntrmyAgt1>' },
  ],
  [
    39,
    'somebody else who gets it in the end',
    'element_unsupported',
    'RR03',
    { after: '<UltmtCdtr><Nm>Somebody else</Nm></UltmtCdtr>' },
  ],
  [
    39,
    'a rate that was agreed',
    'element_unsupported',
    'CH17',
    { before: '<XchgRateInf><RateTp>AGRD</RateTp></XchgRateInf>' },
  ],
  [40, 'no document', 'attachment_missing', 'MINF', TO_BANK],
  [
    40,
    'a document in the web',
    'attachment_path',
    'CH16',
    { ...TO_BANK, purpose: `<Purp><Cd>GDDS</Cd></Purp>${elsewhere('https://example.com/a.pdf')}` },
  ],
  [40, 'two documents that fit', 'attachment_not_found', 'MINF', TO_BANK, ['A-1.pdf', 'A-1.png']],
  [40, 'a document of 200 MB', 'attachment_too_large', 'AMSE', TO_BANK, ['A-1.pdf#200']],
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
  it.each(
    ROWS.map(([number, what, code, iso, paid, documents = []]) => ({
      ...{ number, what, code, iso, paid, documents },
    })),
  )('$number, $what: $code, told as $iso', async ({ number, what, code, iso, paid, documents }) => {
    await lay(documents);
    const text = message([payment(paid)]);
    await openWith('skip-rows');
    const ended = await run(text);
    saw(number, what, ended);
    const { exit, told, codes } = ended;
    expect([exit, codes, told[0]?.split(' ')]).toEqual([
      4,
      expect.arrayContaining([code]),
      expect.arrayContaining(['RJCT', iso]),
    ]);
    await openWith('refuse-file');
    const whole = await run(text.replace('<MsgId>M-1', '<MsgId>M-2'));
    expect([whole.exit, whole.told]).toEqual([3, told]);
  });
});

describe('a file that is no good message', () => {
  it.each(BAD_FILES)(
    '%i, told as %s, is refused whole for %s: %s',
    async (number, iso, what, code, content) => {
      await openWith('skip-rows');
      const ended = await run(content);
      saw(number, what, ended);
      expect(ended).toMatchObject({ refusal: code, exit: 3, group: iso === '' ? null : `RJCT ${iso}` });
    },
  );
});

describe('a payment that is odd', () => {
  beforeEach(() => openWith('skip-rows'));

  const WRONG = payment({ reference: 'A-2', amount: cny('0') });
  const again = { msgId: 'M-2' };
  const francs = payment({ reference: 'A-2', amount: '<InstdAmt Ccy="XAF">150000</InstdAmt>' });
  type Odd = readonly [
    line: number,
    what: string,
    expected: Partial<Ended>,
    text: string,
    before?: readonly string[],
    policy?: string,
  ];
  const ODD: readonly Odd[] = [
    [
      5,
      'the name of a message that was taken',
      { refusal: 'message_repeated', exit: 3, told: [] },
      message([payment({ reference: 'A-2' })]),
      [message([payment()])],
    ],
    [
      6,
      'the name of a message that was refused whole',
      { ends: ['paid'], exit: 0, told: ['ACSC'] },
      message([payment()]),
      [message([payment()], { stated: '<NbOfTxs>2</NbOfTxs>' })],
    ],
    [
      7,
      'a payment that was paid under another message',
      { ends: ['duplicate duplicate_reference'], exit: 4, told: ['PDNG DUPL'] },
      message([payment()], again),
      [message([payment()])],
    ],
    [
      9,
      'an id that stands there twice',
      { codes: ['reference_repeated', 'reference_repeated'], exit: 4, told: ['RJCT DU04', 'RJCT DU04'] },
      message([payment(), payment({ amount: cny('300') })]),
    ],
    [
      10,
      'twice a payment without an id',
      { ends: ['held equal_rows', 'held equal_rows'], exit: 5, told: ['PDNG DUPL', 'PDNG DUPL'] },
      message([payment({ reference: 'NOTPROVIDED' }), payment({ reference: 'NOTPROVIDED' })]),
    ],
    [
      13,
      'a sum over francs and yuan',
      { ends: ['paid', 'paid'], exit: 0, told: ['ACSC', 'ACSC'] },
      message([payment(), francs], { stated: '<NbOfTxs>2</NbOfTxs><CtrlSum>150100.00</CtrlSum>' }),
    ],
    [
      13,
      'a wrong payment beside one that was paid before',
      { refusal: 'rows_rejected', exit: 3, group: 'PART NARR', told: ['PDNG DUPL', 'RJCT AM01'] },
      message([payment(), WRONG], again),
      [message([payment()])],
      'refuse-file',
    ],
    [
      28,
      'francs with two decimals',
      { ends: ['paid'], exit: 0, told: ['ACSC'] },
      message([payment({ amount: '<InstdAmt Ccy="XAF">150000.00</InstdAmt>' })]),
    ],
    [
      39,
      'a block of cheques',
      { codes: ['element_unsupported'], exit: 4, told: ['RJCT AG03'] },
      message([payment()], { method: 'CHK' }),
    ],
    [
      41,
      'two days of execution',
      // Its last look may find the first at its end; the second waits for its day.
      { ends: [expect.stringMatching(/^(?:confirmed|paid)$/) as string, 'ready'], exit: 5, group: 'PART' },
      blocks([
        ['2026-11-28', [payment()]],
        ['2026-11-30', [payment({ reference: 'A-2', amount: cny('300') })]],
      ]),
    ],
    [
      42,
      'a day in three years',
      { refusal: 'execution_date_too_far', exit: 3, group: 'RJCT CH03' },
      message([payment()], { day: '2029-11-28' }),
    ],
    ...['9999-12-31', '3000-01-01', '0001-01-01', '1900-01-01'].map((day): Odd => [
      42,
      `the day ${day}`,
      { refusal: 'execution_date_too_far', exit: 3, group: 'RJCT CH03' },
      message([payment()], { day }),
    ]),
    [42, 'the day 1999-01-01', { ends: ['paid'], exit: 0 }, message([payment()], { day: '1999-01-01' })],
    [42, 'a day that is past', { ends: ['paid'], exit: 0 }, message([payment()], { day: '2026-11-20' })],
    ...(['=cmd|x', '&lt;script&gt;', '../../x'] as const).map((reference): Odd => [
      46,
      `${reference} as an id`,
      { ends: ['paid'], exit: 0, told: ['ACSC'] },
      message([payment({ reference })]),
    ]),
  ];

  it.each(
    ODD.map(([number, what, expected, text, before = [], policy = '']) => ({
      ...{ number, what, expected, text, before, policy },
    })),
  )('$number, $what', async ({ number, what, expected, text, before, policy }) => {
    for (const each of before) await run(each, PATIENT.waitMs, 'before.xml');
    if (policy !== '') await openWith(policy);
    const ended = await run(text, number === 41 ? 0 : PATIENT.waitMs);
    saw(number, what, ended);
    expect(ended).toMatchObject(expected);
  });

  it('22, with letters beyond ASCII in a message that says ISO-8859-1, is paid', async () => {
    const header = '<?xml version="1.0" encoding="ISO-8859-1"?>';
    const ended = await run(
      Buffer.from(message([payment({ name: 'Nguéma, Éloïse' })], { header }), 'latin1'),
    );
    saw(22, 'declared ISO-8859-1', ended);
    expect(ended).toMatchObject({ ends: ['paid'], exit: 0, told: ['ACSC'] });
  });

  it('under a name with slashes, in a file of a long name, is paid', async () => {
    const text = message([payment()], { msgId: 'PAY/2026/11/0007' });
    const ended = await run(text, PATIENT.waitMs, `${'n'.repeat(176)}.xml`);
    saw(47, 'slashes in its name, and a file of a long name', ended);
    expect(ended).toMatchObject({ ends: ['paid'], exit: 0 });
  });

  it('of an id that was paid to somebody else is held', async () => {
    await processBatch(paydrop, await desk.file('a.csv', [line('A-1', '777')]), PATIENT);
    const ended = await run(message([payment()]));
    saw(8, 'an id that was paid to somebody else', ended);
    expect(ended).toMatchObject({
      ...{ ends: ['held reference_paid_differently'], exit: 5, told: ['PDNG DU04'] },
    });
  });

  it('for a day that is past waits for a person where the config has it so, and is told from the start', async () => {
    await openWith('skip-rows', 'executionDate: { past: hold }');
    const ended = await run(message([payment()], { day: '2026-11-20' }), 0);
    saw(42, 'a day that is past, under past: hold', ended);
    expect(ended).toMatchObject({ exit: 5, told: ['PDNG NARR'] });
  });

  it('that the balance does not reach for waits for funds, and is told so', async () => {
    await openWith('skip-rows', '', '1ms');
    await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount: '5000' });
    const ended = await run(message([payment()]), 0);
    saw(43, 'a balance that is short', ended);
    expect(ended).toMatchObject({ exit: 5, told: ['PDNG AM04'] });
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

  it('2, from another folder than its account’s refuses the message, and nothing is told', async () => {
    paydrop = await desk.open(
      'iso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF, folder: north }] }',
    );
    const ended = await run(message([payment()]));
    saw(2, 'the account of another folder', ended);
    expect(ended).toMatchObject({ refusal: 'debtor_not_allowed', exit: 3, group: null });
  });

  it('4, in the same bytes again is told as a file that is known, and nothing else', async () => {
    await run(message([payment()]));
    const told = async () =>
      (await readdir(join(desk.workspace, 'outbox'))).filter((name) => name.endsWith('.xml'));
    const before = await told();
    const ended = await run(message([payment()]), PATIENT.waitMs, 'b.xml');
    saw(4, 'the same bytes again (duplicate.json)', { ...ended, ends: [], told: [] });
    expect([ended.exit, await told()]).toEqual([3, before]);
  });

  it('44, in a file that somebody writes while it is taken refuses that file, and what they wrote is paid later', async () => {
    const path = await desk.write('a.xml', message([payment({ amount: cny('200') })]));
    const turns = paydrop.takes.run.bind(paydrop.takes);
    const writing = vi.spyOn(paydrop.takes, 'run').mockImplementationOnce(async (key, work) => {
      await writeFile(path, message([payment()]));
      return turns(key, work);
    });
    const ended = await runAt(path);
    saw(44, 'a file that changes between its reading and its paying', ended);
    expect(ended).toMatchObject({ refusal: 'file_changed', exit: 3, group: null });
    writing.mockRestore();
    expect(await runAt(path)).toMatchObject({ ends: ['paid'], exit: 0 });
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('45, that was told as rejected and is corrected here is held', async () => {
    await run(message([payment(), WRONG]));
    const ended = await runAt(await desk.file('rejected.csv', [line('A-2', '350')]));
    saw(45, 'a rejected row that is corrected here', ended);
    expect(ended).toMatchObject({ ends: ['held told_as_rejected'], exit: 5 });
  });
});

it('a message with a wrong payment is corrected in the accounting program, say check, the refusal and its file', async () => {
  await openWith('refuse-file');
  const path = await desk.write('a.xml', message([payment({ purpose: '<Purp><Cd>INTC</Cd></Purp>' })]));
  const checked = await checkFile(paydrop, path);
  expect(said(checked.words).join(' ')).toContain('Correct the payments in your accounting program');
  const { words } = await processBatch(paydrop, path, PATIENT);
  expect(said(words).join(' ')).toMatch(
    /Correct it in your accounting program and export again; \S+ shows what is wrong/,
  );
});

describe('a message that is too large', () => {
  const two = message([payment(), payment({ reference: 'A-2' })]);

  it('by its payments is refused, and each is told', async () => {
    await openWith('skip-rows', 'intake: { rowsMax: 1 }');
    const ended = await run(two);
    saw(20, 'more payments than are taken', ended);
    expect(ended).toMatchObject({ refusal: 'too_many_rows', exit: 3, told: ['RJCT NARR', 'RJCT NARR'] });
  });

  it('by its bytes is refused before it is read, and nothing is told', async () => {
    await openWith('skip-rows', 'intake: { bytesMax: 1KB }');
    const ended = await run(two);
    saw(20, 'more bytes than are taken', ended);
    expect(ended).toMatchObject({ refusal: 'too_large', exit: 3, group: null });
  });
});
