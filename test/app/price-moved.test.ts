// A price that moved since it was shown or first quoted, or strays from the others of its file, is nobody's price: the row is held before its transfer is
// created, in both directions, with an approval and without one.
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { compose } from '../../src/app/compose.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { releaseRows } from './release.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { silentLog } from '../../src/base/log.ts';
import { meddlingProxy, type Meddling } from '../delivery/meddling-proxy.ts';
import { approve, askedOf, moveRate, REQUIRED, resume } from './approval/two-people.ts';
import { endsOf, HEADER, HURRIED, line, lineTo, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const QUOTE_LIFE_MS = 60_000;
/** After that no read can hide what was sent before the ledger was lost. */
const DOUBT_ENDS_MS = 2 * 3_600_000;
const SOURCE = HEADER.replace('destinationAmount', 'sourceAmount');

type LeapingDesk = Desk & { readonly clock: LeapClock };

async function newDesk(options: Parameters<typeof openDesk>[0] = {}): Promise<LeapingDesk> {
  const clock = leapClock();
  const desk = await openDesk({ ...options, clock, quoteLifeMs: QUOTE_LIFE_MS }, clock);
  closers.push(() => desk.close());
  return { ...desk, clock };
}

/** Once every price that was given before has run out. @param rate the usual one is 7812. */
async function later(desk: LeapingDesk, rate: string): Promise<void> {
  desk.clock.leap(QUOTE_LIFE_MS);
  await moveRate(desk, rate);
}

async function release(paydrop: Paydrop, id: string, rows: readonly string[] | null = null): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('It is there.');
  const order = { by: 'Marie', reason: 'the new rate is right', rows: rows && new Set(rows), skip: false };
  expect((await releaseRows(paydrop, batch, order)).released.length).toBeGreaterThan(0);
}

async function reasonOf({ ledger }: Paydrop, batch: string, position = 0): Promise<string> {
  const [row] = await ledger.rows(batch, position, 1);
  return row?.progress.hold?.reason.en ?? '';
}

const MOVES = [
  ['of a set sum that would bring half', SOURCE, '50000', '3906'],
  ['of a set sum that would bring twice as much', SOURCE, '50000', '15624'],
  ['that would cost twice as much', HEADER, '1000', '3906'],
  ['that would cost half', HEADER, '1000', '15624'],
] as const;

describe('without an approval', () => {
  it.each(MOVES)('after a preview a payment %s is held', async (_what, header, amount, rate) => {
    const desk = await newDesk();
    const paydrop = await desk.open();
    const path = await desk.write('a.csv', `${header}\n${line('A', amount)}\n`);
    await previewFile(paydrop, path, PATIENT);
    await later(desk, rate);
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
    expect(await transfersOf(paydrop)).toEqual([]);
    await release(paydrop, batch);
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(1);
  });

  it('a payment that waited for funds is compared with its first price, and a release counts for the price then shown', async () => {
    const desk = await newDesk({ balances: { XAF: '0' } });
    const paydrop = await desk.open();
    const { batch } = (await processBatch(paydrop, await desk.file('a.csv', [line('A', '1000')]), HURRIED))
      .summary;
    expect((await paydrop.ledger.batch(batch))?.wait?.for).toBe('funds');
    await later(desk, '7700');
    await resume(paydrop, batch, HURRIED);
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
    expect(await reasonOf(paydrop, batch)).toMatch(
      /^Shown or first quoted: .* XAF for .*1,000.* CNY\. Now: /,
    );
    await release(paydrop, batch);
    // Less than the drift from the price that was released, and more than it from the first one.
    await later(desk, '7650');
    await resume(paydrop, batch, HURRIED);
    expect((await paydrop.ledger.batch(batch))?.wait?.for).toBe('funds');
    await later(desk, '7500');
    await resume(paydrop, batch, HURRIED);
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
  });

  it('many small moves add up: each price is compared with the first one, not with the last', async () => {
    const desk = await newDesk({ balances: { XAF: '0' } });
    const paydrop = await desk.open();
    const path = await desk.file('a.csv', [line('A', '1000')]);
    const { batch } = (await processBatch(paydrop, path, HURRIED)).summary;
    for (const rate of ['7780', '7750']) {
      await later(desk, rate);
      await resume(paydrop, batch, HURRIED);
      expect(await endsOf(paydrop, batch)).not.toEqual(['held price_moved']);
    }
    await later(desk, '7710');
    await resume(paydrop, batch, HURRIED);
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
  });

  it('the first price outlives a lost ledger: the service still has its quotation', async () => {
    const desk = await newDesk({ balances: { XAF: '0' } });
    const path = await desk.write('a.csv', `${SOURCE}\n${line('A', '50000')}\n`);
    const before = await desk.open();
    const { batch } = (await processBatch(before, path, HURRIED)).summary;
    await desk.loseLedger();
    await later(desk, '3906');
    const paydrop = await desk.open();
    await rebuildFile(paydrop, join(desk.workspace, 'processing', batch, 'a.csv'), HURRIED);
    desk.clock.leap(DOUBT_ENDS_MS);
    await resume(paydrop, batch, HURRIED);
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
  });
});

