// A batch's texts as tables, and which transfers may be its rows'.
import { createHash } from 'node:crypto';

import { parse } from 'csv-parse/sync';

import { parseJsonExactly } from './exact-amounts.ts';
import type { BatchEvidence } from './evidence.ts';
import { expectedTransferId } from './expected-id.ts';

/** A line by its column names. */
export type Cells = Readonly<Record<string, string>>;

export type SummaryEvidence = {
  readonly state: string;
  readonly file: { readonly rows: string; readonly sha256: string };
  readonly outcomes: Readonly<Record<string, string>>;
  readonly totals: readonly Cells[];
  readonly received: readonly Cells[];
};

export type ReadBatch = {
  readonly fileName: string;
  readonly input: readonly Cells[];
  readonly result: readonly Cells[];
  readonly reconciliation: readonly Cells[];
  readonly summary: SummaryEvidence;
  /** The row's number → the ids that its transfers may have, first attempt first. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** The SHA-256 of the input's bytes. */
  readonly fileId: string;
};

/** More attempts than any row of a test may take. */
const ATTEMPTS_MOST = 12;

/** The header is line 1, so the first row is line 2. */
const FIRST_ROW = 2;

export function readBatch({
  fileName,
  file,
  day,
  result,
  reconciliation,
  summary,
}: BatchEvidence): ReadBatch {
  const input = tableOf(file);
  const fileId = createHash('sha256').update(file).digest('hex');
  const paidAs = day === undefined ? fileId : `${fileId}#${day}`;
  return {
    fileName,
    input,
    fileId,
    result: tableOf(result),
    reconciliation: tableOf(reconciliation),
    summary: parseJsonExactly(summary) as SummaryEvidence,
    ids: new Map(input.map((_cells, index) => [rowOf(index), idsOf(paidAs, rowOf(index))])),
  };
}

/** The number under which a person sees the row. */
export function rowOf(index: number): string {
  return String(index + FIRST_ROW);
}

function idsOf(fileId: string, row: string): readonly string[] {
  return Array.from({ length: ATTEMPTS_MOST }, (_none, index) => expectedTransferId(fileId, row, index + 1));
}

/** A cell that a spreadsheet program would run as a formula was made harmless by one apostrophe. */
function tableOf(text: string): readonly Cells[] {
  const cast = (value: string): string => (/^'[=+\-@]/.test(value) ? value.slice(1) : value);
  return parse<Cells>(text, { columns: true, cast });
}
