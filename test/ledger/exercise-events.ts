// What the history of a ledger tells: every commit behind a place in it, of a row, of a batch or of everything, and what each event changed, as codes.
import { expect, it } from 'vitest';

import { type EventRecord, FROM_END, FROM_START, type Seal, toldOf } from '../../src/ledger/history.ts';
import { waitFor } from '../../src/ledger/wait.ts';
import {
  BATCH,
  BY_MARIE,
  PAUSED,
  RESUMED,
  batchNumber,
  HELD,
  movedTo,
  newRow,
  newRows,
  readBy,
} from './records.ts';
import { EVERYTHING, type OpenLedgers, withRows } from './two-ledgers.ts';
import { dueRows, own, record } from './own.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';

const WORDS = { en: 'Paused.', fr: 'En pause.', es: 'En pausa.' };

const told = (events: readonly EventRecord[]) =>
  events.flatMap((event) => toldOf(event).map((each) => [event.row, each] as const));

export function exerciseEvents(open: OpenLedgers): void {
  it('a page goes on where the last one ended, and misses nothing that was committed since', async () => {
    const { ledger, other } = await withRows(open, newRows(3));
    const first = await other.history.events(null, FROM_START, 2);
    expect(first.events.map(({ event, position }) => [event, position])).toEqual([
      ['batch announced', null],
      ['registered', 0],
    ]);
    await ledger.addBatch(batchNumber(1));
    const rest = await other.history.events(null, first.next, 10);
    expect(rest.events.map(({ batch, position }) => [batch, position])).toEqual([
      [BATCH.id, 1],
      [BATCH.id, 2],
      [batchNumber(1).id, null],
    ]);
    expect(await other.history.events(null, rest.next, 10)).toEqual({ events: [], next: rest.next });
  });

  it('from the end only what comes next is told', async () => {
    const { ledger, other } = await withRows(open, newRows(3));
    const { events, next } = await other.history.events(null, FROM_END, 10);
    expect(events).toEqual([]);
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    expect(told((await other.history.events(null, next, 10)).events)).toEqual([
      [null, { code: 'batch_state', state: 'pricing' }],
    ]);
  });

  it('a reader who stops within a commit misses nothing of it, however many rows it tells of', async () => {
    const { other } = await withRows(open, newRows(2_500));
    const seen: (number | null)[] = [];
    for (let next = FROM_START; ;) {
      const page = await other.history.events(null, next, 700);
      seen.push(...page.events.map(({ position }) => position));
      if (page.events.length === 0) break;
      next = page.next;
    }
    expect(seen).toEqual([null, ...newRows(2_500).map(({ position }) => position)]);
  });

  it('tells of each batch where its last commit stands, and holds that as long as nobody takes it out', async () => {
    const { ledger, other } = await withRows(open, newRows(3));
    const seals = new Map<string, Seal>();
    const toldOf: string[] = [];
    ledger.history.tellOf((batch, seal) => {
      seals.set(batch, seal);
      toldOf.push(batch);
    });
    await ledger.addBatch(batchNumber(1));
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    const [row] = await dueRows(ledger, EVERYTHING);
    if (row === undefined) throw new Error('no row');
    await record(ledger, row, movedTo('created', row));
    expect(new Set(toldOf)).toEqual(new Set([BATCH.id, batchNumber(1).id]));
    expect(seals.get(BATCH.id)?.to).toBe(row.position);
    expect(seals.get(batchNumber(1).id)?.to).toBeNull();
    for (const [batch, seal] of seals) {
      expect(await other.history.holds(batch, seal)).toBe(true);
      expect(await other.history.holds(batch, { ...seal, hash: `${seal.hash}x` })).toBe(false);
    }
    expect(await other.history.holds(batchNumber(1).id, seals.get(BATCH.id) as Seal)).toBe(false);
  });

  it('a place that is not of this ledger counts as its start', async () => {
    const { other } = await withRows(open, newRows(1));
    for (const place of ['999999', 'elsewhere', '-1', ''])
      expect((await other.history.events(null, place, 10)).events).toHaveLength(2);
  });

  it('the story of one row is told apart from that of its batch and of its neighbours', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    const [row] = await dueRows(ledger, { ...EVERYTHING, limit: 1 });
    if (row === undefined) throw new Error('no row');
    await record(ledger, row, movedTo('quoted', row, { event: 'advanced to quoted' }));
    const story = await other.history.events({ batch: BATCH.id, position: 0 }, FROM_START, 10);
    expect(told(story.events)).toEqual([
      ['2', { code: 'row_registered', stage: 'ready' }],
      ['2', { code: 'row_stage', stage: 'quoted' }],
    ]);
    const own = await other.history.events({ batch: BATCH.id, position: null }, FROM_START, 10);
    expect(told(own.events)).toEqual([[null, { code: 'batch_announced' }]]);
  });

  it('each row has the name that its own batch gives it, also where two batches count alike', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    await ledger.addBatch(readBy(ledger, batchNumber(1)));
    const second = await own(ledger, batchNumber(1).id);
    await ledger.addRows(second, [newRow(0, { row: 'Sheet2!2' }), newRow(1, { row: 'Sheet2!3' })]);
    const { events } = await other.history.events(null, FROM_START, 10);
    const named = events.filter(({ position }) => position !== null);
    expect(named.map(({ batch, row }) => [batch, row])).toEqual([
      [BATCH.id, '2'],
      [BATCH.id, '3'],
      [batchNumber(1).id, 'Sheet2!2'],
      [batchNumber(1).id, 'Sheet2!3'],
    ]);
  });

  it('says what changed of a batch, each thing by its code', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const { next } = await other.history.events(null, FROM_END, 1);
    const decision = { about: 'limits', by: 'Marie', reason: 'Agreed', at: BATCH.acceptedAt } as const;
    await changeBatch(ledger, await own(ledger, BATCH.id), { ...PAUSED, wait: waitFor('stop-file', WORDS) });
    await changeBatch(ledger, await own(ledger, BATCH.id), { ...RESUMED, wait: null });
    await changeBatch(ledger, await own(ledger, BATCH.id), { decisions: [decision] });
    await ledger.takeOver(await own(ledger, BATCH.id));
    await changeBatch(ledger, await own(ledger, BATCH.id), { epoch: 4 });
    expect(told((await other.history.events(null, next, 10)).events).map(([, each]) => each)).toEqual([
      { code: 'batch_paused', ...BY_MARIE },
      { code: 'batch_waits', waitingFor: 'operator' },
      { code: 'batch_resumed', by: 'Marie Dupont' },
      { code: 'batch_waits', waitingFor: null },
      { code: 'decided', about: 'limits', by: 'Marie', reason: 'Agreed' },
      { code: 'batch_taken_over' },
      { code: 'batch_changed' },
    ]);
  });

  it('says why a row is held, and who let it go for which reason', async () => {
    const { ledger, other } = await withRows(open, [newRow(0)]);
    const { next } = await other.history.events(null, FROM_END, 1);
    const [row] = await dueRows(ledger, EVERYTHING);
    if (row === undefined) throw new Error('no row');
    await record(ledger, row, { ...movedTo('ready', row), progress: HELD, event: 'held: equal_rows' });
    const held = { ...row, version: row.version + 1 };
    await record(ledger, held, movedTo('ready', row, { event: 'released by Marie Ngo: two: as agreed' }));
    expect(told((await other.history.events(null, next, 10)).events).map(([, each]) => each)).toEqual([
      { code: 'row_held', stage: 'held', hold: 'equal_rows' },
      { code: 'row_released', stage: 'ready', by: 'Marie Ngo', reason: 'two: as agreed' },
    ]);
  });
}
