// When a write is told of: behind the sync of its commit, and never where that failed.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { GroupCommit } from '../../src/ledger/sqlite/group-commit.ts';

/** A ledger of numbers on a disk whose syncs end when the test says so. */
function numbersOnDisk() {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE numbers (number INTEGER)');
  const syncs: { readonly end: () => void; readonly fail: (error: unknown) => void }[] = [];
  let commits = 0;
  const nothing = (): void => undefined;
  const synced: number[] = [];
  const steps = {
    begin: nothing,
    end: nothing,
    committed: () => void (commits += 1),
    synced: () => synced.push(commits),
  };
  const group = new GroupCommit(database, steps, {
    sync: () => new Promise((end, fail) => syncs.push({ end, fail })),
    close: nothing,
  });
  const told: number[] = [];
  const insert = (number: number) => () => {
    database.prepare('INSERT INTO numbers VALUES (?)').run(number);
    return number;
  };
  const tell = (number: number) => told.push(number);
  return {
    told,
    /** How many commits each sync has brought to the disk. */
    synced,
    syncs,
    put: (number: number) => group.run(insert(number)).then(tell),
    putLazily: (number: number) => group.runLazily(insert(number)).then(tell),
    sharing: (order: number) => {
      const calls: (readonly number[])[] = [];
      const write = group.sharing({ order, isLazy: true }, (numbers: readonly number[]) => {
        calls.push(numbers);
        if (numbers.includes(0)) throw new Error('No zero.');
        return numbers.map((number) => insert(number)());
      });
      return { write, calls };
    },
    commits: () => commits,
    stored: () =>
      database
        .prepare('SELECT number FROM numbers')
        .all()
        .map(({ number }) => number),
  };
}

/** Until all that is not held back has happened. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}

describe('a write on a disk', () => {
  it('is told once the sync behind its commit has ended', async () => {
    const { put, putLazily, told, syncs, synced, stored } = numbersOnDisk();
    const written = put(1);
    await quiet();
    expect({ told, stored: stored(), syncs: syncs.length }).toEqual({ told: [], stored: [1], syncs: 1 });
    syncs[0]?.end();
    expect(synced).toEqual([]);
    await written;
    expect({ told, synced }).toEqual({ told: [1], synced: [1] });
    // One that nobody waits for is told of with the next that is.
    await putLazily(2);
    expect(synced).toEqual([1]);
    const third = put(3);
    await quiet();
    syncs[1]?.end();
    await third;
    expect(synced).toEqual([1, 3]);
  });

  it('waits for the next commit while the disk is busy, together with all that come meanwhile', async () => {
    const { put, told, syncs, commits, stored } = numbersOnDisk();
    void put(1);
    await quiet();
    void put(2);
    await quiet();
    void put(3);
    await quiet();
    expect({ stored: stored(), commits: commits() }).toEqual({ stored: [1], commits: 1 });
    syncs[0]?.end();
    await quiet();
    expect({ told, stored: stored(), commits: commits() }).toEqual({
      told: [1],
      stored: [1, 2, 3],
      commits: 2,
    });
    syncs[1]?.end();
    await quiet();
    expect(told).toEqual([1, 2, 3]);
  });

  it('is told at once where nobody relies on it yet', async () => {
    const { putLazily, told, syncs } = numbersOnDisk();
    await putLazily(1);
    expect({ told, syncs: syncs.length }).toEqual({ told: [1], syncs: 0 });
  });

  it('fails with the sync, and so does every later one: what the disk forgot, nobody knows', async () => {
    const { put, putLazily, syncs, stored } = numbersOnDisk();
    const first = put(1);
    await quiet();
    const second = put(2);
    syncs[0]?.fail(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
    await expect(first).rejects.toThrow(LedgerUnusable);
    await expect(second).rejects.toThrow('The disk under the ledger fails. Nothing more is sent.');
    await expect(putLazily(3)).rejects.toThrow(LedgerUnusable);
    expect(stored()).toEqual([1]);
  });

  it('says so when the disk was full', async () => {
    const { put, syncs } = numbersOnDisk();
    const written = put(1);
    await quiet();
    syncs[0]?.fail(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
    await expect(written).rejects.toThrow('The disk is full. Make room');
  });
});

describe('writes that wait at the same moment', () => {
  it('are made by one call a kind, of a lower order first, and none overtakes one that is made by itself', async () => {
    const { sharing, putLazily, commits, stored } = numbersOnDisk();
    const [late, early] = [sharing(2), sharing(1)];
    const all = [late.write(1), early.write(2), late.write(3), putLazily(4), early.write(5), late.write(6)];
    expect(await Promise.all(all)).toEqual([1, 2, 3, 1, 5, 6]);
    expect({ stored: stored(), commits: commits() }).toEqual({ stored: [2, 1, 3, 4, 5, 6], commits: 1 });
    expect([late.calls, early.calls]).toEqual([
      [[1, 3], [6]],
      [[2], [5]],
    ]);
  });

  it('each have their own end: one that fails takes none with it', async () => {
    const { sharing, stored } = numbersOnDisk();
    const { write } = sharing(1);
    const ends = await Promise.allSettled([write(1), write(0), write(2)]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual([1, 2]);
  });
});
