// The reasons to refuse a file that only a workbook can give.

export const WORKBOOK_REFUSALS = [
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
] as const;
export type WorkbookRefusal = (typeof WORKBOOK_REFUSALS)[number];
