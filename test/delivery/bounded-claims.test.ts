// However long a file is, only a few of its rows are taken up together to be sent: the others wait on disk, with the data of their receivers.
// Those that are only followed are looked at a thousand at a time.
import { describe, expect, it } from 'vitest';

import type { Ledger } from '../../src/ledger/ledger.ts';
import { deliver, stagesOf } from './deliver.ts';

describe('rows that are claimed', () => {
  it.each([1, 4, 64])('to be sent with %i lanes are never more than twice as many', async (concurrency) => {
    const rows = 3 * concurrency + 20;
    const delivery = await deliver({ payouts: Array.from({ length: rows }, () => ({})) });
    const watched = watchClaims(delivery.ledger);
    expect(await delivery.run({ concurrency, ledger: watched.ledger })).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    expect(watched.most()).toBeGreaterThanOrEqual(Math.min(rows, concurrency));
    expect(watched.most()).toBeLessThanOrEqual(2 * concurrency);
    expect(watched.mostTogether()).toBeLessThanOrEqual(1_000);
  });
});

/** The same ledger, which tells how many rows were claimed together. */
function watchClaims(ledger: Ledger): {
  readonly ledger: Ledger;
  readonly most: () => number;
  readonly mostTogether: () => number;
} {
  const claimed = new Set<number>();
  let most = 0;
  let mostTogether = 0;
  const watched: Pick<Ledger, 'claim' | 'record' | 'unclaim'> = {
    claim: async (request) => {
      const rows = await ledger.claim(request);
      mostTogether = Math.max(mostTogether, rows.length);
      if (request.stages.includes('confirmed')) return rows;
      for (const { position } of rows) claimed.add(position);
      most = Math.max(most, claimed.size);
      return rows;
    },
    record: async (row, change) => {
      const result = await ledger.record(row, change);
      if (!change.keepClaim) claimed.delete(row.position);
      return result;
    },
    unclaim: async (row) => {
      await ledger.unclaim(row);
      claimed.delete(row.position);
    },
  };
  return { ledger: instead(ledger, watched), most: () => most, mostTogether: () => mostTogether };
}

/** Calls that are not watched go to the ledger itself. */
function instead(ledger: Ledger, watched: Partial<Ledger>): Ledger {
  return new Proxy(ledger, {
    get: (target, name) => {
      const own: unknown = Reflect.get(watched, name);
      const value: unknown = own ?? Reflect.get(target, name, target);
      return value instanceof Function
        ? (...given: readonly unknown[]): unknown => Reflect.apply(value, target, given)
        : value;
    },
  });
}
