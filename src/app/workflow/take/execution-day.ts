// The day on which a file asks to be paid, in a column or in its name. A file is paid whole on one day, so whatever leaves a doubt refuses it.
import { basename, extname } from 'node:path';

import type { Words } from '../../../base/language.ts';
import { parseIsoTime } from '../../../base/clock.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { cellOf, saysSomething } from '../../../rows/row.ts';
import type { ExecutionDates } from '../../config/schedule-config.ts';
import { sentence } from '../../../messages/messages.ts';

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
export async function executionDayOf(
  path: string,
  read: ReadFile,
  { inFileName }: Pick<ExecutionDates, 'inFileName'>,
): Promise<string | null> {
  const named = dayInName(basename(path, extname(path)), IN_NAME[inFileName]);
  const written = saysSomething(read.table, COLUMN) ? await dayInRows(read) : null;
  if (named === null || written === null || named === written) return named ?? written;
  throw new FileRefused(
    'execution_dates_differ',
    sentence('executionDay.executionDayOf', { named, written }),
  );
}

function dayInName(stem: string, form: RegExp | null): string | null {
  const found = form === null ? [] : [...stem.matchAll(form)].map(([, day = '']) => day);
  const [day = null, ...others] = new Set(found);
  if (day === null) return null;
  if (others.length > 0)
    throw new FileRefused(
      'execution_dates_differ',
      sentence('executionDay.dayInName', { join: [day, ...others].join(', ') }),
    );
  if (!isDay(day)) throw unreadable([{ day, row: null }]);
  return day;
}

type Said = { readonly day: string; readonly row: string | null };

async function dayInRows(read: ReadFile): Promise<string | null> {
  const firsts = new Map<string, string>();
  const wrong: Said[] = [];
  for await (const row of read.rows()) {
    const day = cellOf(read.table, row, COLUMN).trim();
    if (!firsts.has(day)) firsts.set(day, row.place);
    if (day !== '' && !isDay(day) && wrong.length < NAMED_MOST) wrong.push({ day, row: row.place });
  }
  if (wrong.length > 0) throw unreadable(wrong);
  const [only = '', ...others] = firsts.keys();
  if (others.length > 0) throw differing(firsts);
  return only === '' ? null : only;
}

function isDay(text: string): boolean {
  return parseIsoTime(`${text}T00:00:00Z`) !== null;
}

function unreadable(said: readonly Said[]): FileRefused {
  const list = (at: string) =>
    said.map(({ day, row }) => (row === null ? `"${day}"` : `"${day}" (${at} ${row})`)).join(', ');
  return new FileRefused(
    'execution_date_unreadable',
    sentence('executionDay.unreadable', { list: list('row'), list2: list('ligne') }),
  );
}

function differing(firsts: ReadonlyMap<string, string>): FileRefused {
  const list = ({ row, none }: { readonly row: string; readonly none: string }) =>
    [...firsts]
      .slice(0, NAMED_MOST)
      .map(([day, place]) => `${day === '' ? none : day} (${row} ${place})`)
      .join(', ');
  const words: Words = sentence('executionDay.differing', {
    list: list({ row: 'from row', none: 'none' }),
    list2: list({ row: 'à partir de la ligne', none: 'aucun' }),
  });
  return new FileRefused('execution_dates_differ', words);
}
