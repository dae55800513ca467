// A reference stands in one row of a file.
import { expect, it } from 'vitest';

import { SeenReferences } from '../../../src/app/workflow/validate/validate-file.ts';

it('a reference that comes again is told by the row in which it stood first', () => {
  const seen = new SeenReferences(3);
  expect([seen.meet('A-1', 2), seen.meet('A-2', 3), seen.meet('A-1', 4)]).toEqual([null, null, 2]);
});

it('twenty thousand references are all different, and each is known again', () => {
  const references = Array.from({ length: 20_000 }, (_none, index) => `INV-2026-${String(index)}`);
  const seen = new SeenReferences(references.length);
  expect(references.every((reference, index) => seen.meet(reference, index + 2) === null)).toBe(true);
  expect(references.every((reference, index) => seen.meet(reference, 1) === index + 2)).toBe(true);
});

it('a file that has more rows than it was said to have is no endless search', () => {
  const seen = new SeenReferences(1);
  expect(() => ['A-1', 'A-2', 'A-3', 'A-4'].map((reference) => seen.meet(reference, 2))).toThrow(
    'more references',
  );
});
