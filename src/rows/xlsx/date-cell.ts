// A date is a count of days since 1900 or 1904. It is given as ISO 8601, which reads the same everywhere.

const DAY_SECONDS = 86_400;
const DAY_MS = 86_400_000;

/** Day 1 is 1900-01-01, and day 60 the 29th of February that 1900 did not have; from day 61 on this is the day before day 1. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const LEAP_BUG_DAY = 60;

/** 9999-12-31, the last day that spreadsheet programs know. */
const DAY_LAST = 2_958_465;

/** The date of a stored count of days, or null when it is none. */
export function dateText(stored: string, is1904: boolean): string | null {
  const days = Number(stored);
  if (!(days >= 0) || days >= DAY_LAST + 1) return null;
  const seconds = Math.round(days * DAY_SECONDS);
  const day = Math.floor(seconds / DAY_SECONDS);
  const time = timeText(seconds % DAY_SECONDS);
  if (day === 0 && !is1904) return time;
  const date = is1904 ? isoDay(EPOCH_1904, day) : day1900(day);
  return time === MIDNIGHT ? date : `${date}T${time}`;
}

const MIDNIGHT = '00:00:00';

function day1900(day: number): string {
  if (day === LEAP_BUG_DAY) return '1900-02-29';
  return isoDay(EPOCH_1900, day < LEAP_BUG_DAY ? day + 1 : day);
}

function isoDay(epoch: number, day: number): string {
  return new Date(epoch + day * DAY_MS).toISOString().slice(0, 10);
}

/** Of the seconds of a day. */
function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(11, 19);
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?$/;

/** A date that is stored as ISO 8601 already (`t="d"`), or null when it is none. */
export function isoDateText(stored: string): string | null {
  const [, date, time = MIDNIGHT] = ISO.exec(stored) ?? [];
  if (date === undefined) return null;
  return time === MIDNIGHT ? date : `${date}T${time}`;
}
