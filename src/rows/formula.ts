// A spreadsheet program runs a cell that starts like a formula. One `'` before it makes it text; reading takes that one off again.

/** What a formula may start with: = + - @, tab, CR, LF, and the full-width forms of the first four. */
const FORMULA_START = '=+\\-@\\t\\r\\n＝＋－＠';

/** Text that already starts with `'` before such a character gets one more, so that reading gives back exactly what was written. */
const NEEDS_PROTECTION = new RegExp(`^'*[${FORMULA_START}]`);
const IS_PROTECTED = new RegExp(`^'+[${FORMULA_START}]`);

const APOSTROPHE = "'".charCodeAt(0);

/** The cell as it is safe to write it. */
export function protectFormula(cell: string): string {
  return NEEDS_PROTECTION.test(cell) ? `'${cell}` : cell;
}

/** The cell as it was meant: `unprotectFormula(protectFormula(cell))` is `cell`, for every text. */
export function unprotectFormula(cell: string): string {
  // The first look is for speed only: nearly no cell starts with an apostrophe.
  return cell.charCodeAt(0) === APOSTROPHE && IS_PROTECTED.test(cell) ? cell.slice(1) : cell;
}
