// The ids that make a repeated request harmless, pinned: if one of these ever changes, payments that were made look unmade.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { v5 } from 'uuid';
import { describe, expect, it } from 'vitest';

import { externalId } from '../../src/payouts/payout.ts';

const FILE = createHash('sha256').update('reference,destinationAmount\nA-1,100\n').digest('hex');

describe('an external id', () => {
  it('belongs to the file that the vectors below are of', () => {
    expect(FILE).toMatch(/^79c1bde8[0-9a-f]{50}ac7c03$/);
  });

  it.each([
    ['quotation 1', FILE, 'quotation', 1, '96f21736-a609-51f3-9f71-d89ccf1a9f23'],
    ['transfer 1', FILE, 'transfer', 1, 'ba1547a0-1ed7-52e9-9c77-7baf4e8ded71'],
    ['transfer 2', FILE, 'transfer', 2, 'cbd4759f-9046-5e92-8803-4fc9e3d510c0'],
    [
      'transfer 1 of another occurrence',
      `${FILE}#2026-11-28`,
      'transfer',
      1,
      '041b212b-00df-52a5-8575-98fd69651fa9',
    ],
  ] as const)('of %s is the same for ever', (_, fileId, kind, attempt, expected) => {
    expect(externalId(fileId, '2', kind, attempt)).toBe(expected);
  });

  it('is a UUID of version 5 in our namespace, whatever the row is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1 }), (row, attempt) => {
        const name = `${FILE}/${row}/transfer/${String(attempt)}`;
        expect(externalId(FILE, row, 'transfer', attempt)).toBe(
          v5(name, '5b7c2a1e-94d3-4f0a-8e61-2f9d3c7b6a10'),
        );
      }),
    );
  });

  it('is another one for every file, row, kind and attempt', () => {
    const ids = [FILE, `${FILE}#2`].flatMap((file) =>
      ['2', '12', 'Sheet!2', '2/transfer'].flatMap((row) =>
        (['quotation', 'transfer'] as const).flatMap((kind) =>
          [1, 2, 12].map((attempt) => externalId(file, row, kind, attempt)),
        ),
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
