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

/** Parses JSON; every number becomes an `ExactNumber`. Throws SyntaxError like JSON.parse. */
export function parseExactJson(text: string): unknown {
  return parseWithSource(text, (_key, value, context) =>
    typeof value === 'number' ? new ExactNumber(context.source) : value,
  );
}

/** A decimal as a JSON number with exactly these digits, for `JSON.stringify`. */
export function exactNumber(value: DecimalText): ExactNumber {
  return new ExactNumber(value);
}
