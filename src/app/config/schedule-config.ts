// The sections of the config about pay times and the folders of the inbox. A fault is reported when the config is read, not on the pay day.
import { Cron } from 'croner';
import { z } from 'zod';

import { inEachLanguage, mapWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { says } from './yaml-file.ts';
import { policyOverrides } from './policy.ts';

/** What happens to a file whose time has passed: `pay` pays it at once, `hold` holds it until a person releases it. */
const MISSED = ['pay', 'hold'] as const;

/** Plain names, one below the other: no `..`, and no hidden folders. */
const FOLDER = /^[^./\\\s][^/\\]*(?:\/[^./\\\s][^/\\]*)*$/;
const folder = z.string().regex(FOLDER, says('config.write.inboxFolder'));

/** A name and no offset: only a name knows when the clocks change. */
const ZONE = /^(?:UTC|[A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+)$/;
const timeZone = z.string().refine((name) => ZONE.test(name) && isZone(name), says('config.write.zone'));

/** Minute, hour, day of the month, month, day of the week; a day may be `L`, the last. */
const CRON = /^[\d*,/-]+ [\d*,/-]+ [\dA-Za-z*,/-]+ [\dA-Za-z*,/-]+ [\dA-Za-z*,/#-]+$/;
const CRON_WORDS = says('config.write.cron');

/** Times are tried from here on: the span after it includes a leap day and all changes of the clocks. */
const TRIED_FROM_MS = Date.UTC(2024, 0, 1);

const schedule = z
  .strictObject({
    folder,
    cron: z.string().trim().regex(CRON, CRON_WORDS),
    timeZone,
    missed: z.enum(MISSED).default('pay'),
    standing: z.boolean().default(false),
    profile: z.string().min(1).nullable().default(null),
    policy: policyOverrides.prefault({}),
  })
  .superRefine(({ cron, timeZone: zone, standing }, context) => {
    const fault = faultOf({ cron, timeZone: zone }, standing);
    if (fault !== null) context.issues.push({ code: 'custom', message: fault, input: cron, path: ['cron'] });
  });
export type Schedule = z.output<typeof schedule>;

const tenant = z.strictObject({
  folder,
  profile: z.string().min(1).nullable().default(null),
  policy: policyOverrides.prefault({}),
});

export const schedulesSchema = z.array(schedule).default([]);
export const tenantsSchema = z.array(tenant).default([]);

export const executionDateSchema = z
  .strictObject({
    // Every sending party is in the CEMAC zone, which has one time.
    timeZone: timeZone.default('Africa/Douala'),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, says('config.write.timeOfDay'))
      .default('08:00'),
    past: z.enum(MISSED).default('pay'),
    inFileName: z.enum(['marked', 'any', 'never']).default('marked'),
  })
  .prefault({});
export type ExecutionDates = z.output<typeof executionDateSchema>;

type NamedFolder = { readonly folder: string; readonly profile: string | null };

/** The fault of the config's folders as a whole; null when there is none. */
export function folderFault(named: readonly NamedFolder[], profiles: readonly string[]): Words | null {
  const seen = new Set<string>();
  for (const { folder: name, profile } of named) {
    // On some disks two spellings of one name are one folder, and nobody means two.
    const key = name.normalize('NFC').toLowerCase();
    if (seen.has(key)) return sentence('config.folder.twice', { name });
    seen.add(key);
    if (profile !== null && !profiles.includes(profile))
      return sentence('config.folder.profile', { name, profile });
  }
  return null;
}

function faultOf(times: { readonly cron: string; readonly timeZone: string }, standing: boolean) {
  if (!isZone(times.timeZone)) return null;
  try {
    if (nextTime(times, TRIED_FROM_MS) === null) return says('config.neverComes');
    return standing && comesTwiceADay(times) ? says('config.standingOften') : null;
  } catch {
    // The remedy is the same for every fault that the library finds.
    return CRON_WORDS;
  }
}

/** All matching days have the same times, so three of them are enough to show it. */
function comesTwiceADay(times: { readonly cron: string; readonly timeZone: string }): boolean {
  const days = nextTimes(times, TRIED_FROM_MS, 3).map((ms) => dayIn(times.timeZone, ms));
  return new Set(days).size < days.length;
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // The library throws for a name that it does not know.
    return false;
  }
}

// When a schedule's time comes, in the zone of the people who wrote it. A time that the clocks skip comes at the end of the gap; a time that
// occurs twice comes the first time.

/** A cron expression of five fields, and the name of a time zone. */
type Times = { readonly cron: string; readonly timeZone: string };

/** The first time after `afterMs`, in ms; null when there is none. Throws for an invalid expression or zone. */
export function nextTime({ cron, timeZone }: Times, afterMs: number): number | null {
  const next = expression(cron, timeZone).nextRun(new Date(afterMs));
  return next === null ? null : next.getTime();
}

/** Up to `limit` times after `afterMs`. */
export function nextTimes(times: Times, afterMs: number, limit: number): readonly number[] {
  const found: number[] = [];
  for (let after = afterMs; found.length < limit;) {
    const next = nextTime(times, after);
    // The library may go back around a clock change; a schedule never does.
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
  // No zone is a whole day away from UTC, so the day before is always early enough.
  const found = nextTime({ cron, timeZone }, Date.parse(`${day}T00:00:00Z`) - DAY_MS);
  if (found === null) throw new Error(`There is no ${time} on ${day} in ${timeZone}.`);
  return found;
}

/** A moment as people of that zone write it, with the zone's name. */
export function timeWords(ms: number, timeZone: string): Words {
  return mapWords(inStyle('full', ms, timeZone), (time) => `${time} (${timeZone})`);
}

/** A shorter form: `28 November 2026 at 09:00`. */
export function shortTimeWords(ms: number, timeZone: string): Words {
  return inStyle('long', ms, timeZone);
}

function inStyle(dateStyle: 'full' | 'long', ms: number, timeZone: string): Words {
  return inEachLanguage((_, locale) =>
    new Intl.DateTimeFormat(locale, { timeZone, dateStyle, timeStyle: 'short' }).format(ms),
  );
}

const DAY_MS = 86_400_000;

const expressions = new Map<string, Cron>();

/** Each is parsed once: a config names a few, and every look needs them. */
function expression(cron: string, timezone: string): Cron {
  const key = `${cron} ${timezone}`;
  const known = expressions.get(key) ?? new Cron(cron, { timezone, paused: true });
  expressions.set(key, known);
  return known;
}
