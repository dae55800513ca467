// A few rows of a file may no longer prove which mark is the decimal one. Before they go back to be fixed, their amounts are made to.
import type { DecimalMark } from './decimal-mark.ts';
import { isWithoutMark, readDigits, takeApart } from './number-text.ts';

/** The cell as it is, unless it alone would be ambiguous: then `1.234` becomes `1.234,00` under a comma and `1.2340` under a point. */
export function showMark(cell: string, mark: DecimalMark): string {
  const body = takeApart(cell)?.body;
  if (body === undefined || isWithoutMark(body)) return cell;
  if (readDigits(body, '.') === null || readDigits(body, ',') === null) return cell;
  const shown = body.includes(mark) ? `${body}0` : `${body}${mark}00`;
  return cell.replace(body, shown);
}
