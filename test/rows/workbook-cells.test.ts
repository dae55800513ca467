// What is stored in a cell, and what a person sees in it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { dateText, isoDateText, numberText, percentText } from '../../src/rows/xlsx/cell-value.ts';
import { numberForm } from '../../src/rows/xlsx/styles.ts';
import { asZip64, makeZip } from './make-zip.ts';
import {
  escapeXml,
  makeWorkbook,
  number,
  rowsXml,
  rowXml,
  workbookParts,
  type Made,
  type MadeSheet,
} from './make-workbook.ts';
import { fileOf, readFileAt } from './read-table.ts';

const HEADER = ['reference', 'amount', 'note'];

const readBook = (data: string, sheet: Partial<MadeSheet> = {}, made: Made = {}) =>
  readFileAt(fileOf(makeWorkbook([{ data, ...sheet }], made), '.xlsx'));
const cellsOf = async (data: string, made: Made = {}) =>
  (await readBook(data, {}, made)).read.map(({ cells }) => cells);

describe('a workbook of a library that declares types which it does not use', () => {
  const contentTypes =
    '<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/>';

  it('holds no macros, and is read', async () => {
    expect(await cellsOf(rowsXml([HEADER, ['A-1', '5', 'x']]), { contentTypes })).toHaveLength(1);
  });

  it('is refused once a part is of that type', async () => {
    const parts = workbookParts([{ data: rowsXml([HEADER, ['A-1', '5', 'x']]) }], { contentTypes });
    const path = fileOf(makeZip([...parts, { name: 'xl/sheet.bin', data: '' }]), '.xlsx');
    await expect(readFileAt(path)).rejects.toThrow('macros');
  });
});

describe('a number', () => {
  it.each([
    ['0.30000000000000004', '0.3'],
    ['1234.5600000000001', '1234.56'],
    ['1234.5599999999999', '1234.56'],
    ['33.333333333333336', '33.3333333333333'],
    ['999999999999999.9', '1000000000000000'],
    ['1E-3', '0.001'],
    ['1.5e+3', '1500'],
    ['6.22123E+18', '6221230000000000000'],
    ['1E+300', '1E+300'],
    ['1.25E-30', '1.25E-30'],
    ['-0', '0'],
    ['-12.50', '-12.5'],
    ['007', '7'],
    ['.5', '0.5'],
    ['1,5', null],
    ['NaN', null],
    ['', null],
    ['.', null],
  ])('stored as %j is shown as %j', (stored, shown) => expect(numberText(stored)).toBe(shown));

  it('is what a spreadsheet program shows: fifteen digits of any double, and no other number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999_999_999_999_999 }),
        fc.integer({ min: 0, max: 8 }),
        (units, scale) => {
          // What was typed, as the nearest double, printed with all the digits that tell it from its neighbours.
          const typed = units.toString().padStart(scale + 1, '0');
          const text = scale === 0 ? typed : `${typed.slice(0, -scale)}.${typed.slice(-scale)}`;
          const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
          expect(numberText(Number(text).toPrecision(17))).toBe(plain);
          expect(numberText(String(Number(text)))).toBe(plain);
        },
      ),
    );
  });

  it('in percent says so', () => expect([percentText('0.125'), percentText('3')]).toEqual(['12.5%', '300%']));
});

describe('a format', () => {
  it.each([
    'd/m/yy',
    'yyyy\\-mm\\-dd',
    '[$-40C]d mmmm yyyy',
    'h:mm AM/PM',
    '[h]:mm:ss',
    'mm:ss.0',
    'dd/mm/yyyy;@',
  ])('«%s» shows a date', (code) => expect(numberForm(code).isDate).toBe(true));
  it.each([
    'General',
    '0.00',
    '#,##0 "days"',
    '[Red]0',
    '#,##0.00\\ "dh"',
    '[$XAF] #,##0',
    '0.00E+00',
    '@',
    '#,##0 USD',
    '_-* #,##0.00\\ _D_-',
  ])('«%s» shows a number', (code) => expect(numberForm(code).isDate).toBe(false));
});

