// A table written in any supported form is read back exactly: no cell moves, no letter is lost, no formula runs.
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  BYTE_ENCODINGS,
  type CsvForm,
  DELIMITERS,
  ENCODINGS,
  isLegacyEncoding,
} from '../../src/rows/form.ts';
import { writeCsv } from '../../src/rows/csv/csv-file.ts';
import { protectFormula, unprotectFormula } from '../../src/rows/cell.ts';
import { parseQuoted, parseRecords } from '../../src/rows/csv/records.ts';
import { checkSwallowedRows, isBlank } from '../../src/rows/header.ts';
import { fitsIn } from '../../src/rows/csv/text.ts';
import { csvFormOf, readTable } from './read-table.ts';

const AMOUNTS = new Set([1]);
const PLAIN: CsvForm = {
  kind: 'csv',
  delimiter: ';',
  encoding: { name: 'utf-8', bom: false },
  newline: '\n',
  sepLine: false,
  decimalMark: '.',
};

async function write(form: CsvForm, lines: readonly (readonly string[])[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeCsv(form, [lines], AMOUNTS)));
}

const text = async (lines: readonly (readonly string[])[], form = PLAIN) =>
  (await write(form, lines)).toString();

const forms = fc.record<CsvForm>({
  kind: fc.constant('csv'),
  delimiter: fc.constantFrom(...DELIMITERS),
  encoding: fc.constantFrom(...ENCODINGS).chain((name) =>
    fc.record({
      name: fc.constant(name),
      bom: isLegacyEncoding(name) ? fc.constant(false) : name === 'utf-8' ? fc.boolean() : fc.constant(true),
    }),
  ),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  sepLine: fc.boolean(),
  decimalMark: fc.constant('.'),
});

const TROUBLE = [
  '"',
  "'",
  ',',
  ';',
  '\t',
  '|',
  '\n',
  '\r',
  '=',
  '+',
  '-',
  '@',
  '＝',
  ' ',
  'é',
  '’',
  '€',
  'Ω',
  '北',
  '😀',
  '\u202e',
  'x',
  '1',
];
const cells = fc.oneof(
  fc.array(fc.constantFrom(...TROUBLE), { maxLength: 8 }).map((characters) => characters.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('=1+1', "'=1", "''x", '+237699000000', '-5', 'sep=;'),
);
const rows = fc
  .tuple(cells, fc.integer({ min: -9_999, max: 9_999 }), cells, cells)
  .map(([reference, amount, note, city]) => [`R${reference}`, String(amount), note, city]);

describe('a written table', () => {
  it('is read back exactly, in every form', async () => {
    await fc.assert(
      fc.asyncProperty(forms, fc.array(rows, { minLength: 1, maxLength: 6 }), async (form, table) => {
        const { name } = form.encoding;
        const fits = (cell: string) => !isLegacyEncoding(name) || fitsIn(cell, name);
        fc.pre(
          table
            .flat()
            .every(
              (cell) => fits(cell) && cell.isWellFormed() && !cell.includes('\0') && !cell.includes('\ufeff'),
            ),
        );
        for (const row of table) {
          try {
            checkSwallowedRows(1, row, form.delimiter, 4);
          } catch {
            // A cell that looks like two swallowed rows is refused on purpose.
            fc.pre(false);
          }
        }
        const bytes = await write(form, [['reference', 'amount', 'Note', 'receiver.city'], ...table]);
        // Profile settings stand in for what so few letters cannot prove.
        const back = await readTable(bytes, { encoding: form.encoding.name });
        expect(back.read.map((row) => row.cells)).toEqual(table);
        // Whole amounts show no mark; the delimiter does.
        expect(back.table.form).toEqual({ ...form, decimalMark: form.delimiter === ';' ? ',' : '.' });
      }),
      { numRuns: 400 },
    );
  });

  it('in windows-1252 keeps every letter of it, without being told the encoding', async () => {
    const table = [['R1', '5', 'Société L’Œuvre – «Électricité» €', 'Muñoz & Fils']];
    const form = { ...PLAIN, encoding: { name: 'windows-1252', bom: false } } as const;
    const back = await readTable(
      await write(form, [['reference', 'amount', 'Note', 'receiver.city'], ...table]),
    );
    expect(csvFormOf(back).encoding.name).toBe('windows-1252');
    expect(back.read.map((row) => row.cells)).toEqual(table);
  });

  it.each(BYTE_ENCODINGS)('in %s keeps every byte that is a letter of it', async (name) => {
    const upper = Uint8Array.from({ length: 128 }, (_, index) => 128 + index);
    const letters = Array.from(new TextDecoder(name === 'mac-roman' ? 'macintosh' : name).decode(upper))
      .filter((letter) => /[^\p{Cc}\p{Z}\ufeff]/u.test(letter))
      .join('');
    const form = { ...PLAIN, encoding: { name, bom: false } } as const;
    const table = [['R1', '5', letters, 'Douala']];
    const bytes = await write(form, [['reference', 'amount', 'Note', 'receiver.city'], ...table]);
    const back = await readTable(bytes, { encoding: name });
    expect(back.read.map((row) => row.cells)).toEqual(table);
    expect(letters.length).toBeGreaterThan(90);
  });

  it('in windows-1252 shows what it has no letter for as the plain letter or ?', async () => {
    const form = { ...PLAIN, encoding: { name: 'windows-1252', bom: false } } as const;
    const bytes = await write(form, [['a\u202fb', 'āé北😀', '；', '＝x']]);
    expect(new TextDecoder('windows-1252').decode(bytes)).toBe('a b;aé??;";";\'=x\n');
  });

  it('joins lines to the very text that csv-stringify makes of them', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.array(cells, { minLength: 2, maxLength: 4 })), async (lines) => {
        const wanted = stringify(
          lines.map((line) => line.map((cell) => protectFormula(cell))),
          { delimiter: PLAIN.delimiter, record_delimiter: PLAIN.newline, quoted_match: /[\r\n]/ },
        );
        const pieces = await Array.fromAsync(writeCsv(PLAIN, [lines], new Set()));
        expect(Buffer.concat(pieces).toString()).toBe(Buffer.from(wanted).toString());
      }),
    ));

  it('starts with the sep= line and the byte order mark of its input', async () => {
    expect(
      await text([['a', 'b']], {
        ...PLAIN,
        delimiter: '|',
        sepLine: true,
        newline: '\r\n',
        encoding: { name: 'utf-8', bom: true },
      }),
    ).toBe('\ufeffsep=|\r\na|b\r\n');
  });

  it('comes in pieces, so that a million lines need no memory', async () => {
    const pages = (function* () {
      for (let line = 0; line < 5_000; line += 500)
        yield Array.from({ length: 500 }, (_, index) => [`${line + index}`, '1']);
    })();
    const pieces = await Array.fromAsync(writeCsv(PLAIN, pages, AMOUNTS));
    expect(pieces.length).toBeGreaterThan(5);
    expect(Buffer.concat(pieces).toString().split('\n')).toHaveLength(5_001);
  });
});

