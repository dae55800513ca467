// When a file is paid, decided as it is taken: on the day that it asks for, or at the next time of its folder's schedule.
import { basename, extname } from 'node:path';

import { isoTime, parseIsoTime } from '../../../base/clock.ts';
import { joinWords, sameWords, type Words } from '../../../base/language.ts';
import type { DroppedFile } from '../../../inbox/take-file.ts';
import type { PayAt } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { cellOf, isSaid } from '../../../rows/row.ts';
import {
  type ExecutionDates,
  type Schedule,
  dayIn,
  nextTime,
  shortTimeWords,
  timeOn,
  timeWords,
} from '../../config/schedule-config.ts';
import type { Paydrop } from '../../parts.ts';
import { timeByBoth } from '../../parts/wait-for-service.ts';
import { folderRuleFor, type ReadingConfig } from './read-batch-file.ts';

/** A day that is farther off is a slip of the pen more often than a plan. */
const FARTHEST_MS = 366 * 86_400_000;

/** When a file is paid; null: as soon as it can be. Throws `FileRefused`. */
export function decideWhen(
  paydrop: Paydrop,
  { origin }: Pick<DroppedFile, 'origin'>,
  read: ReadFile,
): Promise<PayAt | null> {
  const { config, clock } = paydrop;
  // A clock that is ahead would pass over the times between.
  return payAtOf(config, origin, read, async () => (await timeByBoth(paydrop)) ?? clock.now());
}

/** The same for a file that is only looked at. `timeNow` is called where the time matters. Throws `FileRefused`. */
export async function payAtOf(
  config: ReadingConfig,
  origin: string,
  read: ReadFile,
  timeNow: () => number | Promise<number>,
): Promise<PayAt | null> {
  const days = daysInMessage(read);
  if (days.length < 2) return onOneDay(config, origin, read, timeNow);
  const named = dayInName(origin, config.executionDate);
  if (named !== null) {
    const words = { named, written: days.slice(0, NAMED_MOST).join(', ') };
    throw new FileRefused('execution_dates_differ', sentence('executionDay.executionDayOf', words));
  }
  const now = await timeNow();
  const [first, ...later] = days.map((day) => ({ day, ...onDay(day, config.executionDate, now) }));
  if (first === undefined) return null;
  const { day, ...payAt } = first;
  return { ...payAt, days: [{ day, at: payAt.at }, ...later.map(({ day, at }) => ({ day, at }))] };
}

async function onOneDay(
  config: ReadingConfig,
  origin: string,
  read: ReadFile,
  timeNow: () => number | Promise<number>,
): Promise<PayAt | null> {
  const { executionDate } = config;
  const day = await executionDayOf(origin, read, executionDate);
  const schedule = day === null ? (folderRuleFor(origin, config)?.schedule ?? null) : null;
  if (day === null && schedule === null) return null;
  const now = await timeNow();
  return schedule === null ? onDay(day ?? '', executionDate, now) : atNextTime(schedule, now);
}

/** The batch of a standing file for one time of its schedule. */
export function standingPayAt(schedule: Schedule, series: string, at: number): PayAt {
  const next = nextTime(schedule, at) ?? Infinity;
  const { folder, timeZone, missed } = schedule;
  const standing = { series, next: isoTime(Math.min(next, LAST_MS)) };
  return { at: isoTime(at), timeZone, missed, folder, standing };
}

export function scheduledWords({ at, timeZone, openTo }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return sentence(openTo === undefined ? 'awaitTime.scheduled' : 'awaitTime.nextDay', { time });
}

