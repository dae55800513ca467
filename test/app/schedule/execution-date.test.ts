// A file that names its own day is paid on that day; one that leaves a doubt about the day is refused.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../../src/app/desk/check-file.ts';
import { previewFile } from '../../../src/app/desk/preview-file.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { type BatchResult, exitCodeOf } from '../../../src/app/workflow/batch/work.ts';
import { blocks, payment } from '../../rows/pain001/messages.ts';
import { HEADER, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { calendarClock, type CalendarClock } from './calendar-clock.ts';
import { dropInto } from './watching.ts';
import { said } from '../said.ts';

let clock: CalendarClock;
let desk: Desk;

beforeEach(async () => {
  clock = calendarClock('2026-11-20T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

type Asking = readonly (readonly [payment: string, day: string])[];

function written(name: string, rows: Asking): Promise<string> {
  const lines = [`${HEADER},executionDate`, ...rows.map(([payment, day]) => `${payment},${day}`)];
  return desk.write(name, `${lines.join('\n')}\n`);
}

async function take(name: string, rows: Asking, config = '') {
  return processBatch(await desk.open(config), await written(name, rows), PATIENT);
}

async function named(name: string, config = '') {
  const { summary } = await processBatch(
    await desk.open(config),
    await desk.file(name, [line('A-1', '100')]),
    PATIENT,
  );
  return summary;
}

/** The code in the answer that says why a file is refused. */
async function codeIn({ summary }: BatchResult): Promise<unknown> {
  const name = summary.answers.find((answer) => answer.endsWith('.refused.json')) ?? '';
  const { code } = JSON.parse(await readFile(join(desk.workspace, 'outbox', name), 'utf8')) as {
    code: unknown;
  };
  return code;
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
    ['execution_dates_differ', '28/11/2026', '2026-12-01', 'from row 2), 2026-12-01 (from row 3)'],
    ['execution_date_unreadable', '2026-11-28', '28 November', '"28 November" (row 3)'],
    ['execution_date_unreadable', '2026-11-28', '31/11/2026', '"31/11/2026" (row 3)'],
    ['execution_date_unreadable', '2026-12-28', '12/28/2026', '"12/28/2026" (row 3)'],
    ['execution_date_unreadable', '05/04/2026', 'soon', '"05/04/2026" (row 2), "soon" (row 3)'],
    [
      'execution_date_unreadable',
      '05/04/2026',
      '05/04/2026',
      '"05/04/2026" (row 3). 05/04/2026 is either 2026-04-05 or 2026-05-04.',
    ],
    ['execution_date_unreadable', '2026-11-31', '2026-11-31', '"2026-11-31" (row 2), "2026-11-31" (row 3)'],
    ['execution_date_too_far', '2027-11-28', '2027-11-28', 'more than a year'],
    ['execution_date_too_far', '9999-12-31', '9999-12-31', 'on 9999-12-31, which is more than a year'],
    ['execution_date_too_far', '3000-01-01', '3000-01-01', 'more than a year'],
    ['execution_date_too_far', '31/12/9999', '31/12/9999', 'more than a year'],
    ['execution_date_too_far', '0001-01-01', '0001-01-01', 'programs write such a day where they have none'],
    ['execution_date_too_far', '1900-01-01', '1900-01-01', 'programs write such a day where they have none'],
    ['execution_date_too_far', '1970-01-01', '1970-01-01', 'leave it empty'],
  ])('is refused (%s) when it says %j and %j', async (_code, first, second, told) => {
    const { summary, words } = await take('a.csv', [[A, first], [B, second]]); // prettier-ignore
    expect(summary.state).toBe('refused');
    expect(said(words).join(' ')).toContain(told);
    expect(await transfersOf(await desk.open())).toEqual([]);
  });

  it.each([
    ['28/11/2026', '2026-11-28'],
    ['2026/11/28', '28/11/2026'],
    ['2026/11/28', '2026-11-28'],
  ])('is paid on the only day that %j and %j can be', async (first, second) => {
    const { summary } = await take('a.csv', [[A, first], [B, second]]); // prettier-ignore
    expect(summary).toMatchObject({ state: 'scheduled', payAt: '2026-11-28T07:00:00.000Z' });
  });

  it('is paid on 12 December where it says 12/12/2026: both readings are one day', async () => {
    const { summary } = await take('a.csv', [[A, '12/12/2026']]);
    expect(summary).toMatchObject({ state: 'scheduled', payAt: '2026-12-12T07:00:00.000Z' });
  });

  it('is paid at once where it is 1999-01-01, as German programs write that', async () => {
    expect((await take('a.csv', [[A, '1999-01-01']])).summary.state).toBe('closed');
  });

  it.each(['a@9999-12-31.csv', 'a@0001-01-01.csv'])('in the name %s is refused too', async (name) => {
    expect((await take(name, [[A, '']])).summary.state).toBe('refused');
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
    expect(said(words).join(' ')).toContain('Tuesday, 10 November 2026 at 08:00');
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

describe('check and preview', () => {
  const LOOKS = [
    ['check', checkFile],
    ['preview', (paydrop: Paydrop, path: string) => previewFile(paydrop, path, PATIENT)],
  ] as const;
  const REFUSED: readonly (readonly [name: string, rows: Asking])[] = [
    ['unreadable.csv', [[A, '28 November']]],
    ['two-readings.csv', [[A, '05/04/2026']]],
    ['differ.csv', [[A, '2026-11-28'], [B, '2026-12-01']]], // prettier-ignore
    ['far.csv', [[A, '2028-11-28']]],
    ['named@2026-12-01.csv', [[A, '2026-11-28']]],
  ];
  const TIME = 'Saturday, 28 November 2026 at 08:00 (Africa/Douala)';

  it.each(LOOKS.flatMap(([of, look]) => REFUSED.map(([name, rows]) => ({ of, look, name, rows }))))(
    '$of refuses $name as a run does, in the same words',
    async ({ look, name, rows }) => {
      const path = await written(name, rows);
      const looked = await look(await desk.open(), path);
      const ran = await processBatch(await desk.open(), path, PATIENT);
      expect(exitCodeOf(looked, 0)).toBe(exitCodeOf(ran, 0));
      expect(looked.summary.state).toBe('refused');
      expect(said(ran.words)).toEqual(expect.arrayContaining([...said(looked.words)]));
      expect(await codeIn(looked)).toBe(await codeIn(ran));
    },
  );

  it.each(LOOKS)('%s names the day to come, and the time', async (_of, look) => {
    const looked = await look(await desk.open(), await written('a.csv', [[A, '28/11/2026']]));
    expect(said(looked.words)).toContain(`The file is due on ${TIME}, at the prices of that moment.`);
    expect(looked.summary.state).toBe('checked');
  });

  it.each(LOOKS)('%s names the next time of the schedule of its folder', async (_of, look) => {
    const paydrop = await desk.open(
      'schedules: [{ folder: salaries, cron: "0 8 28 * *", timeZone: Africa/Douala }]',
    );
    const looked = await look(paydrop, await dropInto(desk, 'salaries/pay.csv', [A]));
    expect(said(looked.words).join(' ')).toContain(TIME);
  });

  it('check names it in French too', async () => {
    const path = await written('a.csv', [[A, '2026-11-28']]);
    const { words } = await checkFile(await desk.open('language: fr'), path);
    expect(said(words, 'fr')).toContain(
      'Le paiement du fichier est prévu le samedi 28 novembre 2026 à 08:00 (Africa/Douala), aux prix de ce moment.',
    );
  });

  it.each(['', '2026-11-10', '2026-11-20'])('check names no day where the file says %j', async (day) => {
    const { words } = await checkFile(await desk.open(), await written('a.csv', [[A, day]]));
    expect(said(words)).toEqual(['Every row can be paid.']);
  });

  it('check names the days of a message that are to come', async () => {
    const days = ['2026-11-10', '2026-11-28', '2026-12-01'].map(
      (day, at) => [day, [payment({ reference: `A-${String(at)}` })]] as const,
    );
    const paydrop = await desk.open('iso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }');
    const { words } = await checkFile(paydrop, await desk.write('days.xml', blocks(days)));
    expect(said(words)).toContain(
      'The file names 3 days of payment. To come: 28 November 2026 at 08:00, 1 December 2026 at 08:00.',
    );
  });
});
