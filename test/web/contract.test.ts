// The bodies of the interface: each reply that a test gets is held against them, and the words that they list are the program's own.
import { expect, it } from 'vitest';

import { ACCESS, OUTCOMES } from '../../src/contract/words.ts';
import { en } from '../../src/page/words/en.ts';
import { OUTCOMES as OUTCOMES_OF_ROWS } from '../../src/payouts/lifecycle.ts';
import { assertAsDescribed } from './replies.ts';

const told = (method: string, path: string, body: unknown) => () =>
  assertAsDescribed(method, `http://localhost/api/v1${path}`, 200, body);

it('holds a reply against its body: a field too few or too many is a fault', () => {
  expect(told('GET', '/stop', { stop: { words: 'Armand', since: null } })).not.toThrow();
  expect(told('GET', '/stop', { stop: { words: 'Armand' } })).toThrow('since');
  expect(told('GET', '/stop', { stop: null, more: 1 })).toThrow('more');
});

it('holds a reply of two kinds against both', () => {
  const ends = { released: 1, onlySkip: 0, followed: 0 };
  const trial = { matching: 1, ...ends, left: [], seen: 'abc' };
  expect(told('POST', '/files/f/release', trial)).not.toThrow();
  expect(told('POST', '/files/f/release', { ...trial, more: 1 })).toThrow('not as described');
});

it('lists the outcomes that a row can have', () => expect(OUTCOMES).toEqual(OUTCOMES_OF_ROWS));

it('has words at the page for everything that the log of access may say', () => {
  for (const what of ACCESS) expect(Object.keys(en)).toContain(`access.${what}`);
});
