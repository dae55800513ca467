// JSON whose numbers keep their exact digits. JSON.parse alone turns 1234567890123456.78 into ...6.8, which is somebody's money.
import { toDecimalText, type DecimalText } from './decimal.ts';

/** A number exactly as it stands in a JSON text. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The canonical decimal, or null for a number too long to be an amount. */
  toDecimal(): DecimalText | null {
    return toDecimalText(this.text);
  }

  toJSON(): unknown {
    return rawJson(this.text);
  }

  toString(): string {
    return this.text;
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

// Both are in the engine (ECMAScript: JSON.parse source text access) and not yet in TypeScript's library.
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

/**
 * A number that JSON.parse and String would not return sign for sign: more than fifteen digits, an exponent, trailing zeros, a value next to
 * zero, or minus zero. If a text only looks like one, that costs time and nothing else; trailing zeros must end the field, as they do not in a
 * timestamp.
 */
const MAY_CHANGE =
  /(?:^|[:,[])\s*(?:-0(?![.\d])|-?(?:[\d.]{16}|[\d.]+[eE]|\d+\.\d*0(?=\s*(?:[,}\]]|$))|0\.00000))/;

/** Parses JSON; every number becomes an `ExactNumber`. Throws SyntaxError like JSON.parse, also for JSON that is nested too deeply. */
export function parseExactJson(text: string): unknown {
  try {
    return MAY_CHANGE.test(text) ? parseBySource(text) : withExactNumbers(JSON.parse(text));
  } catch (error) {
    // The stack has run out: no honest sender nests so deeply.
    if (error instanceof RangeError) throw new SyntaxError('JSON nested too deeply', { cause: error });
    throw error;
  }
}

function parseBySource(text: string): unknown {
  return parseWithSource(text, (_key, value, context) =>
    typeof value === 'number' ? new ExactNumber(context.source) : value,
  );
}

/** Replaces the numbers of a value. A reviver would be called for every field, and most fields are text. */
function withExactNumbers(value: unknown): unknown {
  if (typeof value === 'number') return new ExactNumber(String(value));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (typeof field === 'number' || typeof field === 'object') fields[name] = withExactNumbers(field);
  }
  return value;
}

/** A decimal as a JSON number with exactly these digits, for `JSON.stringify`. */
export function exactNumber(value: DecimalText): ExactNumber {
  return new ExactNumber(value);
}