describe('a format of amounts', () => {
  const shown = (code: string) => {
    const { isMisleading, asAmount } = numberForm(code);
    return isMisleading || asAmount === null ? 'refused' : asAmount.currency;
  };

  it.each([
    'General',
    '',
    '0',
    '#,##0.00',
    '@',
    '0000000',
    '#\\ ##0.00',
    "#'##0",
    '+#,##0',
    '[Red]#,##0',
    '[Color 5]0.00',
    '[$-40C]#,##0.00',
    '[$-x-sysdate,1]0',
    '#,##0 ;(#,##0)',
    '#,##0.00_);[Red](#,##0.00)',
    '_-* #,##0.00\\ _€_-;\\-* #,##0.00\\ _€_-;_-* "-"??\\ _€_-;_-@_-',
    '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
    '**#,##0',
    '0.00E+00',
    '[>=0]#,##0;(#,##0)',
    '[Red][<0]-#,##0;#,##0',
    '[>=1000]#,##0;0.00',
    'yyyy-mm-dd',
    '0%',
  ])('«%s» shows the number as it is', (code) => expect(shown(code)).toBeNull());

  it.each([
    ['#,##0.00 "EUR"', 'EUR'],
    ['#,##0.00 EUR', 'EUR'],
    ['#,##0 [$FCFA-40C]', 'FCFA'],
    ['#,##0" F CFA"', 'F CFA'],
    ['[$€-40C] #,##0.00', '€'],
    ['[$€-x-euro2] #,##0.00', '€'],
    ['[$¥-804]#,##0', '¥'],
    ['[$CN¥]#,##0', 'CN¥'],
    ['$#,##0.00_);($#,##0.00)', '$'],
    ['"XAF" #,##0', 'XAF'],
    ['_-* #,##0.00\\ [$€-40C]_-', '€'],
    ['"EUR" General', 'EUR'],
    ['[<5000]0 "EUR";#,##0 "EUR"', 'EUR'],
  ])('«%s» shows a currency', (code, currency) => expect(shown(code)).toBe(currency));

  it.each([
    '#,##0" 000"',
    '#,##0\\ "mille"',
    '#,##0\\K',
    '#,##0.0 "M"',
    '#,##0"%"',
    '\\1#,##0',
    '1#,##0',
    '"9"0',
    '*0#,##0',
    '0"0"',
    '0\\.00',
    '0\\ 00',
    '"."0',
    '(#,##0.00)',
    '\\(0\\)',
    '-#,##0',
    '"-"#,##0',
    '*-#,##0',
    '#,##0\\−',
    '[$--409]0',
    '[$x 000]0',
    '[$a$-b$]0',
    '#,##0 "EUR" "CNY"',
    '"EUR" 0 "EUR"',
    '#,##0 "days"',
    '[<5000]#,##0;"voir note"',
    '[<5000]#,##0;[>9000]0 "EUR";0',
    '[<=0]0;-0',
    '[>-5]0;[<-9]0;0"0"',
    '#,##0"',
    '# ?/?',
    ';-0',
  ])('«%s» shows another amount, or none', (code) => expect(shown(code)).toBe('refused'));

  it('matters for amounts alone, and goes with them as far as it names a currency', async () => {
    const data = rowsXml([HEADER, [number(7, 1), number(5, 2), 'x'], [number(8, 1), '5 EUR', number(9, 2)]]);
    const { read } = await readBook(data, {}, { formats: ['"REF-"0', '#,##0.00 "EUR"'] });
    expect(read.map(({ cells, currencies }) => [...cells, currencies])).toEqual([
      ['7', '5', 'x', [[1, 'EUR']]],
      ['8', '5 EUR', '9', undefined],
    ]);
  });
});

describe('a line through text', () => {
  it('does no harm where nothing stands or is paid, or where its font says that there is none', async () => {
    const struck = '<rPr><strike/></rPr>';
    const data = rowsXml([
      HEADER,
      [`<c t="inlineStr"><is><r>${struck}<t> </t></r><r><t>A</t></r></is></c>`, number(1, 2), number(1, 1)],
      ['<c s="1"/>', number(1), 'x'],
    ]);
    const fonts = ['<strike/>', '<strike val="0"/>'];
    expect(await cellsOf(data, { fonts })).toEqual([
      [' A', '1', '1'],
      ['', '1', 'x'],
    ]);
  });
});

describe('a date', () => {
  it.each([
    ['1', '1900-01-01'],
    ['59', '1900-02-28'],
    ['60', '1900-02-29'],
    ['61', '1900-03-01'],
    ['46356', '2026-11-30'],
    ['46356.604166666664', '2026-11-30T14:30:00'],
    ['46356.999999', '2026-12-01'],
    ['0.25', '06:00:00'],
    ['2958465', '9999-12-31'],
    ['2958466', null],
    ['-1', null],
  ])('stored as %s is %s', (stored, date) => expect(dateText(stored, false)).toBe(date));

  it('counts from 1904 where the workbook says so', () => {
    expect(dateText('0', true)).toBe('1904-01-01');
    expect(dateText('44894', true)).toBe('2026-11-30');
  });

  it('may be stored as ISO 8601', async () => {
    expect(isoDateText('2026-11-30T00:00:00Z')).toBe('2026-11-30');
    const [cells] = await cellsOf(
      rowsXml([HEADER, ['A', number(1), '<c t="d"><v>2026-11-30T14:30:00</v></c>']]),
    );
    expect(cells?.[2]).toBe('2026-11-30T14:30:00');
  });
});

