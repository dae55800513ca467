// Encounters of a ledger: rows that meet one that is paid or under way, by their reference or, without references, by the payment itself.
import { describe, expect, it } from 'vitest';

import { type CrossCheck, type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import type { BatchChange, Encounter, NewRow } from '../../src/ledger/records.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { KNOWN } from '../delivery/due-row.ts';
import { PAYOUT } from '../delivery/due-row.ts';
import { BATCH, batchNumber, inStage, newRow, newRows, readBy } from './records.ts';
import { standing } from './exercise-paid-before.ts';
import { type OpenLedgers } from './two-ledgers.ts';
import { own } from './own.ts';

const EARLIER = batchNumber(1, { acceptedAt: '2026-11-18T08:00:00.000Z' });

/** The start of the window: everything above is inside. */
const SINCE = '2026-11-15T08:00:00.000Z';

export function exerciseEncounters(open: OpenLedgers): void {
  describe('by reference', () => byReference(open));
  describe('by account', () => byAccount(open));
  describe('by payment', () => byPayment(open));
  describe('by place', () => byPlace(open));
  describe('when a batch is checked', () => exerciseCrossCheck(open));
}

/** What the rows of a batch meet in those of an earlier one. */
async function meet(
  open: OpenLedgers,
  mine: readonly NewRow[],
  theirs: readonly NewRow[],
  since: string = SINCE,
  change: BatchChange = {},
): Promise<readonly Encounter[]> {
  const { ledger } = await open();
  await ledger.addBatch(readBy(ledger, { ...EARLIER, rows: theirs.length }));
  await ledger.addRows(await own(ledger, EARLIER.id), theirs);
  await checkAll(ledger, EARLIER.id, { since, judge: () => null, change: { state: 'pricing', ...change } });
  await ledger.addBatch(readBy(ledger, { ...BATCH, rows: mine.length }));
  await ledger.addRows(await own(ledger, BATCH.id), mine);
  return encountersOf(ledger, since);
}

/** Row by row, which must give what all rows at once would; large ones some hundred at a time. */
async function checkAll(
  ledger: Ledger,
  batch: string,
  check: Pick<CrossCheck, 'since' | 'judge' | 'change'>,
): Promise<void> {
  const [last] = await ledger.rows(batch, 100, 1);
  const limit = last === undefined ? 1 : 999;
  while (
    !(await ledger.crossCheck(await own(ledger, batch), { limit, at: null, everyRow: false, ...check }))
  );
}

async function encountersOf(ledger: Ledger, since: string): Promise<readonly Encounter[]> {
  const met: Encounter[] = [];
  const judge: CrossCheck['judge'] = (_row, { encounters }) => {
    met.push(...encounters);
    return null;
  };
  await checkAll(ledger, BATCH.id, { since, judge, change: {} });
  return met;
}

function byReference(open: OpenLedgers): void {
  it('a reference of another batch is met, whatever was paid under it and however long ago', async () => {
    const theirs = newRow(4, { reference: 'A-1', fingerprint: 'f-2', ...inStage('paid') });
    const late = '2026-12-01T00:00:00.000Z';
    expect(await meet(open, [newRow(0, { reference: 'A-1', fingerprint: 'f-1' })], [theirs], late)).toEqual([
      {
        position: 0,
        kind: 'same-reference',
        other: {
          position: 4,
          batch: EARLIER.id,
          row: '6',
          fingerprint: 'f-2',
          stage: 'paid',
          acceptedAt: EARLIER.acceptedAt,
          isRecent: false,
          isHeld: false,
          isUnseen: false,
        },
      },
    ]);
  });

  it.each(['ready', 'quoted', 'created', 'confirming', 'confirmed', 'paid', 'held'] as const)(
    'a row that is %s is in the way',
    async (stage) => {
      const theirs = newRow(0, { reference: 'A-1', ...inStage(stage) });
      expect(await meet(open, [newRow(0, { reference: 'A-1' })], [theirs])).toHaveLength(1);
    },
  );

  it('a row that nothing is seen of may have been sent, as long as its batch is in doubt', async () => {
    const unsent = newRow(0, { reference: 'A-1' });
    const [met] = await meet(open, [newRow(0, { reference: 'A-1' })], [unsent]);
    expect(met?.other.isUnseen).toBe(false);
    const [doubted] = await meet(open, [newRow(0, { reference: 'A-1' })], [unsent], SINCE, {
      doubt: { since: null },
    });
    expect(doubted?.other.isUnseen).toBe(true);
  });

  it.each(['failed', 'rejected', 'duplicate'] as const)(
    'a row that is %s is in nobody’s way',
    async (stage) => {
      const theirs = newRow(0, { reference: 'A-1', fingerprint: 'f-1', ...inStage(stage) });
      const mine = [newRow(0, { reference: 'A-1' }), newRow(1, { fingerprint: 'f-1' })];
      expect(await meet(open, mine, [theirs])).toEqual([]);
    },
  );

  it.each(['a-1', 'A 1', 'A1', 'Ａ-１', 'A-01'])(
    'the reference %s of the same payment is nearly the reference A-1',
    async (reference) => {
      const mine = [newRow(0, { reference, fingerprint: 'f-1' })];
      const theirs = [newRow(0, { reference: 'A-1', fingerprint: 'f-1', ...inStage('paid') })];
      const [met] = await meet(open, mine, theirs);
      expect(met).toMatchObject({ position: 0, kind: 'similar-reference' });
    },
  );

  it('references that differ by case only are two when the payments differ', async () => {
    const theirs = [newRow(0, { reference: 'A-1', fingerprint: 'f-2' })];
    expect(await meet(open, [newRow(0, { reference: 'a-1', fingerprint: 'f-1' })], theirs)).toEqual([]);
  });

  it('a row that a person closed is in the way for as long as its transfer may still pay', async () => {
    const { progress } = inStage('rejected');
    const transfer = KNOWN;
    const closed = (mayBe: boolean) =>
      newRow(0, { reference: 'A-1', progress: { ...progress, transfer, confirm: mayBe ? 'sent' : 'none' } });
    expect(await meet(open, [newRow(0, { reference: 'A-1' })], [closed(true)])).toHaveLength(1);
  });

  it('a row that a person closed before any confirm is in nobody’s way', async () => {
    const { progress } = inStage('rejected');
    const closed = newRow(0, { reference: 'A-1', progress: { ...progress, transfer: KNOWN } });
    expect(await meet(open, [newRow(0, { reference: 'A-1' })], [closed])).toEqual([]);
  });

  it('a batch that is still being read is met only where it has a transfer', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, EARLIER));
    const { progress } = inStage('created');
    await ledger.addRows(await own(ledger, EARLIER.id), [
      newRow(0, { reference: 'A-1' }),
      newRow(1, { reference: 'A-2', progress: { ...progress, transfer: KNOWN } }),
    ]);
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 2 }));
    await ledger.addRows(await own(ledger, BATCH.id), [
      newRow(0, { reference: 'A-1' }),
      newRow(1, { reference: 'A-2' }),
    ]);
    expect(await encountersOf(ledger, SINCE)).toMatchObject([{ position: 1 }]);
  });

  it.each([
    ['has a row to be priced', 'held', newRow(1)],
    ['has a row that its price rejected', 'held', newRow(1, { isDue: false, ...inStage('rejected') })],
    ['has only to be acknowledged', 'ready', newRow(1, { isDue: false })],
  ] as const)(
    'where one wrong row refuses a file that %s, its rows are found %s',
    async (_why, stage, more) => {
      const theirs = [newRow(0, { reference: 'A-1', isDue: false }), more];
      const mine = [newRow(0, { reference: 'A-1' })];
      expect(await meet(open, mine, theirs)).toMatchObject([{ other: { row: '2', stage } }]);
    },
  );

  const STANDING = {
    at: '2026-11-28T08:00:00.000Z',
    timeZone: 'Africa/Douala',
    missed: 'pay',
    standing: { series: 'rent/offices.csv', next: '2026-12-28T08:00:00.000Z' },
  } as const;
  const WAIVED = {
    about: 'time',
    by: 'Ama',
    reason: 'today after all',
    at: '2026-11-28T07:00:00.000Z',
  } as const;
  it.each([
    ['stands for its time', 'held', 'ready', { state: 'accepted', payAt: STANDING }],
    [
      'stood for a time that was waived',
      'ready',
      'ready',
      { state: 'accepted', payAt: STANDING, decisions: [WAIVED] },
    ],
    ['stood for its time and is being paid', 'ready', 'ready', { state: 'sending', payAt: STANDING }],
    ['is reserved', 'held', 'created', { state: 'reserving', whole: 'reserving' }],
    ['is paid whole', 'created', 'created', { state: 'sending', whole: 'confirming' }],
    ['is paid row by row', 'created', 'created', { state: 'sending' }],
  ] as const)('the row of a file that %s is found %s', async (_why, found, stage, change) => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, { ...EARLIER, rows: 1 }));
    await ledger.addRows(await own(ledger, EARLIER.id), [newRow(0, { reference: 'A-1', ...inStage(stage) })]);
    await checkAll(ledger, EARLIER.id, { since: SINCE, judge: () => null, change: { state: 'pricing' } });
    await changeBatch(ledger, await own(ledger, EARLIER.id), { state: 'accepted' });
    await changeBatch(ledger, await own(ledger, EARLIER.id), change);
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 1 }));
    await ledger.addRows(await own(ledger, BATCH.id), [newRow(0, { reference: 'A-1' })]);
    expect(await standing(ledger, 'A-1')).toMatchObject({ stage: found });
    expect(await encountersOf(ledger, SINCE)).toMatchObject([{ other: { stage: found } }]);
  });

  it('what is paid is met before what nobody has decided about, whichever came first', async () => {
    const { ledger } = await open();
    for (const [digit, stage] of [
      [1, 'held'],
      [2, 'paid'],
      [3, 'held'],
    ] as const) {
      const earlier = batchNumber(digit, { acceptedAt: `2026-11-1${String(digit)}T08:00:00.000Z`, rows: 1 });
      await ledger.addBatch(readBy(ledger, earlier));
      await ledger.addRows(await own(ledger, earlier.id), [
        newRow(0, { reference: 'A-1', ...inStage(stage) }),
      ]);
      await checkAll(ledger, earlier.id, { since: SINCE, judge: () => null, change: { state: 'pricing' } });
    }
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 1 }));
    await ledger.addRows(await own(ledger, BATCH.id), [newRow(0, { reference: 'A-1' })]);
    expect(await standing(ledger, 'A-1')).toMatchObject({ stage: 'paid' });
    const met = await encountersOf(ledger, SINCE);
    expect(met.map(({ other }) => other.stage)).toEqual(['paid', 'held', 'held']);
  });

  it.each([
    ['for as long as it is recent', SINCE, [{ kind: 'other-reference', other: { row: '2' } }]],
    ['and no longer', '2026-11-19T00:00:00.000Z', []],
  ])('the same payment under two references is met as such %s', async (_when, since, met) => {
    const mine = [newRow(0, { reference: 'A-1', fingerprint: 'f-1' })];
    const theirs = [newRow(0, { reference: 'B-1', fingerprint: 'f-1' })];
    expect(await meet(open, mine, theirs, since)).toMatchObject(met);
  });
}

