// A file that cannot be taken as a whole. Whoever made it reads the message, so it says what is wrong, where, and what to do.
import { typedInShell } from '../base/plain-text.ts';
import { joinWords, mapWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export const FILE_REFUSAL_CODES = [
  'unreadable',
  'unexpected_error',
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
  'amount_unit',
  'column_twice',
  'layout_changed',
  'profiles_several',
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
  'struck_through',
  'merged_cells',
  'formula_without_value',
  'cell_error',
  'number_shown_otherwise',
  'cells_repeated',
  'cell_outside_table',
  'quotations_too_short',
  'execution_date_unreadable',
  'execution_dates_differ',
  'execution_date_too_far',
  'execution_date_standing',
  'xml_damaged',
  'xml_bomb',
  'message_unknown',
  'message_invalid',
  'debtor_unknown',
  'debtor_not_allowed',
  'debtor_currency_differs',
  'message_repeated',
] as const;
export type FileRefusalCode = (typeof FILE_REFUSAL_CODES)[number];

/** What to do about each, in words for the person who made the file. */
export const REMEDIES: Readonly<Record<FileRefusalCode, Words>> = {
  unreadable: sentence('fileRefused.unreadable'),
  unexpected_error: sentence('fileRefused.unexpected_error'),
  file_changed: sentence('fileRefused.file_changed'),
  kind_unknown: sentence('fileRefused.kind_unknown'),
  not_text: sentence('fileRefused.not_text'),
  too_large: sentence('fileRefused.too_large'),
  too_many_rows: sentence('fileRefused.too_many_rows'),
  empty_file: sentence('fileRefused.empty_file'),
  nul_character: sentence('fileRefused.nul_character'),
  bytes_undecodable: sentence('fileRefused.bytes_undecodable'),
  encoding_uncertain: sentence('fileRefused.encoding_uncertain'),
  row_too_long: sentence('fileRefused.row_too_long'),
  quote_stray: sentence('fileRefused.quote_stray'),
  quote_not_closed: sentence('fileRefused.quote_not_closed'),
  quote_swallows_rows: sentence('fileRefused.quote_swallows_rows'),
  row_too_short: sentence('fileRefused.row_too_short'),
  row_too_wide: sentence('fileRefused.row_too_wide'),
  header_not_found: sentence('fileRefused.header_not_found'),
  header_missing_above_cells: sentence('fileRefused.header_missing_above_cells'),
  amount_column_missing: sentence('fileRefused.amount_column_missing'),
  amount_unit: sentence('fileRefused.amount_unit'),
  layout_changed: sentence('fileRefused.layout_changed'),
  profiles_several: sentence('fileRefused.profiles_several'),
  column_twice: sentence('fileRefused.column_twice'),
  no_rows: sentence('fileRefused.no_rows'),
  number_ambiguous: sentence('fileRefused.number_ambiguous'),
  numbers_mixed: sentence('fileRefused.numbers_mixed'),
  totals_differ: sentence('fileRefused.totals_differ'),
  control_differs: sentence('fileRefused.control_differs'),
  control_unreadable: sentence('fileRefused.control_unreadable'),
  amount_ambiguous: sentence('fileRefused.amount_ambiguous'),
  not_workbook: sentence('fileRefused.not_workbook'),
  workbook_damaged: sentence('fileRefused.workbook_damaged'),
  workbook_bomb: sentence('fileRefused.workbook_bomb'),
  workbook_reader_died: sentence('fileRefused.workbook_reader_died'),
  workbook_encrypted: sentence('fileRefused.workbook_encrypted'),
  workbook_old_format: sentence('fileRefused.workbook_old_format'),
  workbook_macros: sentence('fileRefused.workbook_macros'),
  workbook_external_links: sentence('fileRefused.workbook_external_links'),
  sheet_not_found: sentence('fileRefused.sheet_not_found'),
  sheets_ambiguous: sentence('fileRefused.sheets_ambiguous'),
  hidden_sheet: sentence('fileRefused.hidden_sheet'),
  hidden_rows: sentence('fileRefused.hidden_rows'),
  hidden_column: sentence('fileRefused.hidden_column'),
  struck_through: sentence('fileRefused.struck_through'),
  merged_cells: sentence('fileRefused.merged_cells'),
  formula_without_value: sentence('fileRefused.formula_without_value'),
  cell_error: sentence('fileRefused.cell_error'),
  number_shown_otherwise: sentence('fileRefused.number_shown_otherwise'),
  cells_repeated: sentence('fileRefused.cells_repeated'),
  cell_outside_table: sentence('fileRefused.cell_outside_table'),
  quotations_too_short: sentence('fileRefused.quotations_too_short'),
  execution_date_unreadable: sentence('fileRefused.execution_date_unreadable'),
  execution_dates_differ: sentence('fileRefused.execution_dates_differ'),
  execution_date_too_far: sentence('fileRefused.execution_date_too_far'),
  execution_date_standing: sentence('fileRefused.execution_date_standing'),
  xml_damaged: sentence('fileRefused.xml_damaged'),
  xml_bomb: sentence('fileRefused.xml_bomb'),
  message_unknown: sentence('fileRefused.message_unknown'),
  message_invalid: sentence('fileRefused.message_invalid'),
  debtor_unknown: sentence('fileRefused.debtor_unknown'),
  debtor_not_allowed: sentence('fileRefused.debtor_not_allowed'),
  debtor_currency_differs: sentence('fileRefused.debtor_currency_differs'),
  message_repeated: sentence('fileRefused.message_repeated'),
};

/** A longer name, or one with characters that cannot be seen, is no part of a command that a person copies. */
const TYPED_MOST = 80;

/** The words with the file's own name in the commands that they propose, ready to copy. */
export function withFileName(words: Words, fileName: string): Words {
  if (fileName.length > TYPED_MOST || /[\p{C}\p{Zl}\p{Zp}]/u.test(fileName)) return words;
  const typed = typedInShell(fileName);
  return mapWords(words, (text) =>
    text.replace(
      /(paydrop profile) (?:FILE|FICHIER|ARCHIVO)\b/g,
      (_, command) => `${String(command)} ${typed}`,
    ),
  );
}

export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: FileRefusalCode;
  readonly fault: Words;
  /** What is wrong, and what to do. The message of the error itself is for whoever reads a stack, in English. */
  readonly words: Words;
  /** Of a payment message: the code of ISO 20022 for this very fault, where its finder knows a closer one than its own code says. */
  readonly iso: string | undefined;
  /** False where what to do is the same for every file of this code. */
  readonly hasOwnRemedy: boolean;

  /** `fault` says what is wrong and where, as one or more sentences; what to do is added from the table, unless a kind of file has a `remedy` of its own. */
  constructor(
    code: FileRefusalCode,
    fault: Words,
    { remedy, iso, ...options }: ErrorOptions & { readonly remedy?: Words; readonly iso?: string } = {},
  ) {
    const words = joinWords([fault, remedy ?? REMEDIES[code]]);
    super(words.en, options);
    this.code = code;
    this.fault = fault;
    this.iso = iso;
    this.hasOwnRemedy = remedy !== undefined;
    this.words = words;
  }
}
