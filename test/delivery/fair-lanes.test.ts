// Batches that are paid at once share the lanes: a large one does not delay a small one.
import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { FairLanes } from '../../src/delivery/fair-lanes.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';

/** Work that ends when it is told to, and the order in which it began. */
function desk(most: () => number) {
  const lanes = new FairLanes(most);
  const begun: string[] = [];
  const under: { readonly batch: string; readonly end: () => void }[] = [];
  const ask = (batch: string, rows: number, mostOfBatch = Infinity, folder = ''): void => {
    for (let row = 0; row < rows; row++)
      void lanes.run({ batch, folder }, mostOfBatch, () => {
        begun.push(batch);
        return new Promise<void>((end) => under.push({ batch, end }));
      });
  };
  /** Ends the row that has been under way for the longest, and lets who waits begin. */
  const endOne = async (): Promise<void> => {
    under.shift()?.end();
    await new Promise(setImmediate);
  };
  const counts = () =>
    Object.fromEntries(
      Map.groupBy(under, ({ batch }) => batch)
        .entries()
        .map(([batch, rows]) => [batch, rows.length]),
    );
  return { lanes, ask, endOne, begun, under, counts };
}

const settled = () => new Promise(setImmediate);

describe('rows of several batches', () => {
  it('are never more than the service bears, and one batch alone has all of them', async () => {
    const { ask, under } = desk(() => 4);
    ask('large', 10);
    await settled();
    expect(under).toHaveLength(4);
  });

  it('of a small batch come next, whatever the large one has waiting', async () => {
    const { ask, endOne, begun } = desk(() => 4);
    ask('large', 100);
    ask('small', 3);
    await settled();
    for (let ended = 0; ended < 5; ended++) await endOne();
    // Two of four lanes are its share: the third comes when the first of its own ends.
    expect(begun.slice(4)).toEqual(['small', 'small', 'large', 'large', 'small']);
  });

  it('of many batches are shared out evenly', async () => {
    const { ask, endOne, counts } = desk(() => 8);
    for (const batch of ['a', 'b', 'c', 'd']) ask(batch, 50);
    await settled();
    for (let ended = 0; ended < 40; ended++) await endOne();
    expect(counts()).toEqual({ a: 2, b: 2, c: 2, d: 2 });
  });

  it('wait no longer than one row of each other batch when there are more batches than lanes', async () => {
    const { ask, endOne, begun } = desk(() => 2);
    for (let batch = 0; batch < 16; batch++) ask(`large ${String(batch)}`, 1_000);
    await settled();
    ask('small', 1);
    await settled();
    for (let ended = 0; ended < 17; ended++) await endOne();
    expect(begun).toContain('small');
  });

  it('are as few as the service bears at that moment, and more again when it bears more', async () => {
    let most = 4;
    const { ask, endOne, under } = desk(() => most);
    ask('one', 50);
    await settled();
    most = 1;
    for (let ended = 0; ended < 4; ended++) await endOne();
    expect(under).toHaveLength(1);
    most = 3;
    await endOne();
    expect(under).toHaveLength(3);
  });

  it('of a folder with many batches leave half of the lanes to the one of another folder', async () => {
    const { lanes, ask, endOne, counts } = desk(() => 8);
    for (const batch of ['a', 'b', 'c', 'd']) ask(batch, 50, Infinity, 'many');
    await settled();
    ask('alone', 50, Infinity, 'one');
    for (let ended = 0; ended < 40; ended++) await endOne();
    expect(counts()).toEqual({ a: 1, b: 1, c: 1, d: 1, alone: 4 });
    const shares = ['a', 'alone'].map((batch) =>
      lanes.share({ batch, folder: batch === 'a' ? 'many' : 'one' }),
    );
    expect(shares).toEqual([1, 4]);
  });

  it('of one folder have every second lane that falls free, also where there are fewer lanes than batches', async () => {
    const { ask, endOne, begun } = desk(() => 1);
    for (const batch of ['a', 'b', 'c', 'd']) ask(batch, 50, Infinity, 'many');
    ask('alone', 50, Infinity, 'one');
    await settled();
    for (let ended = 0; ended < 20; ended++) await endOne();
    expect(begun.filter((batch) => batch === 'alone').length).toBeGreaterThanOrEqual(10);
  });

  it('of a folder take all lanes that no other folder can use', async () => {
    const { ask, endOne, counts } = desk(() => 8);
    for (const batch of ['a', 'b']) ask(batch, 50, Infinity, 'many');
    ask('alone', 5, 1, 'one');
    await settled();
    for (let ended = 0; ended < 16; ended++) await endOne();
    expect(Object.values(counts()).toSorted()).toEqual([1, 3, 4]);
  });

  it('are bounded for each batch as it asks', async () => {
    const { ask, counts } = desk(() => 8);
    ask('one', 10, 2);
    ask('two', 10);
    await settled();
    expect(counts()).toEqual({ one: 2, two: 6 });
  });

  it('free their lane when their work fails', async () => {
    const lanes = new FairLanes(() => 1);
    await expect(
      lanes.run({ batch: 'one', folder: '' }, 1, () => Promise.reject(new Error('disk'))),
    ).rejects.toThrow('disk');
    expect(await lanes.run({ batch: 'two', folder: '' }, 1, () => Promise.resolve('begun'))).toBe('begun');
    expect(lanes.share({ batch: 'three', folder: '' })).toBe(1);
  });
});

describe('a row that waits for its record', () => {
  it('leaves its lane to another, and what it waits for is done as soon as a lane would stay unused', async () => {
    const { lanes, ask, under } = desk(() => 2);
    const written: string[] = [];
    const write = (): number => written.push('group');
    ask('large', 3);
    await settled();
    lanes.aside('large', write);
    await settled();
    expect([under.length, written]).toEqual([3, []]);
    lanes.aside('large', write);
    expect(written).toEqual(['group']);
  });

  it('goes on at once, and the next to begin waits for both', async () => {
    const { lanes, ask, endOne, under } = desk(() => 2);
    ask('large', 5);
    await settled();
    lanes.aside('large', () => undefined);
    await settled();
    lanes.back('large');
    expect(lanes.underWay).toBe(3);
    await endOne();
    expect([under.length, lanes.underWay]).toEqual([2, 2]);
    await endOne();
    expect(lanes.underWay).toBe(2);
  });

  it('is kept aside by nobody while the service has fewer lanes than it could have', async () => {
    const lanes = new FairLanes(
      () => 1,
      () => 4,
    );
    const written: string[] = [];
    void lanes.run({ batch: 'large', folder: '' }, 4, () => new Promise(() => undefined));
    void lanes.run({ batch: 'large', folder: '' }, 4, () => new Promise(() => undefined));
    await settled();
    lanes.aside('large', () => written.push('group'));
    expect([written, lanes.underWay]).toEqual([['group'], 1]);
  });

  it('is kept aside by nobody where its process has lent all lanes to others', async () => {
    const rateControl = new RateControl(systemClock, { lanes: 4, perSecond: Infinity });
    const written: string[] = [];
    const { promise, resolve: end } = Promise.withResolvers<undefined>();
    for (const row of ['A-1', 'A-2'])
      void rateControl.rows.run({ batch: 'a', folder: '' }, 4, async () => {
        await settled();
        if (row === 'A-1') rateControl.rows.aside('a', () => written.push(row));
        await promise;
        if (row === 'A-1') rateControl.rows.back('a');
      });
    rateControl.limit({ lanes: 0, perSecond: Infinity });
    await settled();
    await settled();
    expect(written).toEqual(['A-1']);
    end(undefined);
  });
});