/** What a look at a file says of its days to come; null where there is none. */
export function dueWords(payAt: PayAt | null, now: number): Words | null {
  if (payAt === null) return null;
  const { timeZone, at, days = [{ at }] } = payAt;
  const times = days.map((day) => Date.parse(day.at)).filter((time) => time > now);
  const [first] = times;
  if (first === undefined) return null;
  if (days.length === 1) return sentence('decidePayAt.due', { time: timeWords(first, timeZone) });
  const shown = times.slice(0, NAMED_MOST).map((time) => shortTimeWords(time, timeZone));
  const more = times.length > NAMED_MOST ? [sameWords('…')] : [];
  return sentence('decidePayAt.dueOnDays', {
    count: days.length,
    list: joinWords([...shown, ...more], ', '),
  });
}

/** A standing file comes again and again: a day of its own would be past from the second time on. Throws `FileRefused`. */
export async function assertNoDay(
  { config }: Pick<Paydrop, 'config'>,
  path: string,
  read: ReadFile,
): Promise<void> {
  const [several] = daysInMessage(read);
  const day = several ?? (await executionDayOf(path, read, config.executionDate));
  if (day === null) return;
  throw new FileRefused('execution_date_standing', sentence('decidePayAt.assertNoDay', { day }));
}

/** The last moment that has a name in ISO 8601 with four digits. */
const LAST_MS = Date.UTC(9999, 11, 31);

function atNextTime(schedule: Schedule, now: number): PayAt | null {
  const { folder, timeZone, missed } = schedule;
  const at = nextTime(schedule, now);
  return at === null ? null : { at: isoTime(at), timeZone, missed, folder };
}

/** German programs write this day for "at once"; every other day before the second is what a program writes that has none: 0001-01-01, 1900-01-01, 1970-01-01. */
const AT_ONCE = '1999-01-01';
const FIRST_DAY = '2000-01-02';

/** A day in words, without any arithmetic: no calendar knows them all. */
function assertDayIsMeant(day: string, now: number): void {
  if (day > isoTime(now + FARTHEST_MS).slice(0, FIRST_DAY.length))
    throw new FileRefused('execution_date_too_far', sentence('decidePayAt.onDay', { day }));
  if (day < FIRST_DAY && day !== AT_ONCE)
    throw new FileRefused('execution_date_too_far', sentence('decidePayAt.noDay', { day }), {
      remedy: sentence('decidePayAt.noDay.remedy'),
    });
}

function onDay(day: string, { at: time, timeZone, past }: ExecutionDates, now: number): PayAt {
  assertDayIsMeant(day, now);
  const at = timeOn(day, time, timeZone);
  // Today is not past, at whatever hour the file comes.
  const isToday = dayIn(timeZone, now) === day;
  return { at: isoTime(isToday ? Math.max(at, now) : at), timeZone, missed: past };
}

// The day on which a file asks to be paid, in a column or in its name. A file is paid whole on one day, so whatever leaves a doubt refuses it.

const COLUMN = 'executionDate';

const IN_NAME: Readonly<Record<ExecutionDates['inFileName'], RegExp | null>> = {
  // `payroll@2026-11-28.csv`: exports are called by their date too often for any date to count.
  marked: /@(\d{4}-\d\d-\d\d)$/g,
  any: /(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)/g,
  never: null,
};

/** Rows that are named one by one where they do not agree. */
const NAMED_MOST = 5;

/** `yyyy-mm-dd`, or null when the file asks for none. Throws `FileRefused`. `path` is as its owner calls it. */
async function executionDayOf(
  path: string,
  read: ReadFile,
  dates: Pick<ExecutionDates, 'inFileName'>,
): Promise<string | null> {
  const named = dayInName(path, dates);
  const written = await dayWithin(read);
  if (named === null || written === null || named === written) return named ?? written;
  throw new FileRefused(
    'execution_dates_differ',
    sentence('executionDay.executionDayOf', { named, written }),
  );
}

function dayInName(path: string, { inFileName }: Pick<ExecutionDates, 'inFileName'>): string | null {
  const form = IN_NAME[inFileName];
  const stem = basename(path, extname(path));
  const found = form === null ? [] : [...stem.matchAll(form)].map(([, day = '']) => day);
  const [day = null, ...others] = new Set(found);
  if (day === null) return null;
  if (others.length > 0)
    throw new FileRefused(
      'execution_dates_differ',
      sentence('executionDay.dayInName', { join: [day, ...others].join(', ') }),
    );
  if (!isDay(day)) throw unreadable([{ text: day, row: null }]);
  return day;
}

