// What a spreadsheet program holds in a cell, which its text alone does not tell: digits typed as text are an account, digits kept as a
// number have already lost their zeros.

export const CELL_KINDS = ['text', 'number', 'date', 'boolean', 'empty'] as const;
export type CellKind = (typeof CELL_KINDS)[number];
