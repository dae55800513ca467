// The day on which a file asks to be paid, in a column or in its name. A file is paid whole on one day, so whatever leaves a doubt refuses it.
import { basename, extname } from 'node:path';

import type { Words } from '../../../base/language.ts';
import { parseIsoTime } from '../../../base/clock.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/read-file.ts';
import { cellOf, saysSomething } from '../../../rows/row.ts';
import type { ExecutionDates } from '../../config/schedule-config.ts';

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
  throw new FileRefused('execution_dates_differ', {
    en: `The name of the file says that it is to be paid on ${named}, and its rows say on ${written}.`,
    fr: `Le nom du fichier dit qu'il est à payer le ${named}, et ses lignes disent le ${written}.`,
  });
}

function dayInName(stem: string, form: RegExp | null): string | null {
  const found = form === null ? [] : [...stem.matchAll(form)].map(([, day = '']) => day);
  const [day = null, ...others] = new Set(found);
  if (day === null) return null;
  if (others.length > 0)
    throw new FileRefused('execution_dates_differ', {
      en: `The name of the file names several days: ${[day, ...others].join(', ')}.`,
      fr: `Le nom du fichier nomme plusieurs jours : ${[day, ...others].join(', ')}.`,
    });
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
  return new FileRefused('execution_date_unreadable', {
    en: `No day can be read from the execution date: ${list('row')}.`,
    fr: `La date d'exécution n'est pas lisible : ${list('ligne')}.`,
  });
}

function differing(firsts: ReadonlyMap<string, string>): FileRefused {
  const list = ({ row, none }: { readonly row: string; readonly none: string }) =>
    [...firsts]
      .slice(0, NAMED_MOST)
      .map(([day, place]) => `${day === '' ? none : day} (${row} ${place})`)
      .join(', ');
  const words: Words = {
    en: `The rows do not agree on the day on which they are to be paid: ${list({ row: 'from row', none: 'none' })}.`,
    fr: `Les lignes ne s'accordent pas sur le jour du paiement : ${list({ row: 'à partir de la ligne', none: 'aucun' })}.`,
  };
  return new FileRefused('execution_dates_differ', words);
}
