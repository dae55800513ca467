// What the process that reads workbooks is told and what it answers. Everything is plain data, because it crosses from one process to another.
import type { Words } from '../../base/language.ts';
import type { FileRefusalCode } from '../file-refused.ts';
import type { XlsxForm } from '../form.ts';
import type { FoundHeader, HeaderKind } from '../header.ts';
import type { ShownCurrencies } from '../row.ts';

export type ReadJob = {
  /** The sheet that a profile names. */
  readonly sheet: string | null;
  /** A profile's own headers, folded, and what they mean. */
  readonly aliases: readonly (readonly [string, string | null])[];
  readonly header: HeaderKind;
  readonly isList: boolean;
  /** Only the first rows are wanted, whatever they mean. */
  readonly isPeek: boolean;
};

/** Sent for each batch of rows that has been used up. */
export const MORE = 'more';

/** Place, cells, the first letters of their kinds, and the currencies that number formats show. */
export type WireRow = readonly [
  place: number,
  cells: readonly string[],
  kinds: string,
  currencies: ShownCurrencies,
];

/** A merged area in words, and the row that it begins in. */
export type MergedArea = { readonly row: number; readonly area: string };

export type ReaderMessage =
  /** A sign of life while much is read and nothing can be given yet. */
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'opened';
      readonly sheet: string;
      readonly isOnlySheet: boolean;
      /** The other sheets that can be seen and hold anything. */
      readonly unread: readonly string[];
      readonly header: FoundHeader;
    }
  | { readonly kind: 'peeked'; readonly sheet: string; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rows'; readonly rows: readonly WireRow[] }
  /** The rows down to the header, the number format of each column, and the highest merged area below the header, if any. */
  | {
      readonly kind: 'end';
      readonly head: XlsxForm['head'];
      readonly numberFormats: readonly string[];
      readonly firstMerge: MergedArea | null;
    }
  | { readonly kind: 'refused'; readonly code: FileRefusalCode; readonly fault: Words };
