// A file that names its own day is paid on that day; one that leaves a doubt about the day is refused.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { HEADER, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { calendarClock, type CalendarClock } from './calendar-clock.ts';
import { dropInto } from './watching.ts';

let clock: CalendarClock;
let desk: Desk;

beforeEach(async () => {
  clock = calendarClock('2026-11-20T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

async function take(name: string, rows: readonly (readonly [string, string])[], config = '') {
  const lines = [`${HEADER},executionDate`, ...rows.map(([payment, day]) => `${payment},${day}`)];
  return processBatch(await desk.open(config), await desk.write(name, `${lines.join('\n')}\n`), PATIENT);
}

async function named(name: string, config = '') {
  const { summary } = await processBatch(
    await desk.open(config),
    await desk.file(name, [line('A-1', '100')]),
    PATIENT,
  );
  return summary;
}

const A = line('A-1', '100');
const B = line('A-2', '200');

describe('a file with a column executionDate', () => {
  it('is paid on that day, at eight in the time of the sending parties', async () => {
    const { summary } = await take('a.csv', [[A, '2026-11-28'], [B, '2026-11-28']]); // prettier-ignore
    expect(summary).toMatchObject({ state: 'scheduled', payAt: '2026-11-28T07:00:00.000Z' });
    const paydrop = await desk.open();
    clock.goTo('2026-11-28T07:00:01Z');
    const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(result?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
  });

  it('is paid as it comes where no row says anything', async () => {
    const { summary } = await take('a.csv', [[A, ''], [B, '']]); // prettier-ignore
    expect(summary.state).toBe('closed');
  });

  it.each([
    ['execution_dates_differ', '2026-11-28', '2026-12-01', 'from row 2), 2026-12-01 (from row 3)'],
    ['execution_dates_differ', '2026-11-28', '', 'none (from row 3)'],
    ['execution_date_unreadable', '2026-11-28', '28/11/2026', '"28/11/2026" (row 3)'],
    ['execution_date_unreadable', '2026-11-31', '2026-11-31', '"2026-11-31" (row 2), "2026-11-31" (row 3)'],
    ['execution_date_too_far', '2027-11-28', '2027-11-28', 'more than a year'],
  ])('is refused (%s) when it says %j and %j', async (_code, first, second, told) => {
    const { summary, words } = await take('a.csv', [[A, first], [B, second]]); // prettier-ignore
    expect(summary.state).toBe('refused');
    expect(words.join(' ')).toContain(told);
    expect(await transfersOf(await desk.open())).toEqual([]);
  });

  it('that contradicts its name is refused', async () => {
    const { summary } = await take('a@2026-12-01.csv', [[A, '2026-11-28']]);
    expect(summary.state).toBe('refused');
  });
});

describe('a day that is past', () => {
  it('is made good at once by default', async () => {
    expect((await take('a.csv', [[A, '2026-11-10']])).summary.state).toBe('closed');
  });

  it('is held where the config says so', async () => {
    const { summary, words } = await take('a.csv', [[A, '2026-11-10']], 'executionDate: { past: hold }');
    expect(summary).toMatchObject({ waitingFor: 'operator', outcomes: { pending: 1 } });
    expect(words.join(' ')).toContain('Tuesday, 10 November 2026 at 08:00');
  });

  it('is not today, at whatever hour the file comes', async () => {
    clock.goTo('2026-11-20T20:00:00Z');
    const { summary } = await take('a.csv', [[A, '2026-11-20']], 'executionDate: { past: hold }');
    expect(summary.state).toBe('closed');
  });
});

describe('a day in the name of a file', () => {
  it.each([
    ['pay@2026-11-28.csv', '', '2026-11-28T07:00:00.000Z'],
    [
      'pay@2026-11-28.csv',
      'executionDate: { at: 16:30, timeZone: Europe/Paris }',
      '2026-11-28T15:30:00.000Z',
    ],
    ['pay_2026-11-28.csv', 'executionDate: { inFileName: any }', '2026-11-28T07:00:00.000Z'],
  ])('%s under %j is %s', async (name, config, at) => {
    expect(await named(name, config)).toMatchObject({ state: 'scheduled', payAt: at });
  });

  it.each([
    ['pay_2026-11-28.csv', ''],
    ['pay@2026-11-28.csv', 'executionDate: { inFileName: never }'],
  ])('%s under %j is only a name', async (name, config) => {
    expect((await named(name, config)).state).toBe('closed');
  });

  it.each(['pay@2026-13-28.csv', 'pay_2026-11-28_2026-12-01.csv'])('%s is refused', async (name) => {
    const config = name.includes('@') ? '' : 'executionDate: { inFileName: any }';
    expect((await named(name, config)).state).toBe('refused');
  });
});

it('the day of a file wins over the schedule of its folder', async () => {
  const paydrop = await desk.open(
    'schedules: [{ folder: salaries, cron: "0 9 28 * *", timeZone: Africa/Douala }]',
  );
  const path = await dropInto(desk, 'salaries/pay@2026-11-25.csv', [A]);
  expect((await processBatch(paydrop, path, PATIENT)).summary.payAt).toBe('2026-11-25T07:00:00.000Z');
});
