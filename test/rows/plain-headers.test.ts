// A header that people see is read back as the column that it names, in any language and next to any other.
import { describe, expect, it } from 'vitest';

import { LANGUAGES } from '../../src/base/language.ts';
import { mapHeader } from '../../src/rows/header.ts';
import {
  canonicalOf,
  corridorHeader,
  headerCorridor,
  headerCurrency,
  isLocalBankCode,
  KNOWN_COLUMNS,
  nearColumn,
  namedHeader,
  plainHeader,
} from '../../src/rows/known-columns.ts';
import { cpuMs } from '../cpu-time.ts';

const COLUMNS = [...new Set(KNOWN_COLUMNS.values())].filter((name) => !name.startsWith('payout.'));

describe('a text that is too long for a header', () => {
  // A search that takes time with the square of the length would take hours for one of them.
  it.each([' ', '(', 'a ', ' or ', '/', '*', ' (XAF)'])('names nothing, of %j without end', (unit) => {
    const text = unit.repeat(2_000_000 / unit.length);
    const of = [canonicalOf, headerCorridor, headerCurrency, nearColumn].map((found) => found(text));
    expect(of).toEqual([null, null, null, null]);
    expect(isLocalBankCode(text)).toBe(false);
  });
});

describe('a plain header', () => {
  it.each(LANGUAGES)('is read as its column (%s)', (language) => {
    const headers = COLUMNS.map((name) => plainHeader(name)[language]);
    expect(mapHeader(headers, new Map()).columns.map(({ canonical }) => canonical)).toEqual(COLUMNS);
    expect(new Set(headers).size).toBe(COLUMNS.length);
  });

  it('is no name of the interface, which stands behind it in parentheses alone', () => {
    expect(COLUMNS.filter((name) => plainHeader(name).fr === name)).toEqual([]);
    expect(namedHeader('receiver.firstName')).toEqual({
      en: 'First name (receiver.firstName)',
      fr: 'Prénom (receiver.firstName)',
      es: 'Nombre (receiver.firstName)',
    });
    expect(namedHeader('delivery.walletId').fr).toBe('delivery.walletId');
  });
});

describe('headers of lists for banks and wallets', () => {
  const meanings = (...headers: string[]) =>
    mapHeader(headers, new Map()).columns.map(({ canonical }) => canonical);

  it('take the name of a payee for the surname beside a first name, and for the whole name elsewhere', () => {
    const halves = ['receiver.lastName', 'receiver.firstName'];
    expect(meanings('Nom du bénéficiaire', 'Prénom du bénéficiaire')).toEqual(halves);
    expect(meanings('Nombre del beneficiario', 'Apellidos')).toEqual(halves.toReversed());
    expect(meanings('Beneficiary name', 'Amount')).toEqual(['receiver.name', 'amount']);
    expect(meanings('Beneficiary name', 'Last name', 'First name')).toEqual(['receiver.name', ...halves]);
  });

  it('name a supplier by the text of its code, and a transaction in short', () => {
    expect(meanings('TransNo', 'Supplier ID(T)', 'Supplier ID', 'apar_name', 'Amount')).toEqual([
      'reference',
      'receiver.name',
      null,
      'receiver.name',
      'amount',
    ]);
  });

  it('name an account in two ways, a reference of theirs, and the country of a bank', () => {
    expect(meanings('Beneficiary Account Number / IBAN', 'Référence externe', 'País banco')).toEqual([
      'delivery.bankAccountNumber',
      'reference',
      'destinationCountryIsoCode',
    ]);
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

it('a header of a million characters is near to none, and costs nothing', () => {
  const before = cpuMs();
  for (let header = 0; header < 10; header += 1) expect(nearColumn('é'.repeat(1_000_000))).toBeNull();
  // A single one took half a minute.
  expect(cpuMs() - before).toBeLessThan(5_000);
});
