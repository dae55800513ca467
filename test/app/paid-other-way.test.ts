// One payment that comes twice, by the amount that is sent and by the amount that arrives: only prices tell, so it is compared again once it is priced.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { approve, askedOf, moveRate, REQUIRED, resume } from './approval/two-people.ts';
import { endsOf, HEADER, HURRIED, line, lineTo, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';

const DAY_MS = 86_400_000;
const SOURCE = HEADER.replace('destinationAmount', 'sourceAmount');
const NAMES = ['Wu', 'Li', 'An'];

let clock: LeapClock;
let desk: Desk;
beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

let files = 0;
async function pay(
  paydrop: Paydrop,
  header: string,
  lines: readonly string[],
  control = PATIENT,
): Promise<string> {
  files += 1;
  const path = await desk.write(`file-${String(files)}.csv`, `${header}\n${lines.join('\n')}\n`);
  return (await processBatch(paydrop, path, control)).summary.batch;
}

/** The amounts that the rows of a batch have sent or brought, as a file would ask for them. */
async function amountsOf({ ledger }: Paydrop, batch: string, of: 'sendAmount' | 'receiveAmount') {
  const rows = await ledger.rows(batch, 0, 100);
  return rows.map(({ progress }) => progress.transfer?.[of] ?? progress.price?.[of] ?? '');
}

const linesOf = (prefix: string, amounts: readonly string[]) =>
  NAMES.map((name, index) => lineTo(name, `${prefix}-${name}`, amounts[index] ?? ''));

const HELD = NAMES.map(() => 'held same_payment_other_reference');
const PAID = NAMES.map(() => 'paid');

describe('the same payments in another file', () => {
  it('by what arrived, after they were sent by an amount: each is held, and a release pays it', async () => {
    const paydrop = await desk.open();
    const first = await pay(paydrop, SOURCE, linesOf('A', ['50000', '60001', '70003']));
    const again = await pay(paydrop, HEADER, linesOf('B', await amountsOf(paydrop, first, 'receiveAmount')));
    expect(await endsOf(paydrop, again)).toEqual(HELD);
    expect(await transfersOf(paydrop)).toHaveLength(3);
    const [row] = await paydrop.ledger.rows(again, 0, 1);
    expect(row?.progress.hold?.reason.en).toContain(`Row 2 of ${first} pays the same account`);
    const batch = await paydrop.ledger.batch(again);
    if (batch === null) throw new Error('It is there.');
    await releaseRows(paydrop, batch, { by: 'Ama', reason: 'both are owed', rows: null, skip: false });
    await resume(paydrop, again);
    expect(await endsOf(paydrop, again)).toEqual(PAID);
  });

  it('by an amount, after they were sent by what arrives', async () => {
    const paydrop = await desk.open();
    const first = await pay(paydrop, HEADER, linesOf('A', ['500', '601', '702']));
    const again = await pay(paydrop, SOURCE, linesOf('B', await amountsOf(paydrop, first, 'sendAmount')));
    expect(await endsOf(paydrop, again)).toEqual(HELD);
    expect(await transfersOf(paydrop)).toHaveLength(3);
  });

  it('by an amount in another source currency', async () => {
    const paydrop = await desk.open();
    const first = await pay(paydrop, HEADER, linesOf('A', ['500', '601', '702']));
    const euros = (await amountsOf(paydrop, first, 'receiveAmount')).map((yuan) =>
      (Number(yuan) / 7.812).toFixed(2),
    );
    const again = linesOf('B', euros).map((text) => text.replace(',XAF,', ',EUR,'));
    expect(await endsOf(paydrop, await pay(paydrop, SOURCE, again))).toEqual(HELD);
  });

  it('without references', async () => {
    const paydrop = await desk.open();
    const unnamed = (lines: readonly string[]) => lines.map((text) => text.replace(/^[^,]*/, ''));
    const first = await pay(paydrop, SOURCE, unnamed(linesOf('', ['50000', '60001', '70003'])));
    const received = await amountsOf(paydrop, first, 'receiveAmount');
    const again = await pay(paydrop, HEADER, unnamed(linesOf('', received)));
    expect(await endsOf(paydrop, again)).toEqual(NAMES.map(() => 'held same_payment_recently'));
  });

  it('while the first ones wait for their approval: they are not in the question', async () => {
    const paydrop = await desk.open(REQUIRED);
    const first = await pay(paydrop, SOURCE, linesOf('A', ['50000', '60001', '70003']), HURRIED);
    const received = await amountsOf(paydrop, first, 'receiveAmount');
    const lines = [...linesOf('B', received), lineTo('Bo', 'B-Bo', '333')];
    const again = await pay(paydrop, HEADER, lines, HURRIED);
    expect(await endsOf(paydrop, again)).toEqual([...HELD, 'quoted']);
    expect(await askedOf(paydrop, again)).toMatchObject({ rows: 1 });
    await approve(paydrop, again);
    await resume(paydrop, again);
    expect(await endsOf(paydrop, again)).toEqual([...HELD, 'paid']);
  });

  it('while the first ones have no price yet: what they ask for is what they will pay', async () => {
    const paydrop = await desk.open();
    const probe = await pay(paydrop, HEADER, [lineTo('Zo', 'P', '500')]);
    const [sent = ''] = await amountsOf(paydrop, probe, 'sendAmount');
    const day = new Date(clock.now() + DAY_MS).toISOString().slice(0, 10);
    const header = `${SOURCE},executionDate`;
    await pay(paydrop, header, [`${lineTo('Wu', 'A-Wu', sent)},${day}`], HURRIED);
    const again = await pay(paydrop, HEADER, [lineTo('Wu', 'B-Wu', '500')]);
    expect(await endsOf(paydrop, again)).toEqual(['held same_payment_other_reference']);
  });
});

describe('is another payment, and paid,', () => {
  async function afterwards(
    header: string,
    change: (text: string, index: number) => string,
    first: (text: string) => string = (text) => text,
    config = '',
    firstHeader = SOURCE,
  ): Promise<readonly string[]> {
    const paydrop = await desk.open(config);
    const before = await pay(paydrop, firstHeader, linesOf('A', ['50000', '60001', '70003']).map(first));
    const received = await amountsOf(paydrop, before, 'receiveAmount');
    return endsOf(paydrop, await pay(paydrop, header, linesOf('B', received).map(change)));
  }

  it('of another amount', async () => {
    const more = (text: string): string =>
      text.replace(/XAF,([\d.]+)/, (_all, of) => `XAF,${String(Number(of) + 50)}`);
    expect(await afterwards(HEADER, more)).toEqual(PAID);
  });

  it('to another account', async () => {
    expect(
      await afterwards(HEADER, (text, index) => text.replace(/\+\d+/, `+861390013800${String(index)}`)),
    ).toEqual(PAID);
  });

  it('under another document, where both name one', async () => {
    const ends = await afterwards(
      `${HEADER},documentReferenceNumber`,
      (text) => `${text},INV-2`,
      (text) => `${text},INV-1`,
      '',
      `${SOURCE},documentReferenceNumber`,
    );
    expect(ends).toEqual(PAID);
  });

  it('after the window', async () => {
    const paydrop = await desk.open();
    const first = await pay(paydrop, SOURCE, linesOf('A', ['50000', '60001', '70003']));
    const received = await amountsOf(paydrop, first, 'receiveAmount');
    clock.leap(6 * DAY_MS);
    expect(await endsOf(paydrop, await pay(paydrop, HEADER, linesOf('B', received)))).toEqual(PAID);
  });

  it('at a rate that has moved by more than the drift: both amounts count', async () => {
    const paydrop = await desk.open();
    const first = await pay(paydrop, SOURCE, [line('A', '50000')]);
    const received = await amountsOf(paydrop, first, 'receiveAmount');
    await moveRate(desk, '7000');
    expect(await endsOf(paydrop, await pay(paydrop, HEADER, [line('B', received[0] ?? '')]))).toEqual([
      'paid',
    ]);
  });

  it('after the first one failed', async () => {
    const paydrop = await desk.open();
    const failing = line('A', '50000').replace('8613800138000', '86130100002');
    const first = await pay(paydrop, SOURCE, [failing]);
    expect(await endsOf(paydrop, first)).toEqual(['failed 100002']);
    const received = (await amountsOf(paydrop, first, 'receiveAmount'))[0] ?? '';
    const again = await pay(paydrop, HEADER, [line('B', received).replace('8613800138000', '86130100002')]);
    expect(await endsOf(paydrop, again)).toEqual(['failed 100002']);
  });
});