function byAccount(open: OpenLedgers): void {
  const SENT: Partial<NewRow> = { payout: { ...PAYOUT, requested: { side: 'source', amount: '50000' } } };
  const BROUGHT: Partial<NewRow> = {
    payout: { ...PAYOUT, requested: { side: 'destination', amount: '600' } },
  };

  it.each([
    ['by what it brings', SENT, BROUGHT],
    ['by what it sends', BROUGHT, SENT],
  ])(
    'a row to the same account meets one of a recent file that asks for its amount %s',
    async (_, mine, theirs) => {
      const met = await meet(open, [newRow(0, mine)], [newRow(3, { reference: 'B-1', ...theirs })]);
      expect(met).toMatchObject([
        { position: 0, kind: 'other-way', other: { batch: EARLIER.id, position: 3, row: '5' } },
      ]);
    },
  );

  it.each([
    ['in the same currency', SENT, SENT, SINCE],
    ['before the window', SENT, BROUGHT, '2026-11-19T00:00:00.000Z'],
    ['that failed', SENT, { ...BROUGHT, ...inStage('failed') }, SINCE],
  ])('meets none of the same account %s', async (_, mine, theirs, since) => {
    expect(await meet(open, [newRow(0, mine)], [newRow(0, { reference: 'B-1', ...theirs })], since)).toEqual(
      [],
    );
  });

  it('of the same reference it is met by that alone', async () => {
    const named = { reference: 'A-1' };
    const met = await meet(open, [newRow(0, { ...SENT, ...named })], [newRow(0, { ...BROUGHT, ...named })]);
    expect(met).toMatchObject([{ kind: 'same-reference' }]);
  });
}

