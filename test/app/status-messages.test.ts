// Status messages (pain.002) of payment messages: each is valid, reports what became of each payment, and never lets a program repeat a payment that was made.
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import { FRESH } from '../../src/payouts/progress.ts';
import { REJECTION_CODES } from '../../src/payouts/rejection.ts';
import { HOLD_CODES } from '../../src/payouts/hold.ts';
import { statusOf } from '../../src/results/status-codes.ts';
import { sameWords } from '../../src/base/language.ts';
import { folderNow, readManifest } from '../../src/inbox/manifest.ts';
import {
  checkStatusMessages,
  readStatus,
  returnsOfOdoo,
  statusTexts,
  type Ended,
} from '../invariants/status-messages.ts';
import { message, ownMessage, payment, type Paid } from '../rows/pain001/messages.ts';
import { line, openDesk, PATIENT, type Desk } from './desk.ts';
import { editManifest } from './put-back.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

let clock: CalendarClock;
let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock, reversalMs: 86_400_000 }, clock);
});
afterEach(() => desk.close());

const outbox = () => join(desk.workspace, 'outbox');

async function openWith(reports = '', policy = 'onInvalidRows: skip-rows'): Promise<void> {
  const debtors = '[{ account: PAYDROP-XAF, currency: XAF }]';
  paydrop = await desk.open(
    `policy: { ${policy} }\niso20022: { debtors: ${debtors}, statusReports: { ${reports} } }`,
  );
}

async function run(name: string, text: string) {
  const { summary } = await processBatch(paydrop, await desk.write(name, text), PATIENT);
  return summary;
}

async function endedOf(batch: string): Promise<readonly Ended[]> {
  const names = (await readdir(outbox())).filter((each) => each.includes(`.${batch}.result`));
  // The last version has a number in its name.
  const name = names.toSorted((a, b) => a.length - b.length).at(-1);
  const rows: readonly Record<string, string>[] = parse(await readFile(join(outbox(), name ?? '')), {
    columns: true,
  });
  return rows.map((row) => ({
    endToEndId: row['iso.endToEndId'] ?? '',
    outcome: row['payout.outcome'] ?? '',
  }));
}

const phone = (digits: string) =>
  `<Id><Othr><Id>+861380${digits}</Id><SchmeNm><Prtry>WECHAT</Prtry></SchmeNm></Othr></Id>`;
const amount = (value: number) => `<InstdAmt Ccy="CNY">${String(value)}</InstdAmt>`;

/** One payment for each end. */
const ENDS: readonly Paid[] = [
  { reference: 'paid' },
  ...['0100000', '0100002', '0100003', '0100004', '0100005', '0100006', '0100008', '0010027'].map(
    (digits, index) => ({ reference: digits, account: phone(digits), amount: amount(200 + index) }),
  ),
  { reference: 'zero', amount: '<InstdAmt Ccy="CNY">0</InstdAmt>' },
  { reference: 'below', amount: '<InstdAmt Ccy="CNY">0.01</InstdAmt>' },
  { reference: 'twice', amount: amount(301) },
  { reference: 'twice', amount: amount(302) },
  { reference: 'before', amount: amount(303) },
  { reference: ' é&amp;"&lt; ', amount: amount(304), name: 'Chen Wenjie' },
];

