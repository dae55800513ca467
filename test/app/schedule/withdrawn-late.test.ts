// A standing file that has left its folder is withdrawn only if nothing of it was sent. Only the service knows that: the ledger may be an older copy
// that was put back after the payment, and the local clock may be wrong.
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { Refused } from '../../../src/service/errors.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { passForLatest } from '../put-back.ts';
import { calendarClock, type CalendarClock } from './calendar-clock.ts';
import { dropInto, QUICK, startWatching } from './watching.ts';
import { said } from '../said.ts';

let clock: CalendarClock;
let desk: Desk;

beforeEach(async () => {
  clock = calendarClock('2026-10-30T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const RENT = `schedules: [{ folder: rent, cron: "0 9 28 * *", timeZone: Africa/Douala, standing: true }]\n${QUICK}`;
const AT_ITS_TIME = '2026-11-28T08:00:10Z';
const LONG_AFTER = '2026-11-28T12:00:00Z';

type Scheduled = { readonly batch: string; readonly path: string };

async function scheduled(config = RENT): Promise<Scheduled> {
  const rows = [line('RENT-1', '100'), line('', '300'), line('', '300')];
  const path = await dropInto(desk, 'rent/offices.csv', rows);
  const daemon = startWatching(await desk.open(config));
  const { batch } = (await daemon.until(({ state }) => state === 'scheduled')).summary;
  await daemon.stop();
  await desk.shut();
  return { batch, path };
}

async function resume(paydrop: Paydrop, batch: string): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, batch, { ...PATIENT, waitMs: 1_000 })) ?? [];
  if (result === undefined) throw new Error('There was nothing to resume.');
  return result;
}

/** Paid at its time by a ledger that is gone: the copy of it is from before. */
async function paidThenForgotten(): Promise<Scheduled> {
  const { batch, path } = await scheduled();
  const [ledger, backup] = [join(desk.workspace, 'ledger.sqlite'), join(desk.workspace, 'backup')];
  await copyFile(ledger, backup);
  clock.goTo(AT_ITS_TIME);
  const paying = await desk.open(RENT);
  await resume(paying, batch);
  expect((await endsOf(paying, batch))[0]).toMatch(/^(confirmed|paid)/);
  await rm(path);
  await desk.loseLedger();
  await copyFile(backup, ledger);
  await passForLatest(desk.workspace);
  clock.goTo(LONG_AFTER);
  return { batch, path };
}

describe('a standing file that was paid at its time, says the service, and that has left its folder since', () => {
  it('is not withdrawn by an older ledger: it is paid, and its references guard', async () => {
    const { batch } = await paidThenForgotten();
    const paydrop = await desk.open(RENT);
    const { summary, words } = await resume(paydrop, batch);
    expect(summary.state).not.toBe('refused');
    expect(said(words).join(' ')).not.toContain('Nothing was sent');
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'held equal_rows', 'held equal_rows']);
    const again = (await processBatch(paydrop, await desk.file('b.csv', [line('RENT-1', '100')]), PATIENT))
      .summary;
    expect(await endsOf(paydrop, again.batch)).toEqual(['held paid_in_earlier_period']);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('is left as it is while the service does not answer', async () => {
    const { batch } = await paidThenForgotten();
    const alone = await desk.open(RENT, 'nobody');
    expect((await resume(alone, batch)).summary).toMatchObject({ waitingFor: 'service' });
    expect(await alone.ledger.batch(batch)).toMatchObject({ state: 'accepted' });
    expect(await endsOf(alone, batch)).toEqual(['ready', 'held equal_rows', 'held equal_rows']);
  });

  it('is left as it is while the service will not tell of one of its rows', async () => {
    const { batch } = await paidThenForgotten();
    const real = await desk.open(RENT);
    const context = { operation: 'transferByExternalId', httpStatus: 500, retryAfterMs: null } as const;
    const transferByExternalId: Paydrop['service']['transferByExternalId'] = () =>
      Promise.reject(new Refused(10001, 'no', { ...context, serverTime: clock.now() }));
    const { summary, words } = await resume(
      { ...real, service: { ...real.service, transferByExternalId } },
      batch,
    );
    expect(summary).toMatchObject({ waitingFor: 'service' });
    expect(said(words).join(' ')).toContain('neither sent nor withdrawn');
    expect((await endsOf(real, batch))[0]).toBe('ready');
  });
});

describe('a standing file of which nothing was sent, and that has left its folder', () => {
  it.each([
    ['before its time, which a wrong clock may say of what was paid,', '2026-11-01T10:00:00Z'],
    ['after its time', LONG_AFTER],
  ])('%s is withdrawn once the service has shown that', async (_name, at) => {
    const { batch, path } = await scheduled();
    await rm(path);
    clock.goTo(at);
    const alone = await desk.open(RENT, 'nobody');
    expect((await resume(alone, batch)).summary).toMatchObject({ waitingFor: 'service' });
    await desk.shut();
    const paydrop = await desk.open(RENT);
    const { summary, words } = await resume(paydrop, batch);
    expect(summary.state).toBe('refused');
    expect(said(words).join(' ')).toMatch(/(Nothing was sent|It is not paid)/);
    expect(await readdir(join(desk.workspace, 'refused'))).toEqual([batch]);
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});
