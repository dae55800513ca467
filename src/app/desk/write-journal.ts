// `journal`: the entries of a closed batch, or of the days of a period over all of them, as a file that an accounting program imports.
import { publishFile } from '../../base/atomic-file.ts';
import { moneyWords } from '../../base/currency.ts';
import { fromUnits } from '../../base/decimal.ts';
import { ToldError, type Words } from '../../base/language.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import { decimalsIn, entriesOf, type JournalEntry } from '../../results/journal.ts';
import { journalEnding, type JournalFormat, writeJournal } from '../../results/journal-formats.ts';
import type { Records } from '../parts.ts';
import { assertPlace } from './output-place.ts';
import { periodOf } from './reconcile-period.ts';

/** One batch, or the days of a period, both included, in UTC. */
export type JournalOrder = {
  readonly batch?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly format: JournalFormat;
};

/** `heldRows` and `openBatches` are not in it: what becomes of them is not known yet. */
export type JournalReport = {
  entries: number;
  reversals: number;
  /** What stands on each side, in minor units; equal. */
  debit: bigint;
  credit: bigint;
  heldRows: number;
  openBatches: number;
};

type Days = { readonly from: string; readonly to: string };

/** Its name, and its bytes, which complete the report; or the fault of the order. Reading the bytes throws `ToldError` for a currency without a rate. */
export async function openJournal(
  records: Records,
  order: JournalOrder,
): Promise<
  | { readonly name: string; readonly bytes: AsyncIterable<Uint8Array>; readonly report: JournalReport }
  | { readonly fault: Words }
> {
  const { config, ledger } = records;
  const { batch: id, from, to, format } = order;
  const report = { entries: 0, reversals: 0, debit: 0n, credit: 0n, heldRows: 0, openBatches: 0 };
  const days = from === undefined || to === undefined ? null : { from, to };
  if ((id === undefined) === (days === null) || (from === undefined) !== (to === undefined))
    return { fault: sentence('reconcile.oneOrPeriod') };
  if (days !== null && periodOf(days) === null) return { fault: sentence('reconcile.twoDays') };
  const one = id === undefined ? null : await ledger.batch(id);
  if (id !== undefined && one === null) return { fault: sentence('command.noBatch', { id }) };
  if (one !== null && one.state !== 'closed') return { fault: sentence('journal.notClosed', { id: one.id }) };
  const batches = one === null ? await ledger.batches() : [one];
  const entries = entriesFrom(records, batches, days, report);
  const named = days === null ? (id ?? '') : `${days.from}_${days.to}`;
  return {
    name: `journal.${named}.${journalEnding(format)}`,
    bytes: writeJournal(format, entries, config.journal, config.language),
    report,
  };
}

async function* entriesFrom(
  { ledger, config }: Records,
  batches: readonly BatchRecord[],
  days: Days | null,
  report: JournalReport,
): AsyncGenerator<JournalEntry> {
  for (const { id, state, sandbox } of batches) {
    if (state === 'refused') continue;
    if (state !== 'closed') {
      report.openBatches += 1;
      continue;
    }
    for await (const row of batchRows(ledger, id)) {
      if (row.progress.hold !== null && row.progress.transfer !== null) report.heldRows += 1;
      for (const entry of entriesOf(row, sandbox, config.journal))
        if (days === null || (days.from <= entry.date && entry.date <= days.to)) {
          note(report, entry);
          yield entry;
        }
    }
  }
}

function note(report: JournalReport, { kind, lines }: JournalEntry): void {
  report.entries += 1;
  if (kind === 'reversal') report.reversals += 1;
  for (const { debit, credit } of lines) {
    report.debit += debit;
    report.credit += credit;
  }
}

/** Where it was written, and what is in it, in words; or the fault of the order. Throws `ConfigUnusable` for a place where nothing may be written. */
export async function saveJournal(
  records: Records,
  order: JournalOrder,
  { path: given, mayReplace }: { readonly path?: string | undefined; readonly mayReplace: boolean },
): Promise<
  { readonly path: string; readonly report: JournalReport; readonly words: Words } | { readonly fault: Words }
> {
  const opened = await openJournal(records, order);
  if ('fault' in opened) return opened;
  const { name, bytes, report } = opened;
  const path = given ?? name;
  await assertPlace(path, mayReplace);
  try {
    await publishFile(path, bytes);
  } catch (error) {
    if (error instanceof ToldError) return { fault: error.words };
    throw error;
  }
  const { currency } = records.config.journal;
  const sum = moneyWords(fromUnits(report.debit, decimalsIn(currency)), currency);
  const { entries, reversals, heldRows, openBatches } = report;
  return {
    path,
    report,
    words: sentence('journal.written', { path, entries, reversals, sum, heldRows, openBatches }),
  };
}
