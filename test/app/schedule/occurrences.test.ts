// Times of schedules where calendars and clocks are awkward: changed clocks, short months, leap years.
import { describe, expect, it } from 'vitest';

import { dayIn, nextTime, nextTimes, timeOn, timeWords } from '../../../src/app/config/schedule-config.ts';

const times = (cron: string, timeZone: string, after: string, limit: number) =>
  nextTimes({ cron, timeZone }, Date.parse(after), limit).map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  );

describe('a time of a schedule', () => {
  it('is the same hour of the day in a zone without summer time', () => {
    expect(times('0 9 28 * *', 'Africa/Douala', '2026-11-21T00:00:00Z', 3)).toEqual([
      '2026-11-28T08:00',
      '2026-12-28T08:00',
      '2027-01-28T08:00',
    ]);
  });

  it('keeps its hour when the clocks change in between', () => {
    expect(times('0 9 28 * *', 'Europe/Paris', '2026-09-01T00:00:00Z', 3)).toEqual([
      '2026-09-28T07:00',
      '2026-10-28T08:00',
      '2026-11-28T08:00',
    ]);
    expect(times('0 9 28 * *', 'Africa/Casablanca', '2026-02-01T00:00:00Z', 2)).toEqual([
      '2026-02-28T09:00',
      '2026-03-28T08:00',
    ]);
  });

  it('that the clocks skip comes at the end of what they skip, once', () => {
    expect(times('30 2 * * *', 'Europe/Paris', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(times('30 2 * * *', 'Africa/Casablanca', '2026-03-21T12:00:00Z', 2)).toEqual([
      '2026-03-22T02:00',
      '2026-03-23T01:30',
    ]);
  });

  it('that the clocks show twice comes the first time, and not again', () => {
    expect(times('30 2 * * *', 'Europe/Paris', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    const between = Date.parse('2026-10-25T01:10:00Z');
    expect(nextTime({ cron: '30 2 * * *', timeZone: 'Europe/Paris' }, between)).toBe(
      Date.parse('2026-10-26T01:30:00Z'),
    );
  });

  it('on the 31st comes in long months only; L is the last day of each, leap years included', () => {
    expect(times('0 9 31 * *', 'UTC', '2027-01-31T12:00:00Z', 2)).toEqual([
      '2027-03-31T09:00',
      '2027-05-31T09:00',
    ]);
    expect(times('0 9 L * *', 'UTC', '2028-01-31T12:00:00Z', 3)).toEqual([
      '2028-02-29T09:00',
      '2028-03-31T09:00',
      '2028-04-30T09:00',
    ]);
    expect(times('0 9 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T09:00',
      '2032-02-29T09:00',
    ]);
  });

  it('is strictly later than the moment that is asked about', () => {
    const at = Date.parse('2026-11-28T08:00:00Z');
    const salary = { cron: '0 9 28 * *', timeZone: 'Africa/Douala' };
    expect(nextTime(salary, at - 1)).toBe(at);
    expect(nextTime(salary, at)).toBe(Date.parse('2026-12-28T08:00:00Z'));
  });

  it('never goes back, whatever moment of a year of changed clocks is asked about', () => {
    for (const timeZone of ['Europe/Paris', 'Africa/Casablanca', 'Africa/Cairo', 'America/Santiago'])
      for (let now = Date.UTC(2026, 0, 1); now < Date.UTC(2027, 0, 1); now += 11 * 3_600_000 + 7)
        for (const cron of ['30 2 * * *', '0 0 * * *'])
          expect(nextTime({ cron, timeZone }, now)).toBeGreaterThan(now);
  });
});

it('a day and an hour are those of the zone', () => {
  expect(dayIn('Africa/Douala', Date.parse('2026-11-27T23:30:00Z'))).toBe('2026-11-28');
  expect(dayIn('America/Lima', Date.parse('2026-11-28T03:00:00Z'))).toBe('2026-11-27');
  expect(new Date(timeOn('2026-11-28', '08:00', 'Africa/Douala')).toISOString()).toBe(
    '2026-11-28T07:00:00.000Z',
  );
  expect(new Date(timeOn('2026-03-29', '02:30', 'Europe/Paris')).toISOString()).toBe(
    '2026-03-29T01:00:00.000Z',
  );
  expect(new Date(timeOn('2026-01-01', '00:00', 'Pacific/Kiritimati')).toISOString()).toBe(
    '2025-12-31T10:00:00.000Z',
  );
});

it('a time is told with its day, its hour and the name of its zone', () => {
  const words = timeWords(Date.parse('2026-11-28T08:00:00Z'), 'Africa/Douala');
  expect(words.en).toBe('Saturday, 28 November 2026 at 09:00 (Africa/Douala)');
  expect(words.fr).toBe('samedi 28 novembre 2026 à 09:00 (Africa/Douala)');
});
