// An all-or-nothing file counts against the limit of the day on which its transfers were made: once it is decided, no midnight and no other file of
// the new day divides it.
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { endsOf, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

const LIMITS = 'limits: { perDay: 20000 XAF }';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-10-30T23:59:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

/** Calls `then` once, before the first confirm. */
function beforeConfirm(paydrop: Paydrop, then: () => Promise<void>): Paydrop {
  let isFirst = true;
  const confirmTransfer: Paydrop['service']['confirmTransfer'] = async (id) => {
    if (isFirst) {
      isFirst = false;
      await then();
    }
    return paydrop.service.confirmTransfer(id);
  };
  return { ...paydrop, service: { ...paydrop.service, confirmTransfer } };
}

it('goes on to its end over midnight, although another file has used up the new day by then', async () => {
  const paydrop = await desk.open(
    `policy: { strategy: reserve-then-confirm }\n${LIMITS}\nservice: { concurrency: 1 }`,
  );
  const beside = await desk.open(LIMITS);
  const path = await desk.file('a.csv', [line('A', '100'), line('B', '101')]);
  const other = await desk.file('b.csv', [line('X', '110'), line('Y', '111')]);
  const slow = beforeConfirm(paydrop, async () => {
    clock.goTo('2026-10-31T00:00:05Z');
    const { summary } = await processBatch(beside, other, PATIENT);
    expect(await endsOf(beside, summary.batch)).toEqual(['paid', 'paid']);
  });
  const { batch } = (await processBatch(slow, path, PATIENT)).summary;
  expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
  const record = await paydrop.ledger.batch(batch);
  expect(record).toMatchObject({ whole: 'confirming', wait: null });
  expect(Number((await paydrop.ledger.spent(batch, 'XAF', '2026-10-30')).day)).toBeGreaterThan(17_000);
});
