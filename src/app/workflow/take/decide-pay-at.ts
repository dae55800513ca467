// When a file is paid, decided as it is taken: on the day that it asks for, or at the next time of its folder's schedule.
import { isoTime } from '../../../base/clock.ts';
import type { DroppedFile } from '../../../inbox/dropped-file.ts';
import type { PayAt } from '../../../ledger/pay-at.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Paydrop } from '../../parts.ts';
import { timeByBoth } from '../../parts/time-at-service.ts';
import { executionDayOf } from './execution-day.ts';
import { folderRuleFor } from './folder-rules.ts';
import { dayIn, nextTime, timeOn, timeWords } from '../../config/occurrences.ts';
import type { ExecutionDates, Schedule } from '../../config/schedule-config.ts';
import { sentence } from '../../../messages/messages.ts';

/** A day that is farther off is a slip of the pen more often than a plan. */
const FARTHEST_MS = 366 * 86_400_000;

/** Null: as soon as it can be. Throws `FileRefused`. */
export async function decidePayAt(
  paydrop: Paydrop,
  { origin }: DroppedFile,
  read: ReadFile,
): Promise<PayAt | null> {
  const { config, clock } = paydrop;
  const { executionDate } = config;
  const day = await executionDayOf(origin, read, executionDate);
  const schedule = day === null ? (folderRuleFor(origin, config)?.schedule ?? null) : null;
  if (day === null && schedule === null) return null;
  // A clock that is ahead would pass over the times between.
  const now = (await timeByBoth(paydrop)) ?? clock.now();
  return schedule === null ? onDay(day ?? '', executionDate, now) : atNextTime(schedule, now);
}

/** The batch of a standing file for one time of its schedule. */
export function standingPayAt(schedule: Schedule, series: string, at: number): PayAt {
  const next = nextTime(schedule, at) ?? Infinity;
  const { timeZone, missed } = schedule;
  const standing = { series, next: isoTime(Math.min(next, LAST_MS)) };
  return { at: isoTime(at), timeZone, missed, standing };
}

/** A standing file comes again and again: a day of its own would be past from the second time on. Throws `FileRefused`. */
export async function assertNoDay(
  { config }: Pick<Paydrop, 'config'>,
  path: string,
  read: ReadFile,
): Promise<void> {
  const day = await executionDayOf(path, read, config.executionDate);
  if (day === null) return;
  throw new FileRefused('execution_date_standing', sentence('decidePayAt.assertNoDay', { day }));
}

/** The last moment that has a name in ISO 8601 with four digits. */
const LAST_MS = Date.UTC(9999, 11, 31);

function atNextTime(schedule: Schedule, now: number): PayAt | null {
  const at = nextTime(schedule, now);
  return at === null ? null : { at: isoTime(at), timeZone: schedule.timeZone, missed: schedule.missed };
}

function onDay(day: string, { at: time, timeZone, past }: ExecutionDates, now: number): PayAt {
  const at = timeOn(day, time, timeZone);
  if (at - now > FARTHEST_MS)
    throw new FileRefused(
      'execution_date_too_far',
      sentence('decidePayAt.onDay', { timeWords: timeWords(at, timeZone) }),
    );
  // Today is not past, at whatever hour the file comes.
  const isToday = dayIn(timeZone, now) === day;
  return { at: isoTime(isToday ? Math.max(at, now) : at), timeZone, missed: past };
}
