// Without a header, or without amounts in it, nothing of a file can be paid; what is missing is said the same way for every kind of file.
import { FileRefused } from './file-refused.ts';
import { HEADER_WITHIN_ROWS, type FoundHeader } from './find-header.ts';
import { isBlank } from './table-shape.ts';

/** The header that was found among the first rows. Throws `FileRefused` where it is none to pay by. */
export function requireHeader(first: readonly (readonly string[])[], found: FoundHeader | null): FoundHeader {
  if (found === null) throw headerNotFound(first);
  if (!found.hasAmount)
    throw new FileRefused('amount_column_missing', {
      en: `The header in row ${found.record + 1} has no column of amounts.`,
      fr: `L'en-tête à la ligne ${found.record + 1} n'a pas de colonne de montants.`,
    });
  return found;
}

function headerNotFound(first: readonly (readonly string[])[]): FileRefused {
  const isEmpty = first.every(isBlank);
  if (isEmpty)
    return new FileRefused('empty_file', {
      en: 'The file holds nothing but empty rows.',
      fr: 'Le fichier ne contient que des lignes vides.',
    });
  return new FileRefused('header_not_found', {
    en: `There is no header: no row among the first ${HEADER_WITHIN_ROWS} names two known columns.`,
    fr: `Il n'y a pas d'en-tête : aucune des ${HEADER_WITHIN_ROWS} premières lignes ne nomme deux colonnes connues.`,
  });
}
