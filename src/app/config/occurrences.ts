// When a schedule's time comes, in the zone of the people who wrote it. A time that the clocks skip comes at the end of what they skip, and one
// that they show twice comes the first time.
import { Cron } from 'croner';

import type { Words } from '../../base/language.ts';

/** A cron expression of five fields, and the name of a time zone. */
export type Times = { readonly cron: string; readonly timeZone: string };

/** The first time after `afterMs`, in ms; null when there is none. Throws for an expression or a zone that is none. */
export function nextTime({ cron, timeZone }: Times, afterMs: number): number | null {
  const next = expression(cron, timeZone).nextRun(new Date(afterMs));
  return next === null ? null : next.getTime();
}

/** Up to `limit` times after `afterMs`. */
export function nextTimes(times: Times, afterMs: number, limit: number): readonly number[] {
  const found: number[] = [];
  for (let after = afterMs; found.length < limit;) {
    const next = nextTime(times, after);
    // Whatever the library thinks of a changed clock, a schedule never goes back.
    if (next === null || next <= after) break;
    found.push(next);
    after = next;
  }
  return found;
}

/** The day of a moment in a time zone, `yyyy-mm-dd`. */
export function dayIn(timeZone: string, ms: number): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(ms);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** A time of day, `hh:mm`, on a day, `yyyy-mm-dd`, in ms. */
export function timeOn(day: string, time: string, timeZone: string): number {
  const [, month, date] = day.split('-').map(Number);
  const [hours, minutes] = time.split(':').map(Number);
  const cron = [minutes, hours, date, month, '*'].join(' ');
  // No zone is a whole day away from UTC, so the day before is always before it.
  const found = nextTime({ cron, timeZone }, Date.parse(`${day}T00:00:00Z`) - DAY_MS);
  if (found === null) throw new Error(`There is no ${time} on ${day} in ${timeZone}.`);
  return found;
}

/** A moment as people of that zone write it, with the zone's name. */
export function timeWords(ms: number, timeZone: string): Words {
  const write = (locale: string) =>
    `${new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(ms)} (${timeZone})`;
  return { en: write('en-GB'), fr: write('fr-FR') };
}

const DAY_MS = 86_400_000;

const expressions = new Map<string, Cron>();

/** Read once each: a config names a few, and every look asks them. */
function expression(cron: string, timezone: string): Cron {
  const key = `${cron} ${timezone}`;
  const known = expressions.get(key) ?? new Cron(cron, { timezone, paused: true });
  expressions.set(key, known);
  return known;
}
