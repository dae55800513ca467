// Text that is not what it looks like: characters that cannot be seen, and numbers that a spreadsheet program has already destroyed.
import { isAccountColumn } from '../rows/cell.ts';
import type { CellKind } from '../rows/form.ts';
import type { Row } from '../rows/row.ts';
import type { RowReader } from './row-reader.ts';
import { sentence } from '../messages/messages.ts';

/** Controls, direction marks and zero-width characters: they make two different accounts look alike. */
const UNPRINTABLE = /[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFFD]/u;

/** What `6221230000000000000` becomes when a spreadsheet program takes it for a number. */
const EXPONENT = /^-?\d+([.,]\d+)?[eE][+-]?\d+$/;

/** No field of a party or an account is longer; a longer text is a slip of the mouse. */
const LENGTH_MAX = 500;

/** Fields besides accounts whose digits are a name, not a quantity. */
const DIGIT_FIELDS = ['registrationNumber'];

/** Rejects what no payment can carry, in every column that means something. */
export function checkText(reader: RowReader, row: Row): void {
  for (const { index, canonical } of reader.table.columns) {
    if (canonical === null || canonical.startsWith('payout.')) continue;
    const text = (row.cells[index] ?? '').trim();
    if (UNPRINTABLE.test(text)) {
      reader.reject('text_unprintable', canonical, sentence('checkText.cellHoldsCharacter'));
    }
    if (text.length > LENGTH_MAX) {
      reader.reject(
        'text_too_long',
        canonical,
        sentence('checkText.cellCharactersMost', { length: text.length, lengthMax: LENGTH_MAX }),
      );
    }
    const kind = row.kinds?.[index] ?? 'text';
    if (mustBeText(canonical, kind, text)) {
      reader.reject('number_not_text', canonical, sentence('checkText.keptWhichLoses', { text, kind }));
    } else if (isDigits(canonical) && EXPONENT.test(text)) {
      reader.reject('number_destroyed', canonical, sentence('checkText.numberSpreadsheetProgram', { text }));
    }
  }
}

/** A spreadsheet program keeps fifteen digits of a number; with so many, nobody can tell whether there were more. */
const DIGITS_KEPT = 15;

/** True for a cell of a workbook that should have been text, and that holds another kind of value. */
function mustBeText(canonical: string, kind: CellKind, text: string): boolean {
  if (kind === 'text' || kind === 'empty') return false;
  if (isAccountColumn(canonical)) return true;
  return kind === 'number' && (EXPONENT.test(text) || wholeDigits(text) >= DIGITS_KEPT);
}

function wholeDigits(number: string): number {
  return /^-?(\d*)/.exec(number)?.[1]?.length ?? 0;
}

function isDigits(canonical: string): boolean {
  return isAccountColumn(canonical) || DIGIT_FIELDS.some((field) => canonical.endsWith(`.${field}`));
}
