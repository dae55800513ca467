// Programs make no room for wrapped lines by themselves, so each row is written as high as its words need.
import excel from 'exceljs';
import { describe, expect, it } from 'vitest';

import { linesIn, writeXlsx } from '../../src/rows/xlsx/xlsx-writer.ts';

describe('the lines that a text takes', () => {
  it.each([
    ['', 20, 1],
    ['one line', 20, 1],
    ['twenty characters and more of them', 20, 2],
    ['first\nsecond', 20, 2],
    ['first\r\n\r\nthird', 20, 3],
    // A word that no line holds is broken where the line ends.
    ['x'.repeat(50), 20, 3],
    [`${'x'.repeat(50)} and more of it`, 20, 4],
    // A Chinese letter is as wide as two others.
    ['北京市朝阳区建国路八十八号', 20, 2],
    // A hyphen is a place to break at, as a space is.
    ['chn-cny-b2c-alipay', 10, 2],
  ])('%j in a column of %i characters: %i', (text, width, lines) => {
    expect(linesIn(text, width)).toBe(lines);
  });

  it('never become fewer in a narrower column', () => {
    const text = 'The corridor chn-cny-b2c-alipay needs the firstName of the receiver. Fill it in. '.repeat(
      4,
    );
    const lines = Array.from({ length: 60 }, (_, index) => linesIn(text, index + 1));
    expect(lines).toEqual(lines.toSorted((a, b) => b - a));
  });
});

describe('a row', () => {
  it('is as high as its highest cell, and as always where no text is wrapped', async () => {
    const words = 'A reason of some length, which goes on over more than one line. '.repeat(3);
    const sheet = {
      name: 'Paie',
      header: ['reference', 'payout.reason'],
      widths: [12, 60],
      rows: [
        [{ value: 'A-1' }, { value: words }],
        [{ value: 'A-2' }, { value: 'Paid.' }],
        [{ value: 'A-3' }, { value: 'x '.repeat(20_000) }],
      ],
    };
    const book = new excel.Workbook();
    // A small buffer lies in a pool with others, whose bytes are not the workbook.
    const bytes = Uint8Array.from(Buffer.concat(await Array.fromAsync(writeXlsx([sheet]))));
    await book.xlsx.load(bytes.buffer);
    const [written] = book.worksheets;
    expect(written?.getRow(2).height).toBe(15 * linesIn(words, 60));
    expect(written?.getRow(3).height).toBeUndefined();
    // The highest that a spreadsheet program keeps.
    expect(written?.getRow(4).height).toBe(405);
  });
});
