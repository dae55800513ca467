// A file that cannot be taken as a whole. Whoever made it reads the message, so it says what is wrong, where, and what to do.

export const FILE_REFUSAL_CODES = [
  'unreadable',
  'file_changed',
  'kind_unknown',
  'xlsx_not_yet',
  'not_text',
  'too_large',
  'too_many_rows',
  'empty_file',
  'nul_character',
  'bytes_undecodable',
  'encoding_uncertain',
  'row_too_long',
  'quote_stray',
  'quote_not_closed',
  'quote_swallows_rows',
  'row_too_short',
  'row_too_wide',
  'header_not_found',
  'header_missing_above_cells',
  'amount_column_missing',
  'column_twice',
  'no_rows',
  'number_ambiguous',
  'numbers_mixed',
  'totals_differ',
  'amount_ambiguous',
] as const;
export type FileRefusalCode = (typeof FILE_REFUSAL_CODES)[number];

/** What to do about each, in words for the person who made the file. */
const REMEDIES: Readonly<Record<FileRefusalCode, string>> = {
  unreadable: 'Check that the file is there and may be read, then drop it again.',
  file_changed: 'Wait until the program that writes the file has finished, then drop it again.',
  kind_unknown: 'Save the spreadsheet as "CSV UTF-8" and drop that file.',
  xlsx_not_yet: 'In the spreadsheet program, save it as "CSV UTF-8" and drop that file.',
  not_text: 'Open it in the program that made it, save it as "CSV UTF-8" and drop that file.',
  too_large: 'Split the file, or raise "intake.bytesMax" in the config.',
  too_many_rows: 'Split the file, or raise "intake.rowsMax" in the config.',
  empty_file: 'Export the file again and check that it holds rows before dropping it.',
  nul_character: 'The file is damaged or is not text. Export it again as "CSV UTF-8".',
  bytes_undecodable: 'Save the file as "CSV UTF-8" so that no letter is lost, then drop it again.',
  encoding_uncertain:
    'Save the file as "CSV UTF-8", or write its encoding into the profile ("encoding: windows-1252").',
  row_too_long: 'Look at that row for a quote (") that is opened and never closed, or for pasted data.',
  quote_stray: 'Remove that quote ("), or export the file again so that its program writes the quotes.',
  quote_not_closed: 'Close or remove that quote ("). The file may also have been cut off: export it again.',
  quote_swallows_rows:
    'Remove the quote (") that does not belong there, so that each payment has its own row.',
  row_too_short: 'Give the row the same number of cells as the header; the file may also have been cut off.',
  row_too_wide: 'Put text that holds the separator between quotes ("), or remove the extra cells.',
  header_not_found:
    'Put a row with column names such as "reference", "amount", "currency" above the payments.',
  header_missing_above_cells: 'Give that column a name, or empty it.',
  amount_column_missing: 'Name the column of the amounts "amount", "sourceAmount" or "destinationAmount".',
  column_twice: 'Rename or remove one of the two, so that there is no doubt which is meant.',
  no_rows: 'Add the payments under the header and drop the file again.',
  number_ambiguous: 'Write into the profile which it is: decimalMark: "." or decimalMark: ",".',
  numbers_mixed: 'Write all amounts of the column in one way.',
  totals_differ: 'Correct the rows or the totals row, then drop the file again.',
  amount_ambiguous:
    'Rename the column to "sourceAmount" (what is sent) or "destinationAmount" (what arrives).',
};

export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: FileRefusalCode;

  /** `fault` says what is wrong and where, as one or more sentences; what to do is added from the table. */
  constructor(code: FileRefusalCode, fault: string, options?: ErrorOptions) {
    super(`${fault} ${REMEDIES[code]}`, options);
    this.code = code;
  }
}
