// An answer as a table, before anybody decides whether it becomes CSV or a workbook.
import type { Column, Row } from '../rows/row.ts';
import type { Outcome } from '../payouts/outcome.ts';

/** What a column of ours holds: amounts and rates, moments in ISO 8601, or text. */
export type AnswerKind = 'text' | 'number' | 'moment';

export type AnswerColumn = { readonly header: string; readonly kind: AnswerKind };

/** `column` is a header of the input, or the canonical name of a column that it lacks. */
export type Fault = { readonly column: string; readonly message: string };

export type AnswerRow = {
  /** The row of the input that stands first in this line; null when the table mirrors none. */
  readonly row: Row | null;
  /** The input's cells in `AnswerTable.own`, changed where they must be for coming back. */
  readonly own: readonly string[];
  /** One for each of `AnswerTable.added`. */
  readonly added: readonly string[];
  /** What is wrong with the cells of the input. */
  readonly faults?: readonly Fault[];
  readonly outcome?: Outcome;
};

export type AnswerTable = {
  /** The input's own columns. */
  readonly own: readonly Column[];
  readonly added: readonly AnswerColumn[];
  readonly rows: AsyncIterable<AnswerRow>;
};
