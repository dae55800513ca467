// A file that cannot be taken as a whole. Whoever made it reads the message, so it says what is wrong, where, and what to do.

export const FILE_REFUSAL_CODES = [
  'unreadable',
  'file_changed',
  'kind_unknown',
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
  'control_differs',
  'control_unreadable',
  'amount_ambiguous',
  'not_workbook',
  'workbook_damaged',
  'workbook_bomb',
  'workbook_reader_died',
  'workbook_encrypted',
  'workbook_old_format',
  'workbook_macros',
  'workbook_external_links',
  'sheet_not_found',
  'sheets_ambiguous',
  'hidden_sheet',
  'hidden_rows',
  'hidden_column',
  'merged_cells',
  'formula_without_value',
  'cell_error',
  'cells_repeated',
  'cell_outside_table',
  'quotations_too_short',
] as const;
export type FileRefusalCode = (typeof FILE_REFUSAL_CODES)[number];

/** What to do about each, in words for the person who made the file. */
const REMEDIES: Readonly<Record<FileRefusalCode, string>> = {
  unreadable: 'Check that the file is there and may be read, then drop it again.',
  file_changed: 'Wait until the program that writes the file has finished, then drop it again.',
  kind_unknown: 'Save the spreadsheet as an Excel workbook (.xlsx) or as "CSV UTF-8" and drop that file.',
  not_text: 'Open it in the program that made it, save it as "CSV UTF-8" and drop that file.',
  too_large: 'Split the file, or raise "intake.bytesMax" in the config.',
  too_many_rows: 'Split the file, or raise "intake.rowsMax" in the config.',
  empty_file: 'Export the file again and check that it holds rows before dropping it.',
  nul_character: 'The file is damaged or is not text. Export it again as "CSV UTF-8".',
  bytes_undecodable: 'Save the file as "CSV UTF-8" so that no letter is lost, then drop it again.',
  encoding_uncertain:
    'Save the file as "CSV UTF-8", or write its encoding into the profile ("encoding: windows-1252").',
  row_too_long:
    'Look at that row for pasted data or, in CSV, for a quote (") that is opened and never closed.',
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
  control_differs:
    'The file or its control file is not the one that was meant. Export both again and drop them together.',
  control_unreadable: 'It is JSON such as { "rows": 120, "sum": "1250000" }; correct it, or take it away.',
  amount_ambiguous:
    'Rename the column to "sourceAmount" (what is sent) or "destinationAmount" (what arrives).',
  not_workbook:
    'Open it in the program that made it, save it as an Excel workbook (.xlsx) and drop that file.',
  workbook_damaged: 'Open it in a spreadsheet program, save it as a new .xlsx file and drop that one.',
  workbook_bomb: 'Copy the rows into a new workbook and drop that one.',
  workbook_reader_died: 'Copy the rows into a new workbook, or save them as "CSV UTF-8", and drop that file.',
  workbook_encrypted:
    'Remove the password ("Save as", "Tools" or "Info", no password to open) and drop the file again.',
  workbook_old_format: 'Save it as "Excel workbook (.xlsx)" and drop that file.',
  workbook_macros: 'Save it as "Excel workbook (.xlsx)", which keeps no macros, and drop that file.',
  workbook_external_links:
    'Replace the links by their values ("Edit links", "Break link") and drop the file again.',
  sheet_not_found: 'Correct the name of the sheet in the profile ("sheet"), or rename the sheet.',
  sheets_ambiguous: 'Name the one to pay in the profile ("sheet"), or save it as a workbook of its own.',
  hidden_sheet: 'Show the sheet and check it, or delete it, then drop the file again.',
  hidden_rows:
    'Show all rows (clear the filters) and check them, or delete the hidden ones, then drop the file again.',
  hidden_column: 'Show the column and check it, or delete it, then drop the file again.',
  merged_cells: 'Unmerge them so that each row has cells of its own, then drop the file again.',
  formula_without_value:
    'Open the file in a spreadsheet program, check the values, save it there and drop it again.',
  cell_error: 'Correct the formula, or write the value itself, then drop the file again.',
  cells_repeated:
    'Open it in a spreadsheet program, check the cells, save it as a new .xlsx file and drop that one.',
  cell_outside_table: 'Delete it, or move it to another sheet, then drop the file again.',
  quotations_too_short:
    'Drop files of fewer rows, raise "service.concurrency" in the config, or set "policy.strategy: row-by-row".',
};

export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: FileRefusalCode;
  readonly fault: string;

  /** `fault` says what is wrong and where, as one or more sentences; what to do is added from the table. */
  constructor(code: FileRefusalCode, fault: string, options?: ErrorOptions) {
    super(`${fault} ${REMEDIES[code]}`, options);
    this.code = code;
    this.fault = fault;
  }
}
