// What a kind of file must offer, and what its reader is asked and gives.
import type { DecimalMark, Delimiter, EncodingName } from './form.ts';
import type { HeaderAliases } from './header.ts';
import type { Row, Table } from './row.ts';

// What a reader is asked and what it gives, the same for every kind of spreadsheet.

export type ReadOptions = {
  /** `intake.rowsMax` and `intake.bytesMax` of the config. */
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** `auto` lets each column decide, and refuses the file where it cannot. */
  readonly decimalMark: DecimalMark | 'auto';
  readonly delimiter?: Delimiter | 'auto';
  readonly encoding?: EncodingName | 'auto';
  /** The sheet of a workbook that a profile names; else the only one whose header fits is read. */
  readonly sheet?: string;
  /** Headers of a profile, folded by `foldHeader` → canonical name. */
  readonly headerAliases?: HeaderAliases;
};

export type ReadFile = {
  readonly table: Table;
  /** The payout rows in the order of the file; each call reads the file anew, so memory stays bounded. Throws `FileRefused` when the file has changed. */
  readonly rows: () => AsyncIterable<Row>;
};

// What can be seen of a file before anything is known of it.

export type Peek = {
  /** At least the rows in which a header may stand. */
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: Delimiter | null;
  readonly sheet: string | null;
};