function byPayment(open: OpenLedgers): void {
  it('a row without reference meets the same payment of another batch, with a reference or without', async () => {
    const theirs = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-2', reference: 'B-1' })];
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-2' })];
    expect(await meet(open, mine, theirs)).toMatchObject([
      { position: 0, kind: 'same-payment', other: { batch: EARLIER.id, row: '2' } },
      { position: 1, kind: 'same-payment', other: { batch: EARLIER.id, row: '3' } },
    ]);
  });

  it.each([
    ['that comes from it', 'none', `${EARLIER.id}/2`],
    ['that it comes from', `${BATCH.id}/2`, 'none'],
    ['that comes from the same', '20261101-99999999/7', '20261101-99999999/7'],
  ])(
    'a row without reference meets the one %s, also where the file was taken on another day',
    async (_, theirs, mine) => {
      for (const day of ['20261101', '20261231']) {
        const from = (place: string) => (place === 'none' ? null : place.replace(/^\d{8}/, day));
        const met = await meet(
          open,
          [newRow(0, { lineage: from(mine) })],
          [newRow(0, { lineage: from(theirs) })],
        );
        expect(met).toMatchObject([
          { position: 0, kind: 'same-row', other: { batch: EARLIER.id, row: '2' } },
        ]);
      }
      expect(await meet(open, [newRow(0)], [newRow(0)])).toEqual([]);
    },
  );

  it('a batch that was accepted at the very start of the window is inside, a moment earlier is not', async () => {
    const rows = [newRow(0, { fingerprint: 'f-1', ...inStage('paid') })];
    expect(await meet(open, rows, rows, EARLIER.acceptedAt)).toHaveLength(1);
    expect(await meet(open, rows, rows, '2026-11-18T08:00:00.001Z')).toEqual([]);
  });

  it('a row that is not paid yet is met however long ago its batch was accepted', async () => {
    const open1 = newRow(0, { fingerprint: 'f-1', ...inStage('confirmed') });
    expect(
      await meet(open, [newRow(0, { fingerprint: 'f-1' })], [open1], '2026-11-30T00:00:00.000Z'),
    ).toHaveLength(1);
  });

  it('a row that is held is in the way whatever is known of why, and of the contents of the two files', async () => {
    const held = (code: 'same_content' | 'equal_rows') => {
      const { progress } = inStage('held');
      return { progress: { ...progress, hold: newHold(code, 0) } };
    };
    const theirs = [
      newRow(0, { fingerprint: 'f-1', ...held('equal_rows') }),
      newRow(1, { fingerprint: 'f-2', ...held('same_content') }),
    ];
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-2' })];
    expect(await meet(open, mine, theirs)).toMatchObject([{ position: 0 }, { position: 1 }]);
  });

  it('two equal rows of one file without references meet each other', async () => {
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-1' })];
    expect(await meet(open, mine, [])).toMatchObject([
      { position: 0, kind: 'same-payment', other: { batch: BATCH.id, row: '3' } },
      { position: 1, kind: 'same-payment', other: { batch: BATCH.id, row: '2' } },
    ]);
  });

  it('two equal rows of one file do not meet when one of them has a reference', async () => {
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-1', reference: 'A-2' })];
    expect(await meet(open, mine, [])).toEqual([]);
  });

  it('rejected rows, which have neither, meet nothing', async () => {
    const rows = [newRow(0, { payout: null, ...inStage('rejected') })];
    expect(await meet(open, rows, rows)).toEqual([]);
  });
}

