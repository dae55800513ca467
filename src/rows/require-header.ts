// Without a header, or without amounts in it, nothing of a file can be paid; what is missing is said the same way for every kind of file.
import { FileRefused } from './file-refused.ts';
import { HEADER_WITHIN_ROWS, type FoundHeader } from './find-header.ts';
import { isBlank } from './table-shape.ts';
import { sentence } from '../messages/messages.ts';

/** The header that was found among the first rows. Throws `FileRefused` where it is none to pay by. */
export function requireHeader(first: readonly (readonly string[])[], found: FoundHeader | null): FoundHeader {
  if (found === null) throw headerNotFound(first);
  if (!found.hasAmount)
    throw new FileRefused('amount_column_missing', sentence('requireHeader.text', { record: found.record }));
  return found;
}

function headerNotFound(first: readonly (readonly string[])[]): FileRefused {
  const isEmpty = first.every(isBlank);
  if (isEmpty)
    return new FileRefused('empty_file', sentence('requireHeader.headerNotFound.fileHoldsNothing'));
  return new FileRefused(
    'header_not_found',
    sentence('requireHeader.headerNotFound.thereHeaderRow', { headerWithinRows: HEADER_WITHIN_ROWS }),
  );
}
