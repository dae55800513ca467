// One reading of a batch serves several answers: each gets every page in its order, none runs ahead of the others, and when one fails all end.
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { readInStep } from '../../src/results/answer-table.ts';

const PAGES = Array.from({ length: 20 }, (_, page) => [page * 2, page * 2 + 1]);

/** Counts the pages that were asked for. */
function source(fault?: Error) {
  const asked = { pages: 0 };
  async function* pages() {
    for (const page of PAGES) {
      await turn();
      asked.pages += 1;
      if (fault !== undefined && asked.pages === 5) throw fault;
      yield page;
    }
  }
  return { asked, pages: pages() };
}

async function drain(pages: AsyncIterable<readonly number[]>): Promise<void> {
  for await (const page of pages) expect(page).toHaveLength(2);
}

describe('readers of one source', () => {
  it('each get every page in its order', async () => {
    const got: number[][] = [[], []];
    const reader = (index: number) => async (pages: AsyncIterable<readonly number[]>) => {
      for await (const page of pages) got[index]?.push(...page);
    };
    await readInStep(source().pages, [reader(0), reader(1)]);
    expect(got).toEqual([PAGES.flat(), PAGES.flat()]);
  });

  it('go in step: while one stands still, the other is only a few pages ahead', async () => {
    const { asked, pages } = source();
    let ahead = 0;
    const slow = async (own: AsyncIterable<readonly number[]>) => {
      for await (const page of own) {
        if (page[0] === 0) for (let turns = 0; turns < 200; turns += 1) await turn();
        if (page[0] === 0) ahead = asked.pages;
      }
    };
    await readInStep(pages, [slow, drain]);
    expect(ahead).toBeLessThan(8);
    expect(asked.pages).toBe(PAGES.length);
  });

  it('all end with the error of the source', async () => {
    const fault = new Error('The ledger is gone.');
    await expect(readInStep(source(fault).pages, [drain, drain])).rejects.toBe(fault);
  });

  it.each(['before it reads anything', 'in the middle'])(
    'all end with the error of one that fails %s',
    async (when) => {
      const fault = new Error('The disk is full.');
      const failing = async (own: AsyncIterable<readonly number[]>) => {
        if (when === 'before it reads anything') throw fault;
        for await (const page of own) if (page[0] === 6) throw fault;
      };
      let ended = 0;
      const other = (own: AsyncIterable<readonly number[]>) => drain(own).finally(() => (ended += 1));
      await expect(readInStep(source().pages, [failing, other])).rejects.toBe(fault);
      expect(ended).toBe(1);
    },
  );
});