/** Around where some thousand rows end that a ledger reads or writes together, and behind gaps. */
const FAR_APART = [0, 1, 1_999, 2_000, 2_001, 49_999, 50_000, 99_999, 100_000, 250_000];

function byPlace(open: OpenLedgers): void {
  it('every row is met, wherever it stands in its file', async () => {
    const rows = FAR_APART.map((position) => newRow(position, { reference: `A-${String(position)}` }));
    const met = await meet(open, rows, rows);
    expect(met.map(({ position }) => position)).toEqual(FAR_APART);
  });

  it('of many rows each meets its own other one, by its reference and by its payment', async () => {
    const MANY = 4_000;
    const named = newRows(MANY).map((row, index) => {
      const said = String((index * 7_919) % MANY);
      return index % 2 === 0
        ? { ...row, reference: `A-${said}` }
        : newRow(row.position, { fingerprint: `f-${said}` });
    });
    const mine = named.toReversed().map((row, position) => ({ ...row, position }));
    const met = await meet(open, mine, named);
    expect(met.map(({ position, other }) => [position, other.row])).toEqual(
      mine.map(({ position, row }) => [position, row]),
    );
  });

  it('a row that was registered late is met as all others are', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, { ...EARLIER, rows: 3 }));
    const [first, second, third] = ['A-1', 'A-2', 'A-3'].map((reference, at) => newRow(at, { reference }));
    if (!first || !second || !third) throw new Error('There are three.');
    await ledger.addRows(await own(ledger, EARLIER.id), [first, third]);
    const check = { since: SINCE, judge: () => null, change: { state: 'pricing' } } as const;
    await expect(checkAll(ledger, EARLIER.id, check)).rejects.toThrow('2 are registered');
    await ledger.addRows(await own(ledger, EARLIER.id), [second]);
    await checkAll(ledger, EARLIER.id, check);
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 3 }));
    await ledger.addRows(await own(ledger, BATCH.id), [first, second, third]);
    expect(await encountersOf(ledger, SINCE)).toHaveLength(3);
  });

  it('rows that were taken out and read again are met as they stand now', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, { ...EARLIER, rows: 2 }));
    const refuse = { since: SINCE, judge: () => null, change: { state: 'pricing' } } as const;
    await ledger.addRows(await own(ledger, EARLIER.id), [newRow(0, { reference: 'A-1' })]);
    await expect(checkAll(ledger, EARLIER.id, refuse)).rejects.toThrow('1 are registered');
    await ledger.clearRows(await own(ledger, EARLIER.id));
    const again = ['A-2', 'A-3'].map((reference, position) => newRow(position, { reference }));
    await ledger.addRows(await own(ledger, EARLIER.id), again);
    await checkAll(ledger, EARLIER.id, refuse);
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 3 }));
    await ledger.addRows(
      await own(ledger, BATCH.id),
      ['A-1', 'A-2', 'A-3'].map((reference, position) => newRow(position, { reference })),
    );
    expect(await encountersOf(ledger, SINCE)).toMatchObject([{ position: 1 }, { position: 2 }]);
  });

  it.each(['---', '—', '#'])(
    'a reference without letters and digits, %s, is met as it is written',
    async (reference) => {
      const theirs = [newRow(0, { reference, ...inStage('paid') })];
      const mine = [newRow(0, { reference }), newRow(1, { reference: `${reference}${reference}` })];
      expect(await meet(open, mine, theirs)).toMatchObject([{ position: 0, kind: 'same-reference' }]);
    },
  );
}