describe('formulas', () => {
  it.each(['=1', '+237', '-x', '@SUM', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠1', "'=1", "''+"])(
    '%j is protected',
    (cell) => {
      expect(protectFormula(cell)).toBe(`'${cell}`);
      expect(unprotectFormula(`'${cell}`)).toBe(cell);
    },
  );

  it.each(['', 'x', "'x", "'", '1', ' =1', 'a=b'])('%j is left alone', (cell) => {
    expect(protectFormula(cell)).toBe(cell);
    expect(unprotectFormula(cell)).toBe(cell);
  });

  it('what is protected and read again is the same, for every text', () => {
    fc.assert(fc.property(cells, (cell) => unprotectFormula(protectFormula(cell)) === cell));
  });

  it('numbers of number columns are left alone, everything else there is not', async () => {
    expect(await text([['-5', '-5', '-5']])).toBe("'-5;-5;'-5\n");
    expect(await text([['x', '-1 234,50', 'x']])).toBe('x;-1 234,50;x\n');
    expect(await text([['x', '-5+cmd', 'x']])).toBe("x;'-5+cmd;x\n");
    expect(await text([['x', '=5', 'x']])).toBe("x;'=5;x\n");
  });
});

describe('splitting without a parser', () => {
  it('gives what csv-parse gives, for every text that csv-parse takes', () => {
    const pieces = fc
      .array(fc.constantFrom('"', '""', '";"', ';', 'x', '\n', '\r\n', '\r', ' '), { maxLength: 14 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(pieces, (content) => {
        const parsed = attempt(() => parseQuoted(content, ';'));
        const split = attempt(() => parseRecords(content, ';', 1));
        if (content === '') return;
        expect(split).toEqual(parsed);
      }),
      { numRuns: 5_000 },
    );
  });
});

function attempt(read: () => readonly string[][]): readonly string[][] | 'refused' {
  try {
    return read();
  } catch {
    return 'refused';
  }
}

describe('blank rows', () => {
  it('are those in which nobody sees anything', () => {
    expect(isBlank(['', ' ', '\u00a0'])).toBe(true);
    expect(isBlank(['', '0'])).toBe(false);
  });
});
