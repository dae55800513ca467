// A header that people are shown is read back as the column that it stands for, in either language and beside any other.
import { describe, expect, it } from 'vitest';

import { mapHeader } from '../../src/rows/header.ts';
import {
  corridorHeader,
  headerCorridor,
  KNOWN_COLUMNS,
  namedHeader,
  plainHeader,
} from '../../src/rows/known-columns.ts';

const COLUMNS = [...new Set(KNOWN_COLUMNS.values())].filter(
  (name) => !name.startsWith('payout.') && !name.startsWith('sender.'),
);

describe('a plain header', () => {
  it.each(['en', 'fr'] as const)('is read as its column (%s)', (language) => {
    const headers = COLUMNS.map((name) => plainHeader(name)[language]);
    expect(mapHeader(headers, new Map()).map(({ canonical }) => canonical)).toEqual(COLUMNS);
    expect(new Set(headers).size).toBe(COLUMNS.length);
  });

  it('is no name of the interface, which stands behind it in parentheses alone', () => {
    expect(COLUMNS.filter((name) => plainHeader(name).fr === name)).toEqual([]);
    expect(namedHeader('receiver.firstName')).toEqual({
      en: 'First name (receiver.firstName)',
      fr: 'Prénom (receiver.firstName)',
    });
    expect(namedHeader('delivery.walletId').fr).toBe('delivery.walletId');
  });
});

describe('a header that names a corridor', () => {
  it.each([
    [corridorHeader('chn-cny-b2c-alipay'), 'chn-cny-b2c-alipay'],
    ['Id corridor (fra-eur-b2b-bank)', 'fra-eur-b2b-bank'],
    ['Corridor', null],
    ['Corridor (old)', null],
    ['Notes (chn-cny-b2c-alipay)', null],
  ])('%s: %s', (header, id) => expect(headerCorridor(header)).toBe(id));
});
