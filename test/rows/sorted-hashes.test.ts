// The order of the hashes must not affect the result.
import { hash } from 'node:crypto';

import { expect, it } from 'vitest';

import { SortedHashes } from '../../src/rows/content-fingerprint.ts';

async function sorted(hashes: readonly string[], expected: number): Promise<readonly string[]> {
  const all = new SortedHashes(expected);
  for (const each of hashes) all.add(each);
  const sections: Buffer[] = [];
  for await (const section of all.sections()) sections.push(section);
  const bytes = Buffer.concat(sections).toString('latin1');
  return Array.from({ length: bytes.length / 32 }, (_none, index) =>
    bytes.slice(index * 32, index * 32 + 32),
  );
}

const HASHES = Array.from({ length: 5_000 }, (_none, index) => hash('sha256', String(index), 'binary'));

it.each([0, HASHES.length])(
  'hashes come in the order of their bytes, when %i were expected',
  async (expected) => {
    expect(await sorted(HASHES, expected)).toEqual([...HASHES].sort());
  },
);

it('hashes that differ in their last byte only are put in order, and equal ones stay as many', async () => {
  const start = 'a'.repeat(31);
  const hashes = [`${start}\u00ff`, `${start}b`, `${start}b`, `${start}a`];
  expect(await sorted(hashes, 4)).toEqual([`${start}a`, `${start}b`, `${start}b`, `${start}\u00ff`]);
});

it('no hashes are no bytes', async () => expect(await sorted([], 0)).toEqual([]));
