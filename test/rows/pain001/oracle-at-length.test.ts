// The long comparison with libxml2.
import { expect, it } from 'vitest';

import { disagreements } from './mutants.ts';

it('agrees with libxml2 on at least ten thousand mutants, none left out', { timeout: 120_000 }, () => {
  const { found, count } = disagreements(7_000_000, 2_000);
  expect(count).toBeGreaterThanOrEqual(10_000);
  expect(found.map(({ seed, of, oracle }) => ({ seed, of, oracle }))).toEqual([]);
});