/** The days that a message names, in their order, each once; none of any other file. Throws `FileRefused`. */
function daysInMessage({ table }: ReadFile): readonly string[] {
  const days = [...(table.message?.days.keys() ?? [])].sort();
  const wrong = days.filter((day) => !isDay(day)).slice(0, NAMED_MOST);
  if (wrong.length > 0) throw unreadable(wrong.map((text) => ({ text, row: null })));
  return days;
}

/** A message was asked for its days while it was surveyed. */
async function dayWithin(read: ReadFile): Promise<string | null> {
  if (read.table.message !== undefined) return daysInMessage(read)[0] ?? null;
  return isSaid(read.table, COLUMN) ? dayInRows(read) : null;
}

/** `days`: the two that the text can be, where it can be two. */
type Said = { readonly text: string; readonly row: string | null; readonly days?: readonly string[] };

async function dayInRows(read: ReadFile): Promise<string | null> {
  const firsts = new Map<string, string>();
  const wrong: Said[] = [];
  for await (const row of read.rows()) {
    const text = cellOf(read.table, row, COLUMN).trim();
    const days = text === '' ? [''] : daysOf(text);
    const [day = ''] = days;
    if (days.length !== 1) {
      if (wrong.length < NAMED_MOST) wrong.push({ text, row: row.place, days });
    } else if (!firsts.has(day)) firsts.set(day, row.place);
  }
  if (wrong.length > 0) throw unreadable(wrong);
  const [only = '', ...others] = firsts.keys();
  if (others.length > 0) throw differing(firsts);
  return only === '' ? null : only;
}

const YEAR_FIRST = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

const MONTHS = 12;

/** The days, `yyyy-mm-dd`, that a cell can be: none, one, or two where its month may come first. */
function daysOf(text: string): readonly string[] {
  const [, first = '', second = '', last = ''] = YEAR_LAST.exec(text) ?? [];
  if (last === '') return [text.replace(YEAR_FIRST, (_, ...parts: string[]) => dashed(parts))].filter(isDay);
  const days = [dashed([last, second, first]), dashed([last, first, second])];
  if (Number(first) > MONTHS) return days.slice(0, 1).filter(isDay);
  // Where only the second number is a day, the writer may have slipped.
  return days.every(isDay) ? [...new Set(days)] : [];
}

function dashed([year = '', month = '', day = '']: readonly string[]): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function isDay(text: string): boolean {
  return parseIsoTime(`${text}T00:00:00Z`) !== null;
}

function unreadable(said: readonly Said[]): FileRefused {
  const texts = said.map(({ text, row }) =>
    row === null ? sameWords(`"${text}"`) : sentence('executionDay.atRow', { day: text, row }),
  );
  const list = joinWords(texts, ', ');
  const words = eitherWords(said, list) ?? sentence('executionDay.unreadable', { list });
  return new FileRefused('execution_date_unreadable', words);
}

/** Null unless each text can be two days. */
function eitherWords(said: readonly Said[], list: Words): Words | null {
  const [first] = said;
  const [one, other] = first?.days ?? [];
  if (first === undefined || one === undefined || other === undefined) return null;
  const isEach = said.every(({ days = [] }) => days.length > 1);
  return isEach ? sentence('executionDay.ambiguous', { list, text: first.text, one, other }) : null;
}

function differing(firsts: ReadonlyMap<string, string>): FileRefused {
  const days = [...firsts]
    .slice(0, NAMED_MOST)
    .map(([day, row]) => sentence('executionDay.fromRow', { day, row }));
  const words = sentence('executionDay.differing', { list: joinWords(days, ', ') });
  return new FileRefused('execution_dates_differ', words);
}
