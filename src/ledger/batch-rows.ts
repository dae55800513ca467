// The records of a batch, page by page, so that an answer about a million rows is written in the memory of a thousand.
import { setImmediate as turn } from 'node:timers/promises';

import { FINAL } from '../payouts/lifecycle.ts';
import { stageOrHeld, whyOf } from '../payouts/progress.ts';
import { isOnDays } from './days.ts';
import type { Ledger, RowFilter } from './ledger.ts';
import type { BatchRecord, Checked, Repeats, RowRecord } from './records.ts';

/** Few enough that to read them holds up nobody, and that they are forgotten before the engine has to move them to where long-lived objects lie. */
const PAGE_ROWS = 50;

/** All rows of a batch in the order of its file, or those that a filter means. */
export async function* batchRows(
  ledger: Ledger,
  batch: string,
  filter?: RowFilter,
): AsyncGenerator<RowRecord> {
  for await (const page of batchPages(ledger, batch, filter)) yield* page;
}

/** The same, some at a time. */
export async function* batchPages(
  ledger: Ledger,
  batch: string,
  filter?: RowFilter,
): AsyncGenerator<readonly RowRecord[]> {
  for (let from = 0; ;) {
    const page = await ledger.rows(batch, from, PAGE_ROWS, filter);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    // Reading a page waits for nothing: without this, all pages together would hold up everybody else.
    if (page.length === PAGE_ROWS) await turn();
    from = last.position + 1;
  }
}

/** Most of a file is at least half of it, and no single row: by chance one meets another now and then. */
export function repeatsOf({ rows }: Pick<BatchRecord, 'rows'>, { repeats = {} }: Checked): Repeats | null {
  const [[batch, count] = ['', 0]] = Object.entries(repeats).sort(([, one], [, two]) => two - one);
  return count >= 2 && 2 * count >= rows ? { batch, rows: count } : null;
}

// Which rows a filter means, asked of the record alone.

/** The words that are looked for, without capitals. */
export function wordsOf({ text = '' }: RowFilter): readonly string[] {
  return plain(text)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Accounts are not looked through: what is looked for may stand in an address, which others log. */
export function isMatch(row: RowRecord, filter: RowFilter): boolean {
  const { stages, code } = filter;
  if (stages !== undefined && !stages.includes(stageOrHeld(row.progress))) return false;
  if (code !== undefined && !codesOf(row).includes(code)) return false;
  const name = Object.entries(row.payout?.receivingParty ?? {})
    .filter(([field]) => /name$/i.test(field))
    .map(([, value]) => value);
  const told = plain([row.reference ?? '', ...name].join(' '));
  return wordsOf(filter).every((word) => told.includes(word) || plain(row.row) === word);
}

/** Whether each of the words stands in the file's name, the batch's id, or the name of somebody who brought it. */
export function hasWords(
  { id, fileName, submittedBy = [] }: Pick<BatchRecord, 'id' | 'fileName' | 'submittedBy'>,
  text: string,
): boolean {
  const told = plain([id, fileName, ...submittedBy].join(' '));
  return wordsOf({ text }).every((word) => told.includes(word));
}

function codesOf({ progress, rejections }: RowRecord): readonly string[] {
  const why = whyOf(progress);
  const codes = rejections.map((rejection): string => rejection.code);
  return [
    ...(why === null ? [] : [why.errorCode]),
    ...(progress.hold === null ? [] : [progress.hold.code]),
    ...codes,
  ];
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

// Of a message that names several days.

/** Everything of the days that have come is final, and later ones wait. */
export async function isDayOver(
  ledger: Pick<Ledger, 'stageCounts'>,
  { id, payAt }: BatchRecord,
): Promise<boolean> {
  if (payAt?.openTo === undefined) return false;
  const stages = [...(await ledger.stageCounts(id)).keys()];
  return stages.includes('scheduled') && stages.every((stage) => stage === 'scheduled' || FINAL.has(stage));
}

/** The rows that are paid together or not at all: those of one day, of a message that names several; without one, of the day that has come last. */
export async function* rowsTogether(
  ledger: Ledger,
  { id, payAt }: BatchRecord,
  day = payAt?.openTo,
): AsyncGenerator<RowRecord> {
  for await (const row of batchRows(ledger, id))
    if (!isOnDays(payAt) || (row.payout !== null && row.payout.payOn === day)) yield row;
}
