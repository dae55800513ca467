// While a batch is compared with all others, some rows a commit, others go on; whatever interrupts it or comes in between, each row is paid once.
import { setImmediate as turn } from 'node:timers/promises';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { line, lineTo, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { PAYING } from '../../../src/ledger/batch-states.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20 });
});
afterEach(() => desk.close());

const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

/** Checks one row a commit, and dies before the commit that would be one too many. */
function rowByRow(paydrop: Paydrop, commits = Infinity): Paydrop {
  let left = commits;
  const crossCheck: Ledger['crossCheck'] = (batch, check) => {
    left -= 1;
    if (left < 0) return Promise.reject(new Error('killed'));
    return paydrop.ledger.crossCheck(batch, { ...check, limit: 1 });
  };
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      if (name === 'crossCheck') return crossCheck;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...paydrop, ledger };
}

const rowsOf = (...references: readonly string[]): readonly string[] =>
  references.map((reference) => lineTo(reference, reference, '100'));

it('a check that is cut short goes on behind its last row, and no row that another file brought meanwhile is paid twice', async () => {
  const first = await desk.file('first.csv', rowsOf('A-1', 'A-2', 'A-3'));
  await expect(processBatch(rowByRow(await desk.open(SKIP_ROWS), 1), first, PATIENT)).rejects.toThrow(
    'killed',
  );
  const second = await desk.file('second.csv', rowsOf('A-2', 'A-1'));
  const met = await processBatch(await desk.open(SKIP_ROWS), second, PATIENT);
  expect(met.summary.outcomes).toMatchObject({ paid: 1, duplicate: 1 });
  const [resumed] = (await resumeBatches(await desk.open(SKIP_ROWS), null, PATIENT)) ?? [];
  expect(resumed?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 2, duplicate: 1 } });
  expect(await transfersOf(await desk.open())).toHaveLength(3);
});

it.each(['with references', 'without references'])(
  'of the same rows %s in two files that are taken at the same moment, each is paid at most once',
  async (kind) => {
    const rows = [line('A-1', '100'), line('A-2', '200'), line('A-3', '300'), line('A-4', '400')].map(
      (row) => (kind === 'with references' ? row : row.replace(/^A-\d/, '')),
    );
    const files = [await desk.file('up.csv', rows), await desk.file('down.csv', rows.toReversed())];
    const results = await Promise.all(
      files.map(async (file) =>
        processBatch(rowByRow(await desk.open(SKIP_ROWS)), file, { ...PATIENT, waitMs: 2_000 }),
      ),
    );
    const outcomes = results.map(({ summary }) => summary.outcomes);
    // How many have reached their end by then, the machine decides.
    expect(outcomes.reduce((sum, { paid, submitted }) => sum + paid + submitted, 0)).toBe(4);
    expect(await transfersOf(await desk.open())).toHaveLength(4);
  },
);

it('a large batch is seen while it is being checked: between two commits everybody has a turn', async () => {
  const paydrop = await desk.open(SKIP_ROWS);
  const rows = Array.from({ length: 600 }, (_none, row) => line(`A-${String(row)}`, '100'));
  const file = await desk.file('large.csv', rows);
  const stopper = new AbortController();
  const paying = processBatch(paydrop, file, { ...PATIENT, signal: stopper.signal, waitMs: 0 });
  const states = new Set<string>();
  while (![...PAYING].some((state) => states.has(state))) {
    for (const { state } of await paydrop.ledger.batches()) states.add(state);
    await turn();
  }
  stopper.abort();
  await paying;
  expect([...states]).toEqual(expect.arrayContaining(['checking', 'pricing']));
});
