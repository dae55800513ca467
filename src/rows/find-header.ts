// Exports carry a title, a period and blank lines above their header, so the header is the row that reads most like one.
import { type HeaderAliases, mapHeader } from './columns.ts';
import { isAmountColumn } from './known-columns.ts';
import type { Column } from './row.ts';

/** Title blocks of real exports end well before this; what lies deeper is data. */
export const HEADER_WITHIN_ROWS = 30;

/** One column alone may be a word in a title that happens to be an alias. */
const COLUMNS_LEAST = 2;

export type FoundHeader = {
  /** Position of the record in the file, from 0. */
  readonly record: number;
  readonly columns: readonly Column[];
  /** How many of its columns are known, and how many different ones they are. */
  readonly mapped: number;
  readonly known: number;
  readonly hasAmount: boolean;
};

/** The best header among the first records, or null when none names two known columns. One with an amount beats one without. */
export function findHeader(
  records: readonly (readonly string[])[],
  aliases: HeaderAliases,
): FoundHeader | null {
  let best: FoundHeader | null = null;
  for (const [record, cells] of records.slice(0, HEADER_WITHIN_ROWS).entries()) {
    const found = readAsHeader(record, cells, aliases);
    if (found.mapped >= COLUMNS_LEAST && (best === null || isBetter(found, best))) best = found;
  }
  return best;
}

function readAsHeader(record: number, cells: readonly string[], aliases: HeaderAliases): FoundHeader {
  const columns = mapHeader(cells, aliases);
  const canonical = columns.flatMap((column) => column.canonical ?? []);
  return {
    record,
    columns,
    mapped: canonical.length,
    known: new Set(canonical).size,
    hasAmount: canonical.some(isAmountColumn),
  };
}

function isBetter(found: FoundHeader, best: FoundHeader): boolean {
  if (found.hasAmount !== best.hasAmount) return found.hasAmount;
  return found.known > best.known;
}
