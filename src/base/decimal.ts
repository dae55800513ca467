// Exact decimals as text. Money never passes through a float here: a value is digits and a scale, and sums are made of bigints.
import { inEachLanguage, type Language, type Words } from './language.ts';

/** A decimal number in plain notation: `-?digits[.digits]`, no exponent, no leading zeros, no needless trailing zeros. */
export type DecimalText = string;

type Scaled = { readonly units: bigint; readonly scale: number };

/** The longest number that is read: far longer than any amount of money, short enough for fast arithmetic. */
const DIGITS_MAX = 40;

const PLAIN_OR_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** A number as it is nearly always written, which is already canonical. Minus zero is not canonical. */
const CANONICAL = /^(?:(?:0|[1-9]\d*)|-?(?:0|[1-9]\d*)\.\d*[1-9]|-[1-9]\d*)$/;

/** Reads a JSON or plain number (`12.30`, `1e2`) into its canonical text; null when it is not a number that we handle exactly. */
export function toDecimalText(text: string): DecimalText | null {
  if (text.length <= DIGITS_MAX && CANONICAL.test(text)) return text;
  const match = PLAIN_OR_EXPONENT.exec(text);
  if (match === null || text.length > DIGITS_MAX) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > DIGITS_MAX) return null;
  const units = BigInt(sign + whole + fraction);
  return scale >= 0 ? unscale({ units, scale }) : unscale({ units: units * 10n ** BigInt(-scale), scale: 0 });
}

/** -1, 0 or 1, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: DecimalText, b: DecimalText): -1 | 0 | 1 {
  if (a === b) return 0;
  // Whole numbers with the same number of digits sort as their texts do.
  if (IS_WHOLE.test(a) && IS_WHOLE.test(b))
    return a.length === b.length ? (a < b ? -1 : 1) : a.length < b.length ? -1 : 1;
  const [left, right] = aligned(a, b);
  return left.units < right.units ? -1 : left.units > right.units ? 1 : 0;
}

/** Canonical: no zeros in front. */
const IS_WHOLE = /^(?:0|[1-9]\d*)$/;

/** The exact sum. */
export function addDecimals(a: DecimalText, b: DecimalText): DecimalText {
  const [left, right] = aligned(a, b);
  return unscale({ units: left.units + right.units, scale: left.scale });
}

/** The exact difference `a - b`. */
export function subtractDecimals(a: DecimalText, b: DecimalText): DecimalText {
  if (a === b) return '0';
  const [left, right] = aligned(a, b);
  return unscale({ units: left.units - right.units, scale: left.scale });
}

/** A sum that grows: a thousand values cost a thousand additions, but only one text at the end. */
export class DecimalSum {
  #sum: Scaled = { units: 0n, scale: 0 };

  add(value: DecimalText): void {
    const added = parse(value);
    const scale = Math.max(this.#sum.scale, added.scale);
    this.#sum = { units: rescale(this.#sum, scale).units + rescale(added, scale).units, scale };
  }

  toText(): DecimalText {
    return unscale(this.#sum);
  }
}

/** The exact product. */
export function multiplyDecimals(a: DecimalText, b: DecimalText): DecimalText {
  const [left, right] = [parse(a), parse(b)];
  return unscale({ units: left.units * right.units, scale: left.scale + right.scale });
}

/** The quotient `a / b`, rounded half up to `scale` decimals; for rates that are shown, never for an amount that is sent. */
export function divideDecimals(a: DecimalText, b: DecimalText, scale: number): DecimalText {
  const [left, right] = aligned(a, b);
  const doubled = (2n * left.units * 10n ** BigInt(scale)) / right.units;
  return unscale({ units: (doubled + 1n) / 2n, scale });
}

/** How many decimals the value really needs: 2 for `12.34`, 0 for `12`. */
export function decimalsOf(value: DecimalText): number {
  return value.length - (value.indexOf('.') + 1 || value.length);
}

/** The value with at most `decimals` decimals; further digits are cut, not rounded. */
export function cutDecimals(value: DecimalText, decimals: number): DecimalText {
  const { units, scale } = parse(value);
  return scale <= decimals
    ? value
    : unscale({ units: units / 10n ** BigInt(scale - decimals), scale: decimals });
}

/** The value in minor units: cents where `decimals` is 2. What is finer is rounded half away from zero. */
export function toUnits(value: DecimalText, decimals: number): bigint {
  const { units, scale } = parse(value);
  if (scale <= decimals) return units * 10n ** BigInt(decimals - scale);
  const size = 10n ** BigInt(scale - decimals);
  const half = units < 0n ? -size : size;
  return (2n * units + half) / (2n * size);
}

/** The other way round. */
export function fromUnits(units: bigint, decimals: number): DecimalText {
  return unscale({ units, scale: decimals });
}

/** The value with at least `decimals` decimals, as an account statement prints it: `14250` with 2 is `14250.00`. */
export function withDecimals(value: DecimalText, decimals: number): DecimalText {
  const missing = decimals - decimalsOf(value);
  if (missing <= 0) return value;
  return `${value}${value.includes('.') ? '' : '.'}${'0'.repeat(missing)}`;
}

function parse(value: DecimalText): Scaled {
  const scale = decimalsOf(value);
  return { units: BigInt(scale === 0 ? value : value.replace('.', '')), scale };
}

function aligned(a: DecimalText, b: DecimalText): [Scaled, Scaled] {
  const left = parse(a);
  const right = parse(b);
  const scale = Math.max(left.scale, right.scale);
  return [rescale(left, scale), rescale(right, scale)];
}

function rescale(value: Scaled, scale: number): Scaled {
  if (value.scale === scale) return value;
  return { units: value.units * 10n ** BigInt(scale - value.scale), scale };
}

function unscale({ units, scale }: Scaled): DecimalText {
  if (scale === 0) return units.toString();
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const sign = units < 0n ? '-' : '';
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

/** `0.01` for `1%`. */
export function fractionOf(percentage: string): DecimalText {
  const fraction = toDecimalText(`${percentage.replace('%', '')}e-2`);
  if (fraction === null) throw new Error(`${percentage} is no percentage.`);
  return fraction;
}

/** What stands between thousands, and before the decimals. French has a no-break space. */
const MARKS: Readonly<Record<Language, { readonly thousands: string; readonly decimal: string }>> = {
  en: { thousands: ',', decimal: '.' },
  fr: { thousands: '\u00a0', decimal: ',' },
  es: { thousands: '.', decimal: ',' },
};

/** The amount as a person types it: with the language's decimal mark, and without separators. */
export function typed(amount: string): Words {
  return inEachLanguage((language) => amount.replace('.', MARKS[language].decimal));
}

/** Groups thousands for the eye. */
export function grouped(amount: string): Words {
  const [whole = '', ...decimals] = amount.split('.');
  return inEachLanguage((language) => {
    const { thousands, decimal } = MARKS[language];
    return [whole.replace(/\B(?=(\d{3})+$)/g, thousands), ...decimals].join(decimal);
  });
}
