// JSON keeps every digit of every number, in both directions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ExactNumber, exactNumber, parseExactJson } from '../../src/base/exact-json.ts';

describe('reading JSON', () => {
  it.each(['1234567890123456.78', '0.1000000000000000055511151231257827', '1e400', '-0', '12.30'])(
    'keeps %s as it stands',
    (digits) => {
      expect(parseExactJson(`{"a":[${digits}]}`)).toEqual({ a: [new ExactNumber(digits)] });
    },
  );

  it('leaves text that looks like a number text, and null, true and false as they are', () => {
    expect(parseExactJson('["1.0", null, true, false]')).toEqual(['1.0', null, true, false]);
  });

  it('reads a number that stands alone', () => {
    expect(parseExactJson('7')).toEqual(new ExactNumber('7'));
  });

  it('keeps every number sign for sign, whatever stands around it', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 }).map((each) => each.join(''));
    const whole = fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String);
    const fraction = fc.tuple(fc.constantFrom('', '0', '000000'), digits).map((parts) => parts.join(''));
    const number = fc
      .tuple(fc.constantFrom('', '-'), whole, fraction, fc.constantFrom('', 'e2', 'E-7', 'e+400'))
      .map(([sign, first, rest, exponent]) => sign + first + (rest === '' ? '' : `.${rest}`) + exponent);
    const space = fc.constantFrom('', ' ', '\n', '\t ');
    fc.assert(
      fc.property(number, number, space, fc.string(), (one, other, gap, text) => {
        const json = `${gap}{"a":${gap}${one}${gap},"b":[${gap}${other},${one}],"c":${JSON.stringify(text)}}`;
        expect(parseExactJson(json)).toEqual({
          a: new ExactNumber(one),
          b: [new ExactNumber(other), new ExactNumber(one)],
          c: text,
        });
        expect(parseExactJson(gap + one)).toEqual(new ExactNumber(one));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['', '{', '{"a":1', 'NaN', '01', '1.', '<html>'])('throws a SyntaxError on %j', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it('does not let a body change the prototype of anything', () => {
    const parsed = parseExactJson('{"__proto__":{"errorCode":10006}}') as Record<string, unknown>;
    expect(parsed['errorCode']).toBeUndefined();
    expect(({} as Record<string, unknown>)['errorCode']).toBeUndefined();
  });
});

describe('an exact number', () => {
  it('is written to JSON with exactly its digits', () => {
    const body = { amount: exactNumber('1234567890123456.78'), other: exactNumber('0.1') };
    expect(JSON.stringify(body)).toBe('{"amount":1234567890123456.78,"other":0.1}');
  });

  it.each([
    ['12.30', '12.3'],
    ['1e2', '100'],
    ['1e400', null],
  ])('%s as a decimal is %j', (text, decimal) => {
    expect(new ExactNumber(text).toDecimal()).toBe(decimal);
  });

  it('survives any number of round trips, whatever its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.nat(999_999), (whole, fraction) => {
        const json = `{"amount":${whole.toString()}.${String(fraction)}}`;
        expect(JSON.stringify(parseExactJson(json))).toBe(json);
      }),
    );
  });
});
