// What a cell means where a profile speaks for the program that wrote it. The cell itself stays as it is, and goes back to its owner so.
import { foldHeader } from './fold-header.ts';
import type { NamePart } from './split-name.ts';

export type Meaning = {
  /** The profile's name, for messages. */
  readonly profile: string;
  /** Canonical name → what every row says that says nothing itself. */
  readonly constants: ReadonlyMap<string, string>;
  /** Canonical name → the file's word, folded → the value that is meant. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Canonical name → the column of which it is a part. */
  readonly parts: ReadonlyMap<string, NamePart>;
  /** Canonical name → the one that speaks for it where a row is silent. */
  readonly same: ReadonlyMap<string, string>;
};

/** The profile's value for the cell's word, the word itself, or the constant where the cell says nothing. */
export function meaningOf(
  cell: string,
  canonical: string,
  { constants, values }: Pick<Meaning, 'constants' | 'values'>,
): string {
  if (cell.trim() === '') return constants.get(canonical) ?? cell;
  return values.get(canonical)?.get(foldHeader(cell)) ?? cell;
}
