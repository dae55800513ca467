// The runs of a ledger: which are alive, and that one which was found dead is ended for good, with all that it held.
import { expect, it } from 'vitest';

import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import { type Parted, PARTED_MS } from '../../src/ledger/runs.ts';
import { BATCH, movedTo, newRows } from './records.ts';
import { EVERYTHING, NOW_MS, onlyOne, type OpenLedgers, withRows } from './two-ledgers.ts';
import { dueRows, record } from './own.ts';

const SINCE = '2026-11-20T08:00:00.000Z';

const NOTICE = {
  topic: 'a',
  version: '1',
  channel: 'hook',
  message: '{}',
} as const;

async function namesOf({ runs }: Ledger): Promise<readonly string[]> {
  return (await runs.alive()).map(({ run }) => run);
}

/** What a run knows of another once it has looked: of one that it never heard of it cannot say at once. */
async function isElsewhere({ runs }: Ledger, { run }: Ledger): Promise<boolean> {
  runs.isElsewhere(run);
  await runs.alive();
  return runs.isElsewhere(run);
}

export function exerciseRuns(open: OpenLedgers): void {
  it('every run has an id of its own', async () => {
    const { ledger, other } = await open();
    expect(ledger.run).not.toBe(other.run);
  });

  it('a run is alive from its first write on, and whoever only reads is none', async () => {
    const { ledger, other } = await open();
    await ledger.batches();
    expect(await ledger.runs.alive()).toEqual([]);
    expect(await isElsewhere(other, ledger)).toBe(false);
    await ledger.addBatch(BATCH);
    expect(await namesOf(other)).toEqual([ledger.run]);
    expect([await isElsewhere(other, ledger), ledger.runs.isElsewhere(ledger.run)]).toEqual([true, false]);
  });

  it('a run says of itself what it likes, and takes it back', async () => {
    const { ledger, other } = await open();
    await ledger.runs.tell('watches');
    expect(await other.runs.alive()).toMatchObject([{ run: ledger.run, note: 'watches' }]);
    await ledger.runs.tell(null);
    expect(await other.runs.alive()).toMatchObject([{ run: ledger.run, note: null }]);
  });

  it('runs confer: each is given what the living others said last, and none misses another', async () => {
    const { ledger, other, kill } = await open();
    const heard: string[][] = [];
    const say = (text: string) => (others: ReadonlyMap<string, string>) => {
      heard.push([...others.values()]);
      return text;
    };
    await ledger.runs.confer(say('a'));
    await other.runs.confer(say('b'));
    await ledger.runs.confer(say('c'));
    await other.runs.confer(say('d'));
    expect(heard).toEqual([[], ['a'], ['b'], ['c']]);
    // Of two that confer at the same moment, one hears the other.
    await Promise.all([ledger.runs.confer(say('e')), other.runs.confer(say('f'))]);
    expect(heard.slice(4).filter(([text]) => text === 'e' || text === 'f')).toHaveLength(1);
    await kill();
    await other.runs.confer(say('g'));
    expect(heard.at(-1)).toEqual([]);
  });

  it('what a run said last is told apart once it is dead, with how long ago it was ended', async () => {
    const { ledger, other, kill } = await open();
    const heard: (readonly [readonly string[], readonly Parted[]])[] = [];
    const confer = (): Promise<void> =>
      other.runs.confer((others, parted) => {
        heard.push([[...others.values()], [...parted.values()]]);
        return '';
      });
    await ledger.runs.confer(() => 'a');
    await confer();
    await kill();
    await confer();
    await other.runs.endDead();
    await confer();
    expect(heard.slice(0, 2)).toEqual([
      [['a'], []],
      [[], [{ said: 'a', agoMs: 0 }]],
    ]);
    const [others, [gone, ...more] = []] = heard.at(-1) ?? [];
    expect([others, more, gone?.said]).toEqual([[], [], 'a']);
    expect(gone?.agoMs).toBeGreaterThanOrEqual(0);
    expect(gone?.agoMs).toBeLessThan(PARTED_MS);
  });

  it('a run that was given up may call nobody, once it knows', async () => {
    const { ledger, other, kill } = await open();
    await ledger.runs.tell(null);
    expect(ledger.runs.mayCall()).toBe(true);
    await kill();
    await other.runs.endDead();
    await expect(ledger.runs.tell(null)).rejects.toThrow(LedgerUnusable);
    expect([ledger.runs.mayCall(), other.runs.mayCall()]).toEqual([false, true]);
  });

  it('a run that is dead works nowhere, and is ended once somebody looks for the dead; the living are left', async () => {
    const { ledger, other, kill } = await open();
    await ledger.addBatch(BATCH);
    await other.runs.endDead();
    // Two runs that began in the same millisecond come in the order of their names.
    expect(new Set(await namesOf(other))).toEqual(new Set([ledger.run, other.run]));
    await kill();
    await other.runs.endDead();
    expect(await isElsewhere(other, ledger)).toBe(false);
    expect(await namesOf(other)).toEqual([other.run]);
  });

  it('a run that was ended writes nothing any more, whatever it is, and knows it', async () => {
    const { ledger, other, kill } = await withRows(open, newRows(2));
    const row = onlyOne(await dueRows(ledger, { ...EVERYTHING, limit: 1 }));
    const held = (await ledger.batch(BATCH.id)) ?? BATCH;
    await kill();
    await other.runs.endDead();
    const writes = [
      () => record(ledger, row, movedTo('quoted', row)),
      () => changeBatch(ledger, held, { epoch: 9 }),
      () => ledger.addRows(held, newRows(1)),
      () => ledger.runs.tell('alive'),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow(LedgerUnusable);
    expect(ledger.runs.ended.aborted).toBe(true);
    expect(other.runs.ended.aborted).toBe(false);
    expect(await other.batch(BATCH.id)).toEqual(held);
    expect((await other.rows(BATCH.id, 0, 9)).map(({ version }) => version)).toEqual([0, 0]);
    expect(await namesOf(other)).toEqual([other.run]);
  });

  it('all that a dead run held is given back in the commit that ends it', async () => {
    const { ledger, other, kill } = await open();
    await ledger.notices.add(NOTICE, NOW_MS, 0);
    await ledger.notices.claim('hook', NOW_MS, 60_000, 9);
    await ledger.exchange.hold('erp', SINCE);
    await kill();
    await other.runs.endDead();
    expect(await other.notices.claim('hook', NOW_MS, 60_000, 9)).toMatchObject([NOTICE]);
    expect(await other.exchange.account('erp')).toMatchObject({ holder: null });
  });
}