describe('a cell', () => {
  it('is read without its place, in a row without its number', async () => {
    const inline = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const file = await readBook(
      `<row>${HEADER.map(inline).join('')}</row><row r="3">${inline('A')}<c><v>5</v></c></row><row>${inline('B')}<c><v>6</v></c></row>`,
    );
    expect(file.read.map(({ place, cells }) => [place, ...cells])).toEqual([
      ['3', 'A', '5', ''],
      ['4', 'B', '6', ''],
    ]);
  });

  it('is read whatever prefix its program gives to its elements', async () => {
    const file = await readBook(rowsXml([HEADER, ['A', number(5), 'x']]), {}, { prefix: 'x' });
    expect(file.read.map(({ cells }) => cells)).toEqual([['A', '5', 'x']]);
  });

  it('holds the runs of a rich text, without what is written above it', async () => {
    const strings =
      '<si><r><rPr><b/></rPr><t>東京</t></r><r><t xml:space="preserve"> 支店</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>';
    const [cells] = await cellsOf(rowsXml([HEADER, ['A', number(1), '<c t="s"><v>0</v></c>']]), { strings });
    expect(cells?.[2]).toBe('東京 支店');
  });

  it('with a formula that gives the empty text is empty', async () => {
    const [cells] = await cellsOf(rowsXml([HEADER, ['<c t="str"><f>""</f><v></v></c>', number(1), 'x']]));
    expect(cells).toEqual(['', '1', 'x']);
  });

  it('in a column that is not used may show an error or lack a value', async () => {
    const data = rowsXml([
      HEADER,
      ['A', number(1), '<c t="e"><v>#N/A</v></c>'],
      ['B', number(1), '<c><f>1</f></c>'],
    ]);
    expect(await cellsOf(data)).toEqual([
      ['A', '1', '#N/A'],
      ['B', '1', ''],
    ]);
  });

  it('that starts like a formula is text, and keeps every apostrophe', async () => {
    const notes = ['=1+1', "'=1", '+237699', '-x', '@SUM'];
    const cells = await cellsOf(
      rowsXml([HEADER, ...notes.map((note, index) => [`R${index}`, number(1), note])]),
    );
    expect(cells.map((each) => each[2])).toEqual(notes);
  });

  it('as an amount in percent is no amount', async () => {
    const [cells] = await cellsOf(rowsXml([HEADER, ['A', number('0.5', 1)]]), { formats: ['0%'] });
    expect(cells?.[1]).toBe('50%');
  });
});

describe('a sheet', () => {
  it('may have formatted empty rows to its very end', async () => {
    const empty = Array.from(
      { length: 5_000 },
      (_, index) => `<row r="${index + 3}" hidden="1"><c r="A${index + 3}" s="0"/></row>`,
    );
    const end = '<row r="1048576"><c r="XFD1048576"/></row>';
    expect(await cellsOf(rowsXml([HEADER, ['A', number(1)]]) + empty.join('') + end)).toEqual([
      ['A', '1', ''],
    ]);
  });

  it('may have merged cells in its title and in its totals row, and hidden columns that are not used', async () => {
    const data = rowsXml([['Payroll'], HEADER, ['A', number(1)], ['Total', number(1)]]);
    const file = await readBook(data, {
      before: '<cols><col min="3" max="3" hidden="1"/></cols>',
      behind:
        '<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="B4:C4"/><mergeCell ref="E1:F9"/></mergeCells>',
    });
    expect(file.table.totals?.place).toBe('4');
  });

  it('that is hidden and holds nothing to pay does no harm, and does not count in the places', async () => {
    const content = makeWorkbook([
      { data: rowsXml([['CNY']]), state: 'hidden' },
      { data: rowsXml([HEADER, ['A', number(1)]]) },
    ]);
    const { read } = await readFileAt(fileOf(content, '.xlsx'));
    expect(read.map(({ place }) => place)).toEqual(['2']);
  });

  it('with a header alone gives way to the one that has rows', async () => {
    const content = makeWorkbook([
      { data: rowsXml([HEADER]) },
      { name: 'Mai', data: rowsXml([HEADER, ['A', number(1)]]) },
    ]);
    expect((await readFileAt(fileOf(content, '.xlsx'))).read.map(({ place }) => place)).toEqual(['Mai!2']);
  });

  it('is read from a zip with a comment, with stored parts, and with long fields', async () => {
    const data = rowsXml([HEADER, ['A', number(1)]]) + rowXml(900, ['B', number(2)]);
    const parts = workbookParts([{ data }]);
    const zips = [
      makeZip(parts, 'a comment'),
      makeZip(parts.map((part) => ({ ...part, isStored: true }))),
      asZip64(makeZip(parts)),
    ];
    for (const zip of zips) {
      const { read } = await readFileAt(fileOf(zip, '.xlsx'));
      expect(read.map(({ place }) => place)).toEqual(['2', '900']);
    }
  });
});

describe('what XML cannot carry', () => {
  it('comes back from its escapes', async () => {
    const text = 'a\rb\u0007_x0041_ _x005F_ _xZZZZ_ <&"\'>\t';
    const strings = `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`;
    const [cells] = await cellsOf(rowsXml([HEADER, ['A', number(1), '<c t="s"><v>0</v></c>']]), { strings });
    expect(cells?.[2]).toBe(text);
  });
});