describe('after an approval', () => {
  it.each(MOVES)(
    'a payment %s is held, and a release makes it a new question',
    async (_what, header, amount, rate) => {
      const desk = await newDesk();
      const paydrop = await desk.open(REQUIRED);
      const path = await desk.write('a.csv', `${header}\n${line('A', amount)}\n`);
      const { batch } = (await processBatch(paydrop, path, HURRIED)).summary;
      await approve(paydrop, batch);
      await later(desk, rate);
      await resume(paydrop, batch);
      expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
      expect(await askedOf(paydrop, batch)).toMatchObject({ round: 1 });
      await release(paydrop, batch);
      expect((await resume(paydrop, batch)).summary.state).toBe('awaiting-approval');
      expect(await askedOf(paydrop, batch)).toMatchObject({ round: 2, given: null, rows: 1 });
      expect(await transfersOf(paydrop)).toEqual([]);
      await approve(paydrop, batch, 'Ada');
      expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(1);
    },
  );

  it('only the row that moved waits: the others stay approved, and are paid', async () => {
    const desk = await newDesk();
    const error = { factor: 1 };
    const paydrop = await meddled(desk, REQUIRED, erring('50002', error));
    const text = `${SOURCE}\n${lineTo('Wu', 'A', '50001')}\n${lineTo('Li', 'B', '50002')}\n`;
    const { batch } = (await processBatch(paydrop, await desk.write('a.csv', text), HURRIED)).summary;
    await approve(paydrop, batch);
    error.factor = 0.95;
    desk.clock.leap(QUOTE_LIFE_MS);
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'held price_moved']);
    expect(await askedOf(paydrop, batch)).toMatchObject({ round: 1 });
  });

  it('nothing is priced again while the quotations live, nor looked for by a process that takes it over in peace', async () => {
    const desk = await newDesk();
    const asked: string[] = [];
    const looked: string[] = [];
    const paydrop = await meddled(desk, REQUIRED, {
      instead: ({ method, path }) => {
        if (path.startsWith('/rates')) asked.push(method);
        if (path.startsWith('/transfers/ext-')) looked.push(path);
        return null;
      },
    });
    const rows = ['Wu', 'Li', 'An', 'Bo', 'Cai'].map((name, index) =>
      lineTo(name, name, String(100 + index)),
    );
    const { batch } = (await processBatch(paydrop, await desk.file('a.csv', rows), HURRIED)).summary;
    expect(asked).toHaveLength(5);
    await approve(paydrop, batch);
    const { config, clock } = paydrop;
    await paydrop.close();
    closers.pop();
    const other = await compose(config, silentLog, clock);
    closers.push(() => other.close());
    expect((await resume(other, batch)).summary.outcomes.paid).toBe(5);
    expect(asked).toHaveLength(5);
    expect(looked).toEqual([]);
  });
});

/** Paydrop on a service that somebody meddles with. */
async function meddled(desk: Desk, text: string, meddling: Meddling): Promise<Paydrop> {
  const { config, clock } = await desk.open(text);
  await desk.shut();
  const baseUrl = new URL(await meddlingProxy(desk.sandbox.baseUrl, meddling));
  const paydrop = await compose({ ...config, baseUrl }, silentLog, clock);
  closers.push(() => paydrop.close());
  return paydrop;
}

/** The service errs by a factor for one amount. */
const erring = (amount: string, by: { readonly factor: number }): Meddling => ({
  after: ({ path, body }, reply) => {
    const isIt = path.startsWith('/rates') && body.includes(amount);
    if (!isIt || reply.status >= 300) return null;
    const quotation = JSON.parse(reply.body) as { destinationAmount: number };
    const destinationAmount = Number((quotation.destinationAmount * by.factor).toFixed(2));
    return { body: JSON.stringify({ ...quotation, destinationAmount }) };
  },
});

describe('a service that errs by a factor', () => {
  const NAMES = ['Wu', 'Li', 'An', 'Bo', 'Cai', 'Deng', 'E', 'Fu'];
  const text = `${SOURCE}\n${NAMES.map((name, index) => lineTo(name, name, String(50_001 + index))).join('\n')}\n`;

  it.each([
    ['the first row', '50001', 0.5, '', 0],
    ['the first row, approved', '50001', 10, REQUIRED, 0],
    ['a row in the middle', '50004', 1.2, '', 3],
    ['the last row', '50008', 0.3, '', 7],
    ['the last row, approved', '50008', 0.85, REQUIRED, 7],
  ])('for %s: that row is held, and the others are paid', async (_what, amount, factor, policy, position) => {
    const desk = await newDesk();
    const paydrop = await meddled(desk, policy, erring(amount, { factor }));
    const path = await desk.write('a.csv', text);
    const { batch } = (await processBatch(paydrop, path, policy === '' ? PATIENT : HURRIED)).summary;
    if (policy !== '') {
      expect(await askedOf(paydrop, batch)).toMatchObject({ rows: 7 });
      await approve(paydrop, batch);
      await resume(paydrop, batch);
    }
    const expected = NAMES.map((_name, index) => (index === position ? 'held price_moved' : 'paid'));
    expect(await endsOf(paydrop, batch)).toEqual(expected);
    expect(await reasonOf(paydrop, batch, position)).toContain('in the median of this file');
    // Somebody has asked the service, and it means what it says: then that is a price like any other.
    await release(paydrop, batch);
    await resume(paydrop, batch);
    const now = (await endsOf(paydrop, batch))[position];
    expect(now).toBe(policy === '' ? 'held echo_mismatch' : 'quoted');
  });
});
