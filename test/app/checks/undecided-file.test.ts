// A file whose prices are still being requested may yet be refused as a whole, and its corrected successor may come before that: rows in both
// are neither paid twice nor lost.
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { releaseRows } from '../release.ts';
import { manualClock, type ManualClock } from '../../sandbox/manual-clock.ts';
import { endsOf, HEADER, HURRIED, line, openDesk, transfersOf, type Desk } from '../desk.ts';

const MINUTE_MS = 60_000;

let desk: Desk;
let clock: ManualClock;
beforeEach(async () => {
  clock = manualClock();
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

/** Stops before a price is asked. */
const STOPPED = { ...HURRIED, signal: AbortSignal.abort() };

/** What is sent is named, so that only a quotation tells whether the corridor takes it. */
function toSend(name: string, amounts: readonly string[]): Promise<string> {
  const rows = amounts.map((amount, index) => line(`S-${String(index)}`, amount));
  return desk.write(name, `${[HEADER.replace('destinationAmount', 'sourceAmount'), ...rows].join('\n')}\n`);
}

async function release(paydrop: Paydrop, id: string): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, batch, { by: 'Ama', reason: 'refused whole', rows: null, skip: false });
}

it('rows of a file that may yet be refused make no row of the corrected one a duplicate: it is held (reference_undecided), and paid once released', async () => {
  const paydrop = await desk.open();
  const wrong = await processBatch(paydrop, await toSend('salaries.csv', ['50000', '50001', '1']), STOPPED);
  expect(await paydrop.ledger.batch(wrong.summary.batch)).toMatchObject({ state: 'pricing' });
  const right = await processBatch(
    paydrop,
    await toSend('corrected.csv', ['50000', '50001', '50100']),
    HURRIED,
  );
  const { batch } = right.summary;
  expect((await endsOf(paydrop, batch)).slice(0, 2)).toEqual([
    'held reference_undecided',
    'held reference_undecided',
  ]);
  expect((await paydrop.ledger.rows(batch, 0, 1))[0]?.progress.hold?.reason.en).toContain(
    'if that whole file is refused, release this row',
  );
  // A later lease looks, and calls a row rejected only by a look after which no earlier call can arrive any more.
  for (const minutes of [0, 17]) {
    clock.advance(minutes * MINUTE_MS);
    await resumeBatches(paydrop, wrong.summary.batch, HURRIED);
  }
  expect(await paydrop.ledger.batch(wrong.summary.batch)).toMatchObject({ state: 'refused' });
  await release(paydrop, batch);
  await resumeBatches(paydrop, batch, HURRIED);
  expect((await endsOf(paydrop, batch)).slice(0, 2)).toEqual(['confirmed', 'confirmed']);
});

it('rows of a file that no price can refuse are duplicates at once', async () => {
  const paydrop = await desk.open();
  await processBatch(paydrop, await desk.file('payroll.csv', [line('A-1', '100')]), STOPPED);
  const next = await processBatch(
    paydrop,
    await desk.file('next.csv', [line('A-1', '100'), line('A-2', '200')]),
    HURRIED,
  );
  expect((await endsOf(paydrop, next.summary.batch))[0]).toBe('duplicate duplicate_reference');
  expect(await transfersOf(paydrop)).toHaveLength(1);
});