describe.each(['03', '09'])('of a message of version %s', (version) => {
  it.each(['rejected', 'changes', 'all'] as const)('with %s are valid and true', async (detail) => {
    await openWith(`detail: ${detail}`);
    await processBatch(paydrop, await desk.file('a.csv', [line('before', '303')]), PATIENT);
    const summary = await run(
      'ends.xml',
      message(
        ENDS.map((paid) => payment(paid)),
        { version },
      ),
    );
    expect(summary.state).toBe('closed');
    const texts = statusTexts(outbox(), summary.batch);
    expect(texts).toHaveLength(2);
    const ended = await endedOf(summary.batch);
    expect(checkStatusMessages(texts, ended, detail).filter(isAboutEach)).toEqual([]);
    const [door, end] = texts.map(readStatus);
    expect(door?.version).toBe(version === '03' ? '03' : '10');
    expect(door?.originalKind).toBe(`pain.001.001.${version}`);
    expect([door?.perStatus, end?.perStatus]).toEqual([
      { ACCP: 9, PDNG: 1, RJCT: 5 },
      { ACSC: 1, PDNG: 1, RJCT: 13 },
    ]);
    const codes = new Map(
      texts.flatMap((text) =>
        readStatus(text).transactions.map((each) => [each.endToEndId, each.codes.join(' ')]),
      ),
    );
    expect(Object.fromEntries(codes)).toMatchObject({
      ...{ '0100000': 'NARR', '0100002': 'MS03', '0100003': 'BE23', '0100004': 'RR04', '0100005': 'AM14' },
      ...{ '0100006': 'ED05', '0100008': 'ED05', '0010027': 'ED05' },
      ...{ zero: 'AM01', below: 'AM06', twice: 'DU04', ' é&"< ': 'BE21' },
    });
    expect(codes.get('before')).toBe(detail === 'rejected' ? undefined : 'DUPL');
    if (detail === 'rejected')
      expect([...returnsOfOdoo(texts)].sort()).toEqual(
        ended
          .flatMap(({ endToEndId, outcome }) =>
            outcome === 'failed' || outcome === 'rejected' ? [endToEndId] : [],
          )
          .sort(),
      );
  });
});

/** The same EndToEndId twice is no id: only the counts hold of it. */
function isAboutEach(broken: string): boolean {
  return !broken.includes('twice');
}

