// The same content in another form is known again; other content is not taken for it.
import { describe, expect, it } from 'vitest';

import { contentFingerprint } from '../../src/rows/content-fingerprint.ts';
import { makeWorkbook, number, rowsXml } from './make-workbook.ts';
import { fileOf, readFileAt, readTable } from './read-table.ts';

const of = async (content: string | Uint8Array) => contentFingerprint(await readTable(content));
const BASE = 'reference;Bénéficiaire;Montant;Note\nA;Zoé;1234,50;x\nB;Bob;7;\n';

describe('the fingerprint of content', () => {
  it.each<[string, string | Uint8Array]>([
    ['delimiter and quotes', 'reference,Bénéficiaire,Montant,Note\n"A","Zoé","1234,50","x"\nB,Bob,7,\n'],
    ['encoding', Buffer.from(BASE, 'latin1')],
    ['a byte order mark and UTF-16', Buffer.from(`\ufeff${BASE}`, 'utf16le')],
    ['line ends, title and blank rows', `Title\r\n\r\n${BASE.replaceAll('\n', '\r\n')}\r\n`],
    ['the way of writing numbers', 'reference;Bénéficiaire;Montant;Note\nA;Zoé;1,234.5;x\nB;Bob;7.00;\n'],
    ['the order of rows', 'reference;Bénéficiaire;Montant;Note\nB;Bob;7;\nA;Zoé;1234,50;x\n'],
    ['the order and the names of columns', 'amount;Beneficiary;Ref\n1234.5;Zoé;A\n7;Bob;B\n'],
    [
      'unknown, empty and our own columns',
      'reference;Bénéficiaire;Montant;City;payout.error\nA;Zoé;1234,50;;wrong\nB;Bob;7;;\n',
    ],
    ['a totals row', `${BASE}Total;;1241,5;\n`],
  ])('does not depend on %s', async (_, content) => {
    expect(await of(content)).toBe(await of(BASE));
  });

  it.each([
    [
      'an account in the second of two columns',
      'Name,Amount,IBAN,Account number\nZoé,5,,123\n',
      '123',
      '124',
    ],
    [
      'a text that all payments share',
      'Name,Amount,Payment reference\nZoé,5,May\nBob,6,May\n',
      'May',
      'June',
    ],
  ])('depends on %s', async (_, content, before, after) => {
    expect(await of(content.replaceAll(before, after))).not.toBe(await of(content));
  });

  it('does not depend on which of two columns holds an account', async () => {
    const content = (cells: string) => `Name,Amount,IBAN,Account number\nZoé,5,${cells}\n`;
    expect(await of(content('123,'))).toBe(await of(content(',123')));
  });

  it('is pinned: the ledger remembers it', async () => {
    expect(await of(BASE)).toBe('0deb9842e0309edeab2b7729b1790f161b8bc2eef1718290265201b85115f4e0');
  });

  it('does not depend on whether a workbook holds it', async () => {
    const data = rowsXml([
      ['Payroll'],
      [],
      ['reference', 'Beneficiary', 'Montant', 'Note'],
      ['A', 'Zoé', number('1234.5'), 'x'],
      ['B', 'Bob', number(7)],
    ]);
    const path = fileOf(makeWorkbook([{ data }]), '.xlsx');
    expect(await contentFingerprint(await readFileAt(path))).toBe(await of(BASE));
  });

  it.each([
    ['an amount', BASE.replace('1234,50', '1234,51')],
    ['a name', BASE.replace('Bob', 'Rob')],
    ['a row twice', `${BASE}B;Bob;7;\n`],
    ['a row less', BASE.replace('B;Bob;7;\n', '')],
    ['the cells of one column in another', BASE.replace('reference', 'documentReferenceNumber')],
    ['where one cell ends and the next begins', BASE.replace('A;Zoé', 'AZ;oé')],
    ['the currency beside a number', BASE.replace(';7;', ';7 €;')],
  ])('depends on %s', async (_, content) => {
    expect(await of(content)).not.toBe(await of(BASE));
  });
});
