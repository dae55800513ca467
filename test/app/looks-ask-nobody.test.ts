// A limit, or a missing approval, keeps money from being sent. It does not keep a run from finding out what was sent before: a rebuilt ledger and a
// declined file rest on that.
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from './release.ts';
import { approve, decline, resume } from './approval/two-people.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { PAUSED } from '../ledger/records.ts';
import { own } from '../ledger/own.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** The process is killed at its nth confirm, once the intent to send it is on record. */
function killedAtConfirm(paydrop: Paydrop, nth: number): Paydrop {
  let confirms = 0;
  const confirmTransfer: Paydrop['service']['confirmTransfer'] = (id) => {
    confirms += 1;
    if (confirms >= nth) throw new Error('The power was cut.');
    return paydrop.service.confirmTransfer(id);
  };
  return { ...paydrop, service: { ...paydrop.service, confirmTransfer } };
}

/** How many of three transfers are created, and not confirmed. */
async function unconfirmed(paydrop: Paydrop): Promise<number> {
  const transfers = await transfersOf(paydrop);
  expect(transfers).toHaveLength(3);
  return transfers.filter(({ status }) => status === 'created').length;
}

async function release(paydrop: Paydrop, batch: string, rows: ReadonlySet<string> | null = null) {
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('It is there.');
  return releaseRows(paydrop, record, { by: 'Marie', reason: 'checked', rows, skip: false });
}

it('a lost ledger is rebuilt around a transfer that is over a limit which a person had lifted; it is not confirmed before the limit is lifted again', async () => {
  const LIMITS = 'limits: { perFile: 20000 XAF }\nservice: { concurrency: 1 }';
  const first = await desk.open(LIMITS);
  const path = await desk.file('a.csv', [line('A', '100'), line('B', '101'), line('C', '102')]);
  const { batch } = (await processBatch(first, path, PATIENT)).summary;
  await release(first, batch);
  await resumeBatches(killedAtConfirm(first, 3), batch, PATIENT).catch(() => null);
  expect(await unconfirmed(first)).toBe(1);
  await desk.loseLedger();
  const paydrop = await desk.open(LIMITS);
  await rebuildFile(paydrop, path, PATIENT);
  const stopped = await resume(paydrop, batch);
  expect(said(stopped.words).join(' ')).toContain('limits.perFile');
  expect((await endsOf(paydrop, batch)).slice(0, 2)).toEqual(['paid', 'paid']);
  expect(await unconfirmed(paydrop)).toBe(1);
  expect((await release(paydrop, batch)).file).toBe('limits');
  await resume(paydrop, batch);
  expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid', 'paid']);
  expect(await transfersOf(paydrop)).toHaveLength(3);
});

it.each(['perPayeePerDay', 'perDay'])(
  'a row that %s let through is not asked again by another process, though the limit is used up since',
  async (limit) => {
    const LIMITS = `limits: { ${limit}: 20000 XAF }`;
    const first = await desk.open(LIMITS);
    const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
      for (const { id } of await first.ledger.batches())
        await changeBatch(first.ledger, await own(first.ledger, id), PAUSED);
      return first.service.createTransfer(request);
    };
    const pausing = { ...first, service: { ...first.service, createTransfer } };
    const pay = async (paydrop: Paydrop, name: string, amount: string): Promise<string> => {
      const path = await desk.file(`${name}.csv`, [line(name, amount)]);
      return (await processBatch(paydrop, path, PATIENT)).summary.batch;
    };
    const a = await pay(pausing, 'A', '100');
    await pay(first, 'B', '101');
    const c = await pay(first, 'C', '102');
    await release(first, c);
    await resumeBatches(first, c, PATIENT);
    await desk.shut();
    const next = await desk.open(LIMITS);
    await resumeBatches(next, a, PATIENT);
    expect(await endsOf(next, a)).toEqual(['paid']);
  },
);

it('a declined file of which an intent to confirm is on record waits for a person, and not for the approval that was refused', async () => {
  const CONFIG = 'policy: { approval: required }\nservice: { concurrency: 1 }';
  const first = await desk.open(CONFIG);
  const lines = [line('A', '100'), line('B', '101'), line('', '300'), line('', '300')];
  const { batch } = (await processBatch(first, await desk.file('a.csv', lines), HURRIED)).summary;
  await approve(first, batch);
  await resumeBatches(killedAtConfirm(first, 1), batch, PATIENT).catch(() => null);
  await desk.shut();
  const paydrop = await desk.open(CONFIG);
  expect(await endsOf(paydrop, batch)).toContain('confirming');
  await release(paydrop, batch, new Set(['4', '5']));
  await resume(paydrop, batch);
  await decline(paydrop, batch);
  const after = await resume(paydrop, batch);
  expect(said(after.words).join(' ')).not.toContain('is not approved');
  expect((await paydrop.ledger.batch(batch))?.wait?.for).not.toBe('approval');
  expect((await endsOf(paydrop, batch)).slice(2)).toEqual(['rejected declined', 'rejected declined']);
  expect((await transfersOf(paydrop)).map(({ status }) => status)).not.toContain('submitted');
});