describe('status messages', () => {
  it('list who is rejected at the door once, and at the end those who failed', async () => {
    await openWith();
    const summary = await run('own.xml', ownMessage('09'));
    const texts = statusTexts(outbox(), summary.batch);
    const ended = await endedOf(summary.batch);
    expect(checkStatusMessages(texts, ended, 'rejected')).toEqual([]);
    expect(summary.answers.filter((name) => name.endsWith('.xml'))).toHaveLength(2);
    expect(texts.map(readStatus).map(({ msgId, original }) => [msgId, original])).toEqual([
      [`${summary.batch}-S1`, 'PAY/2026/11/0007'],
      [`${summary.batch}-S2`, 'PAY/2026/11/0007'],
    ]);
  });

  it('never reject what is paid under the same id in another message', async () => {
    await openWith();
    await run('a.xml', message([payment()]));
    const wrong = payment({ amount: '<InstdAmt Ccy="CNY">0</InstdAmt>' });
    const own = payment({ reference: 'A-2', amount: amount(350) });
    const summary = await run('b.xml', message([wrong, own], { msgId: 'M-2' }));
    expect(summary.outcomes).toMatchObject({ rejected: 1, paid: 1 });
    const texts = statusTexts(outbox(), summary.batch);
    expect(texts.map((text) => readStatus(text).perStatus)).toEqual([
      { ACCP: 1, PDNG: 1 },
      { ACSC: 1, PDNG: 1 },
    ]);
    expect(returnsOfOdoo(texts)).toEqual([]);
    await resumeBatches(paydrop, null, PATIENT);
    expect(statusTexts(outbox(), summary.batch)).toHaveLength(2);
  });

  it.each([
    ['its folder', ['archive'], [3]],
    ['its folder and all answers', ['archive', 'outbox'], [1]],
    ['the ledger alone', [], []],
  ])('bear ids that were never told, after a rebuild without %s', async (_, lost, numbers) => {
    await openWith();
    const text = message([
      payment(),
      payment({ reference: 'A-2', amount: '<InstdAmt Ccy="CNY">0</InstdAmt>' }),
    ]);
    const { batch } = await run('a.xml', text);
    const ids = () => statusTexts(outbox(), batch).map((each) => readStatus(each).msgId);
    const before = ids();
    expect(before).toHaveLength(2);
    await desk.loseLedger();
    for (const folder of lost) await rm(join(desk.workspace, folder), { recursive: true });
    await openWith();
    clock.goTo('2026-11-28T10:00:00Z');
    await rebuildFile(paydrop, await desk.write('a.xml', text), PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    // Until then reads may hide what was sent, and nothing is told.
    clock.goTo('2026-11-28T11:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const after = ids().filter((id) => !before.includes(id));
    expect(after).toEqual(numbers.map((number) => `${batch}-R202611281000-S${String(number)}`));
    expect(ids()).toHaveLength(new Set(ids()).size);
  });

  it('are not written by check and preview, nor for a spreadsheet', async () => {
    await openWith();
    const path = await desk.write('own.xml', message([payment()]));
    await checkFile(paydrop, path);
    await previewFile(paydrop, path, PATIENT);
    await processBatch(paydrop, await desk.file('a.csv', [line('A-9', '900')]), PATIENT);
    expect((await readdir(outbox())).filter((name) => name.endsWith('.xml'))).toEqual([]);
  });

  it('that a kill left in the outbox without a note keep their number and their bytes', async () => {
    await openWith();
    const { batch } = await run('back.xml', message([payment({ account: phone('0100001') })]));
    const before = statusTexts(outbox(), batch);
    const folder = folderNow(paydrop.workspace, batch) ?? '';
    const told = (await readManifest(folder))?.statusTold;
    await editManifest(folder, { statusTold: { ...told, isPublished: false } });
    clock.goTo('2026-11-30T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const after = statusTexts(outbox(), batch);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
  });

  it('have one more where a payment is reversed after the end, and never change', async () => {
    await openWith();
    const reversed = payment({ reference: 'back', account: phone('0100001') });
    const summary = await run('back.xml', message([reversed, payment({ amount: amount(400) })]));
    const before = statusTexts(outbox(), summary.batch);
    clock.goTo('2026-11-30T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const after = statusTexts(outbox(), summary.batch);
    expect(after.slice(0, before.length)).toEqual(before);
    const last = readStatus(after.at(-1) ?? '');
    expect(last.transactions.map(({ endToEndId, status, codes }) => [endToEndId, status, ...codes])).toEqual([
      ['back', 'RJCT', 'NARR'],
    ]);
    expect(checkStatusMessages(after, await endedOf(summary.batch), 'rejected')).toEqual([]);
  });

  it('that were collected from the outbox are not put there again', async () => {
    await openWith();
    const summary = await run('a.xml', message([payment()]));
    for (const name of await readdir(outbox())) if (name.endsWith('.xml')) await rm(join(outbox(), name));
    await resumeBatches(paydrop, null, PATIENT);
    expect(statusTexts(outbox(), summary.batch)).toEqual([]);
  });

  it('say of a file that waits to be approved that its payments do', async () => {
    await openWith('', 'approval: required');
    const { summary } = await processBatch(paydrop, await desk.write('a.xml', message([payment()])), {
      ...PATIENT,
      waitMs: 0,
    });
    const [door] = statusTexts(outbox(), summary.batch).map(readStatus);
    expect([door?.group, door?.transactions]).toEqual(['PDNG', []]);
  });
});

describe('of a message that is refused whole', () => {
  const transactions = (summary: { readonly batch: string }) => {
    const texts = statusTexts(outbox(), summary.batch);
    expect(texts.length).toBeLessThan(2);
    return texts.map(readStatus).map(({ group, groupReasons, transactions: all }) => ({
      group,
      reasons: groupReasons,
      all: all.map(({ endToEndId, status, codes }) => [endToEndId, status, ...codes]),
    }));
  };

  it('the faulty payments have their codes, and the others those of others', async () => {
    await openWith('', 'onInvalidRows: refuse-file');
    const summary = await run(
      'a.xml',
      message([payment(), payment({ reference: 'A-2', amount: '<InstdAmt Ccy="CNY">0</InstdAmt>' })]),
    );
    expect(summary.state).toBe('refused');
    expect(transactions(summary)).toEqual([
      {
        group: 'RJCT',
        reasons: ['NARR'],
        all: [
          ['A-1', 'RJCT', 'NARR'],
          ['A-2', 'RJCT', 'AM01'],
        ],
      },
    ]);
  });

  it('what was paid under another message is no rejection, and the group is in part', async () => {
    await openWith('', 'onInvalidRows: refuse-file');
    await run('a.xml', message([payment()]));
    const summary = await run(
      'b.xml',
      message([payment(), payment({ reference: 'A-2', amount: '<InstdAmt Ccy="CNY">0</InstdAmt>' })], {
        msgId: 'M-2',
      }),
    );
    expect(transactions(summary)).toEqual([
      { group: 'PART', reasons: ['NARR'], all: [['A-2', 'RJCT', 'AM01']] },
    ]);
  });

  it.each([
    ['numbers that differ', message([payment()], { stated: '<NbOfTxs>2</NbOfTxs>' }), 'AM19'],
    [
      'sums that differ',
      message([payment()], { stated: '<NbOfTxs>1</NbOfTxs><CtrlSum>7</CtrlSum>' }),
      'AM16',
    ],
    ['the currency of its account', message([payment()]).replace('<Ccy>XAF', '<Ccy>EUR'), 'AC10'],
    ['a day in three years', message([payment()], { day: '2029-11-28' }), 'CH03'],
  ])('%s have their code', async (_, text, code) => {
    await openWith();
    const summary = await run('a.xml', text);
    expect(transactions(summary)).toEqual([
      { group: 'RJCT', reasons: [code], all: [['A-1', 'RJCT', 'NARR']] },
    ]);
    // The same bytes again are refused again, and are told already.
    await run('a.xml', text);
    expect(statusTexts(outbox(), summary.batch)).toHaveLength(1);
  });

  it.each([
    ['country', payment({ address: '<PstlAdr><Ctry>CHN</Ctry></PstlAdr>' })],
    ['amount', payment({ amount: '<InstdAmt Ccy="CNY">1.-</InstdAmt>' })],
    ['currency', payment({ amount: '<InstdAmt Ccy="Yuan">100</InstdAmt>' })],
  ])('one whose schema does not allow its %s is rejected whole, each payment by its id', async (_, wrong) => {
    await openWith();
    const summary = await run('a.xml', message([wrong, payment({ reference: 'A-2' })]));
    expect(transactions(summary)).toEqual([
      {
        group: 'RJCT',
        reasons: ['FF01'],
        all: [
          ['A-1', 'RJCT', 'NARR'],
          ['A-2', 'RJCT', 'NARR'],
        ],
      },
    ]);
  });

  const wrong = '<PstlAdr><Ctry>CHN</Ctry></PstlAdr>';
  it.each([
    ['has no id', payment({ address: wrong }).replace(/<EndToEndId>.*<\/EndToEndId>/, '')],
    ['has too long an id', payment({ address: wrong, reference: 'A'.repeat(36) })],
    ['is called otherwise', payment().replace(/CdtTrfTxInf>/g, 'CdtTrfTxInfo>')],
    ['stands where none may', `<Elsewhere>${payment({ address: wrong })}</Elsewhere>`],
    ['has its id where none may be', payment({ address: wrong }).replace(/PmtId>/g, 'PaymentId>')],
  ])('nothing is told of one whose schema is broken and of which a payment %s', async (_, unnamed) => {
    await openWith();
    const summary = await run('a.xml', message([payment({ reference: 'A-2' }), unnamed]));
    expect([summary.state, transactions(summary)]).toEqual(['refused', []]);
  });

  it.each([
    ['meant for a bank', message([payment()]).replace('PAYDROP-XAF', 'BANK-1')],
    [
      'meant for a bank, whose header is wrong',
      message([payment()]).replace('PAYDROP-XAF', 'BANK-1').replace('2026-11-21T16:02:11', 'today'),
    ],
    ['of a name that is too long', message([payment()], { msgId: 'M'.repeat(36) })],
    ['cut off', message([payment()]).slice(0, -40)],
    ['with a document type', message([payment()]).replace('<Document', '<!DOCTYPE a><Document')],
    ['whose schema is broken before its account', message([payment()], { debtor: '<Dbtr/>' })],
  ])('nothing is told of one %s', async (_, text) => {
    await openWith();
    const summary = await run('a.xml', text);
    expect([summary.state, transactions(summary)]).toEqual(['refused', []]);
  });

  it('nothing is told of one whose name was taken, or that is damaged and known by its payments', async () => {
    await openWith();
    await run('a.xml', message([payment()]));
    for (const text of [
      message([payment(), payment({ reference: 'A-2' })]),
      message([payment({ address: '<PstlAdr><Ctry>CHN</Ctry></PstlAdr>' })], { msgId: 'M-2' }),
    ])
      expect(transactions(await run('b.xml', text))).toEqual([]);
  });
});

describe('a row that its accounting program was told to be rejected', () => {
  const WRONG = '<InstdAmt Ccy="CNY">0</InstdAmt>';

  async function rejectedOf(batch: string): Promise<string> {
    const name = (await readdir(outbox())).find((each) => each.includes(`.${batch}.rejected`)) ?? '';
    return (await readFile(join(outbox(), name), 'utf8')).replace(/^(A-2,.*?),0,CNY/m, '$1,350,CNY');
  }

  it.each(['skip-rows', 'refuse-file'])('is held when it is mended here instead, under %s', async (rule) => {
    await openWith('', `onInvalidRows: ${rule}`);
    const { batch } = await run('a.xml', message([payment(), payment({ reference: 'A-2', amount: WRONG })]));
    const mended = await rejectedOf(batch);
    expect(mended).toContain(',350,CNY');
    const { summary } = await processBatch(paydrop, await desk.write('mended.csv', mended), PATIENT);
    const rows = await paydrop.ledger.rows(summary.batch, 0, 10);
    expect(rows.map(({ reference, progress }) => [reference, progress.hold?.code])).toEqual(
      rule === 'skip-rows'
        ? [['A-2', 'told_as_rejected']]
        : [
            ['A-1', 'told_as_rejected'],
            ['A-2', 'told_as_rejected'],
          ],
    );
  });

  it('is held by its reference too, in a file of its own', async () => {
    await openWith();
    await run('a.xml', message([payment(), payment({ reference: 'A-2', amount: WRONG })]));
    const path = await desk.file('own.csv', [line('A-2', '350'), line('A-3', '360')]);
    const { summary } = await processBatch(paydrop, path, PATIENT);
    const rows = await paydrop.ledger.rows(summary.batch, 0, 10);
    expect(rows.map(({ progress }) => progress.hold?.code ?? progress.stage)).toEqual([
      'told_as_rejected',
      'paid',
    ]);
  });

  it.each(['A-1', 'a 1'])('is held as %s when its message was refused by its schema', async (reference) => {
    await openWith();
    const { state } = await run(
      'a.xml',
      message([payment({ address: '<PstlAdr><Ctry>CHN</Ctry></PstlAdr>' })]),
    );
    expect(state).toBe('refused');
    const path = await desk.file('own.csv', [line(reference, '350'), line('A-3', '360')]);
    const { summary } = await processBatch(paydrop, path, PATIENT);
    const rows = await paydrop.ledger.rows(summary.batch, 0, 10);
    expect(rows.map(({ progress }) => progress.hold?.code ?? progress.stage)).toEqual([
      'told_as_rejected',
      'paid',
    ]);
  });

  it('is paid when its program exports it again, under its old id or a new one', async () => {
    await openWith();
    await run('a.xml', message([payment(), payment({ reference: 'A-2', amount: WRONG })]));
    const again = message([payment({ reference: 'A-2', amount: amount(350) })], { msgId: 'M-2' });
    expect((await run('b.xml', again)).outcomes.paid).toBe(1);
  });
});

describe('each code', () => {
  const reasons = new Set(
    readFileSync(new URL('../results/pain002/iso-reasons.txt', import.meta.url), 'utf8').split('\n'),
  );
  const batch = { state: 'sending', wait: null } as unknown as BatchRecord;
  const row = { payout: null, rejections: [], progress: FRESH } as unknown as RowRecord;

  it('is that of what is there already for a duplicate, and never a rejection', () => {
    const duplicate = { ...row, progress: { ...FRESH, stage: 'duplicate' as const } };
    expect(statusOf(duplicate, batch)).toMatchObject({ status: 'PDNG', reasons: [{ iso: 'DUPL' }] });
  });

  it.each([...REJECTION_CODES])('%s is one of ISO', (code) => {
    const rejected = {
      ...row,
      rejections: [{ code, column: 'amount', words: sameWords('') }],
      progress: { ...FRESH, stage: 'rejected' as const },
    };
    const { status, reasons: found } = statusOf(rejected, batch);
    expect([status, found.map(({ own }) => own)]).toEqual(['RJCT', [code]]);
    expect(found.every(({ iso }) => reasons.has(iso))).toBe(true);
  });

  it.each([...HOLD_CODES])('%s waits, with one of ISO', (code) => {
    const hold = { code, reason: sameWords(''), since: '' } as unknown as RowRecord['progress']['hold'];
    const { status, reasons: found } = statusOf({ ...row, progress: { ...FRESH, hold } }, batch);
    expect(status).toBe('PDNG');
    expect(found.map(({ own, iso }) => [own, reasons.has(iso)])).toEqual([[code, true]]);
  });
});
