// What a cell means where a profile speaks for the program that wrote it. The cell itself stays as it is, and goes back to its owner so.
import { foldHeader } from './fold-header.ts';

export type Meaning = {
  /** The profile's name, for messages. */
  readonly profile: string;
  /** Canonical name → what every row says that says nothing itself. */
  readonly constants: ReadonlyMap<string, string>;
  /** Canonical name → the file's word, folded → the value that is meant. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
};

/** The profile's value for the cell's word, the word itself, or the constant where the cell says nothing. */
export function meaningOf(cell: string, canonical: string, { constants, values }: Meaning): string {
  if (cell.trim() === '') return constants.get(canonical) ?? cell;
  return values.get(canonical)?.get(foldHeader(cell)) ?? cell;
}
