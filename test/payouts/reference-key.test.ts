// What two writings of one reference have in common, and what still tells two references apart.
import { describe, expect, it } from 'vitest';

import { referenceKey } from '../../src/payouts/reference-key.ts';

describe('the key of a reference', () => {
  it.each([
    ['INV-0007', 'inv 7'],
    ['FACT/2026/11', 'fact-2026-11'],
    ['Avance é', 'AVANCE-E\u0301'],
    ['００４２', '42'],
    ['12 345', '12345'],
    ['0', '000'],
    ['A-', 'a'],
  ])('%s and %s are nearly the same', (one, other) => {
    expect(referenceKey(one)).toBe(referenceKey(other));
  });

  it.each([
    ['2026-1-11', '2026-11-1'],
    ['INV-10', 'INV-1'],
    ['A-1', 'B-1'],
    ['A-1-2', 'A-12'],
    ['7', '70'],
  ])('%s and %s are two', (one, other) => {
    expect(referenceKey(one)).not.toBe(referenceKey(other));
  });

  it('a reference without letter or digit has none', () => {
    expect(referenceKey(' -/- ')).toBe('');
  });
});
