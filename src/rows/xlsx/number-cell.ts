// A number is stored with up to seventeen digits, of which a spreadsheet program shows fifteen: 0.1 + 0.2 is 0.3 to everybody who looks at it.
// The digits are text from end to end; no arithmetic of floats takes part.

/** Significant digits that a spreadsheet program keeps and shows. */
const DIGITS_SHOWN = 15;

/** Beyond so many digits or decimals a number stays in exponent notation, which no amount is. */
const PLAIN_DIGITS_MAX = 21;

const NUMBER = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/;
const PLAIN = /^-?(?:[1-9]\d{0,14}|0)$/;

/** The number in plain notation, or null when the text is no number. */
export function numberText(stored: string): string | null {
  // Most cells: nothing to do.
  if (PLAIN.test(stored) && stored !== '-0') return stored;
  const match = NUMBER.exec(stored.trim());
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (whole + fraction === '') return null;
  if (digits === '') return '0';
  const scale = fraction.length - Number(exponent);
  const shown = fifteenDigits(digits, scale);
  return (sign === '-' ? '-' : '') + notation(shown.digits, shown.scale);
}

type Scaled = { readonly digits: string; readonly scale: number };

/** Rounded half up at the fifteenth digit, as it is shown; the digits behind it are the dust of binary fractions. */
function fifteenDigits(digits: string, scale: number): Scaled {
  const surplus = digits.length - DIGITS_SHOWN;
  if (surplus <= 0) return trimmed(digits, scale);
  const kept = BigInt(digits.slice(0, DIGITS_SHOWN));
  const isUp = digits.charAt(DIGITS_SHOWN) >= '5';
  return trimmed((isUp ? kept + 1n : kept).toString(), scale - surplus);
}

function trimmed(digits: string, scale: number): Scaled {
  const bare = digits.replace(/0+$/, '');
  return { digits: bare, scale: scale - (digits.length - bare.length) };
}

function notation(digits: string, scale: number): string {
  if (digits.length - scale > PLAIN_DIGITS_MAX || scale > PLAIN_DIGITS_MAX) return exponential(digits, scale);
  if (scale <= 0) return digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

function exponential(digits: string, scale: number): string {
  const fraction = digits.slice(1);
  const exponent = digits.length - 1 - scale;
  return `${digits.charAt(0)}${fraction === '' ? '' : `.${fraction}`}E${exponent < 0 ? '' : '+'}${exponent}`;
}

/** `0.125` → `12.5%`, as its format shows it: an amount in percent is then no amount. */
export function percentText(number: string): string {
  return `${numberText(`${number}e2`) ?? number}%`;
}

/** The zeros in front that a format of nothing but zeros shows. */
export function paddedText(number: string, zeros: number): string {
  return /^\d+$/.test(number) ? number.padStart(zeros, '0') : number;
}