/** Two batches that are checked at the same moment. */
function exerciseCrossCheck(open: OpenLedgers): void {
  it('of two batches that hold the same reference and are checked at once, exactly one sees the other', async () => {
    const { ledger, other } = await open();
    const runs = [
      { by: ledger, batch: EARLIER },
      { by: other, batch: BATCH },
    ];
    for (const { by, batch } of runs) {
      await by.addBatch(readBy(by, { ...batch, rows: 1 }));
      await by.addRows(await own(by, batch.id), [newRow(0, { reference: 'A-1', fingerprint: 'f-1' })]);
    }
    const judge: CrossCheck['judge'] = ({ progress }) => ({
      progress: { ...progress, stage: 'duplicate' },
      event: 'met',
    });
    const check = { since: SINCE, judge, change: { state: 'pricing' } } as const;
    await Promise.all(runs.map(({ by, batch }) => checkAll(by, batch.id, check)));
    const stages = await Promise.all(runs.map(({ batch }) => ledger.rows(batch.id, 0, 10)));
    expect(
      stages
        .flat()
        .map(({ progress }) => progress.stage)
        .sort(),
    ).toEqual(['duplicate', 'ready']);
  });

  it('of two batches that hold the same rows in opposite orders and are checked row by row in turn, each row is seen exactly once', async () => {
    const { ledger, other } = await open();
    const references = ['A-1', 'A-2', 'A-3', 'A-4'];
    const runs = [
      { by: ledger, batch: EARLIER, order: references },
      { by: other, batch: BATCH, order: references.toReversed() },
    ];
    for (const { by, batch, order } of runs) {
      await by.addBatch(readBy(by, { ...batch, rows: order.length }));
      const rows = order.map((reference, position) => newRow(position, { reference, fingerprint: 'f-1' }));
      await by.addRows(await own(by, batch.id), rows);
    }
    const judge: CrossCheck['judge'] = ({ progress }) => ({
      progress: { ...progress, stage: 'duplicate' },
      event: 'met',
    });
    const check = {
      limit: 1,
      at: null,
      since: SINCE,
      everyRow: false,
      judge,
      change: { state: 'pricing' },
    } as const;
    for (const { by, batch } of references.flatMap(() => runs))
      await by.crossCheck(await own(by, batch.id), check);
    const rows = (await Promise.all(runs.map(({ batch }) => ledger.rows(batch.id, 0, 10)))).flat();
    const ready = rows.filter(({ progress }) => progress.stage === 'ready');
    expect(ready.map(({ reference }) => reference).sort()).toEqual(references);
  });

  it('a batch that is cut short while it is checked is still met where it was checked, and goes on from there', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, { ...EARLIER, rows: 3 }));
    await ledger.addRows(await own(ledger, EARLIER.id), [
      newRow(0, { reference: 'A-1' }),
      newRow(1, { reference: 'A-2' }),
      newRow(2, { reference: 'A-3' }),
    ]);
    const seen: number[] = [];
    const judge: CrossCheck['judge'] = ({ position }) => {
      seen.push(position);
      return null;
    };
    const check = {
      limit: 1,
      at: null,
      since: SINCE,
      everyRow: true,
      judge,
      change: { state: 'pricing' },
    } as const;
    expect(await ledger.crossCheck(await own(ledger, EARLIER.id), check)).toBe(false);
    expect(await ledger.batch(EARLIER.id)).toMatchObject({ state: 'checking' });
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 2 }));
    await ledger.addRows(await own(ledger, BATCH.id), [
      newRow(0, { reference: 'A-1' }),
      newRow(1, { reference: 'A-2' }),
    ]);
    expect(await encountersOf(ledger, SINCE)).toMatchObject([{ position: 0, other: { batch: EARLIER.id } }]);
    expect(await ledger.crossCheck(await own(ledger, EARLIER.id), check)).toBe(false);
    expect(await ledger.crossCheck(await own(ledger, EARLIER.id), check)).toBe(true);
    expect(seen).toEqual([0, 1, 2]);
    expect(await ledger.batch(EARLIER.id)).toMatchObject({ state: 'pricing' });
    expect(await ledger.batch(EARLIER.id)).toMatchObject({ checked: { to: null } });
  });

  it('the rows of a batch that is being checked are neither registered anew nor taken out', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 2 }));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(2));
    const check = { since: SINCE, judge: () => null, change: { state: 'pricing' } } as const;
    await ledger.crossCheck(await own(ledger, BATCH.id), { limit: 1, at: null, everyRow: false, ...check });
    await expect(ledger.clearRows(await own(ledger, BATCH.id))).rejects.toThrow('not to be registered');
    await expect(ledger.addRows(await own(ledger, BATCH.id), [newRow(2)])).rejects.toThrow(
      'not to be registered',
    );
  });

  it('a batch of which a row is missing is not checked, and stays where it is read anew', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 3 }));
    await ledger.addRows(await own(ledger, BATCH.id), [newRow(0), newRow(2)]);
    const check = { limit: 1, since: SINCE, judge: () => null, change: { state: 'pricing' } } as const;
    await expect(
      ledger.crossCheck(await own(ledger, BATCH.id), { at: null, everyRow: false, ...check }),
    ).rejects.toThrow('has 3 rows, and 2 are registered');
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'checking' });
    await ledger.addRows(await own(ledger, BATCH.id), [newRow(1)]);
    await checkAll(ledger, BATCH.id, check);
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'pricing' });
  });

  it('a batch that lost a row while it was checked is not priced', async () => {
    const { ledger } = await open();
    await ledger.addBatch({ ...readBy(ledger, { ...BATCH, rows: 2 }), state: 'checking' });
    const check = { limit: 1, since: SINCE, judge: () => null, change: { state: 'pricing' } } as const;
    await expect(
      ledger.crossCheck(await own(ledger, BATCH.id), { at: null, everyRow: false, ...check }),
    ).rejects.toThrow('has 2 rows, and 0 are registered');
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'checking' });
  });

  it('of two batches of the same content that are checked in turn, only the one that began later sees the other', async () => {
    const { ledger, other } = await open();
    const content = { content: { fingerprint: 'content-1', requested: [] } };
    const runs = [
      { by: ledger, batch: EARLIER },
      { by: other, batch: BATCH },
    ];
    const seen: (string | undefined)[] = [];
    const judge: CrossCheck['judge'] = ({ batch }, { sameContent }) => {
      if (sameContent !== null) seen.push(`${batch} sees ${sameContent.id}`);
      return null;
    };
    for (const { by, batch } of runs) {
      await by.addBatch({ ...readBy(by, batch), ...content, rows: 2 });
      await by.addRows(await own(by, batch.id), newRows(2));
    }
    const check = {
      limit: 1,
      at: null,
      since: SINCE,
      everyRow: true,
      judge,
      change: { state: 'pricing' },
    } as const;
    for (const { by, batch } of [...runs, ...runs]) await by.crossCheck(await own(by, batch.id), check);
    expect(seen).toEqual(newRows(2).map(() => `${BATCH.id} sees ${EARLIER.id}`));
  });

  it('the same content is shown as the oldest batch that has it and was checked, a refused one left out', async () => {
    const { ledger } = await open();
    const content = { content: { fingerprint: 'content-1', requested: [] } };
    const late = batchNumber(2, { ...content, acceptedAt: '2026-11-19T08:00:00.000Z', state: 'sending' });
    const early = batchNumber(3, { ...content, acceptedAt: '2026-11-17T08:00:00.000Z', state: 'closed' });
    const refused = batchNumber(4, { ...content, acceptedAt: '2026-11-16T08:00:00.000Z', state: 'refused' });
    const read = batchNumber(5, { ...content, acceptedAt: '2026-11-15T08:00:00.000Z', state: 'checking' });
    const different = batchNumber(6, {
      content: { fingerprint: 'content-2', requested: [] },
      state: 'closed',
    });
    for (const batch of [late, early, refused, read, different]) await ledger.addBatch(batch);
    await ledger.addBatch({ ...readBy(ledger), ...content, rows: 1 });
    await ledger.addRows(await own(ledger, BATCH.id), newRows(1));
    const seen: (string | undefined)[] = [];
    const judge: CrossCheck['judge'] = (_row, { sameContent }) => {
      seen.push(sameContent?.id);
      return null;
    };
    await checkAll(ledger, BATCH.id, { since: SINCE, judge, change: { state: 'pricing' } });
    expect(seen).toEqual([early.id]);
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'pricing' });
  });
}
