// Every reason to refuse a file, each met by a real file; the message says where and what to do.
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { FILE_REFUSAL_CODES, FileRefused, type FileRefusalCode } from '../../src/rows/file-refused.ts';
import type { ReadOptions } from '../../src/rows/format.ts';
import { readRows } from '../../src/rows/formats.ts';
import type { WorkbookRefusal } from './workbook-refusals.ts';
import { fileOf, OPTIONS, readTable, refusalOf } from './read-table.ts';
import { cpuMs } from '../cpu-time.ts';

type Case = {
  readonly content: string | Uint8Array;
  readonly extension?: string;
  readonly options?: Partial<ReadOptions>;
  /** What the message names. */
  readonly says: string;
};

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const HEADER = 'reference;amount;note\n';

/** Reasons of workbooks, payment messages and control files have their own tests. Validation, which knows the corridors, finds `amount_ambiguous`; the prices find `quotations_too_short`, and the schedule finds faults in a file's day. */
type Elsewhere =
  | WorkbookRefusal
  | 'xml_damaged'
  | 'xml_bomb'
  | 'message_unknown'
  | 'message_invalid'
  | 'message_repeated'
  | 'debtor_unknown'
  | 'debtor_not_allowed'
  | 'debtor_currency_differs'
  | 'unreadable'
  | 'file_changed'
  | 'amount_ambiguous'
  | 'layout_changed'
  | 'profiles_several'
  | 'control_differs'
  | 'control_unreadable'
  | 'quotations_too_short'
  | 'execution_date_unreadable'
  | 'execution_dates_differ'
  | 'execution_date_too_far'
  | 'unexpected_error'
  | 'amount_unit'
  | 'execution_date_standing';

const CASES: Readonly<Record<Exclude<FileRefusalCode, Elsewhere>, readonly Case[]>> = {
  kind_unknown: [
    { content: 'x', extension: '.ods', says: '.ods' },
    { content: 'x', extension: '', says: 'without an extension' },
  ],
  not_text: [
    { content: latin1('PK\x03\x04\x14\x00'), says: 'zip' },
    { content: '%PDF-1.7\n', says: 'PDF' },
    { content: latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), says: '.xls' },
  ],
  too_large: [{ content: 'a'.repeat(11), options: { bytesMax: 10 }, says: '11 bytes; at most 10' }],
  too_many_rows: [{ content: `${HEADER}A;1;\nB;2;\n`, options: { rowsMax: 1 }, says: 'more than 1 rows' }],
  empty_file: [
    { content: '', says: '0 bytes' },
    { content: '\ufeff', says: 'no text' },
    { content: ' \n;;\n\n', says: 'empty rows' },
  ],
  nul_character: [
    { content: `${HEADER}A;1\0;\n`, says: 'line 2, column 4' },
    { content: Buffer.from(`\ufeff${HEADER}A;1\0;\n`, 'utf16le'), says: 'line 2, column 4' },
  ],
  bytes_undecodable: [
    { content: latin1(`${HEADER}A;1;x\x81\n`), says: '0x81 at line 2, column 6' },
    {
      content: Buffer.concat([Buffer.from(`\ufeff${HEADER}A;1;é`), latin1('\xe9\n')]),
      says: '0xE9 at line 2, column 6',
    },
    {
      content: Buffer.concat([Buffer.from(`${HEADER}A;1;éàü`), latin1('\xc3')]),
      says: '0xC3 at line 2, column 8',
    },
    {
      content: latin1(`${HEADER}A;1;\xe9\n`),
      options: { encoding: 'utf-8' },
      says: '0xE9 at line 2, column 5',
    },
    { content: Buffer.from(`\ufeff${HEADER}A;1;\ud800x\n`, 'utf16le'), says: 'line 2, column 5' },
    { content: Buffer.from(`\ufeff${HEADER}A;1;\n`, 'utf16le').subarray(0, -1), says: 'line 2, column 5' },
  ],
  encoding_uncertain: [
    { content: latin1(`${HEADER}A;1;Ren\x8ee\n`), says: 'line 2, column 8' },
    { content: latin1(`${HEADER}A;1;pr\x82nom\n`), says: 'line 2, column 7' },
    { content: latin1(`${HEADER}A;1;\xff\xfe\n`), says: 'line 2, column 5' },
    { content: latin1(`${HEADER}A;1;MAJESTY\xabS\n`), says: 'line 2, column 12' },
    { content: latin1(`${HEADER}A;1;Wa\xb3\xeasa Kowa\xb3ska\n`), says: 'line 2, column 8' },
  ],
  row_too_long: [
    { content: `${HEADER}A;1;${'x'.repeat(2_000_000)}\n`, says: 'Row 2 is longer' },
    { content: `${HEADER}A;1;\nB;2;"${'x\n'.repeat(1_000_000)}`, says: 'Row 3 is longer' },
  ],
  quote_stray: [
    { content: `${HEADER}A;1;5" screen\nB;2;\n`, says: 'row 2, column C' },
    { content: `${HEADER}A;1;\nB;"2"0;\n`, says: 'row 3, column B' },
    { content: `${HEADER}A;1;\nB;2;5" ${'x\n'.repeat(1_000_000)}`, says: 'row 3, column C' },
  ],
  quote_not_closed: [{ content: `${HEADER}A;1;\nB;2;"x\nC;3;\n`, says: 'row 3, column C' }],
  quote_swallows_rows: [
    { content: `${HEADER}A;1;"x\nB;2;y"\nC;3;\n`, says: 'Row 2' },
    { content: `${HEADER}A;1;\n"B;2;x\nC;3;y\nD";4;\n`, says: 'Row 3' },
  ],
  row_too_short: [{ content: `${HEADER}A;1;\nB;2\nC;3;\n`, says: 'Row 3 has 2 cells, but the header has 3' }],
  row_too_wide: [{ content: `${HEADER}A;1;x;;y\n`, says: 'Row 2 has 5 cells, but the header has 3' }],
  header_not_found: [
    { content: 'hello\nworld\n', says: 'first 30' },
    { content: 'Montant\n12\n', says: 'first 30' },
  ],
  header_missing_above_cells: [
    { content: 'reference;;amount\nA;;1\nB;x;2\n', says: 'Column B has no name in the header, but row 3' },
    { content: ';reference;amount\n0;A;1\n;B;2\n', says: 'Column A has no name in the header, but row 2' },
  ],
  amount_column_missing: [{ content: 'Payroll\nreference;currency\nA;XAF\n', says: 'header in row 2' }],
  column_twice: [{ content: 'amount;Montant\n1;2\n', says: '«amount» (A1) and «Montant» (B1)' }],
  no_rows: [
    { content: HEADER, says: 'row 1' },
    { content: `Title\n${HEADER}\n;;\n`, says: 'row 2' },
  ],
  number_ambiguous: [
    { content: `${HEADER}A;5;\nB;1.234;\n`, says: '«1.234» in row 3, column «amount» (B3)' },
  ],
  numbers_mixed: [{ content: `${HEADER}A;1.5;\nB;1,5;\n`, says: '«1.5» in row 2, column «amount» (B2)' }],
  totals_differ: [{ content: `${HEADER}A;5;\nB;6;\nTotal;12;\n`, says: '«12», but the rows add up to 11' }],
};

describe('a file is refused', () => {
  const cases = Object.entries(CASES).flatMap(([code, list]) =>
    list.map((each): [string, Case] => [code, each]),
  );
  it.each(cases)('%s (%#)', async (code, { content, extension, options, says }) => {
    const refused = await refusalOf(fileOf(content, extension), options);
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(says);
  });

  it('when it is not there, not a file, or may not be read', async () => {
    expect((await refusalOf('/nowhere/at-all.csv')).code).toBe('unreadable');
    const fifo = `${fileOf('x')}.pipe.csv`;
    execFileSync('mkfifo', [fifo]);
    expect((await refusalOf(fifo)).message).toContain('not a regular file');
    const closed = fileOf('x');
    chmodSync(closed, 0);
    // Root may read everything; then the file is refused for what is in it.
    expect(['unreadable', 'header_not_found']).toContain((await refusalOf(closed)).code);
  });

  it('when it changes between the survey and the rows', async () => {
    const path = fileOf('reference,amount\nA,1\n');
    const { rows } = await readRows(path, OPTIONS);
    writeFileSync(path, 'reference,amount\nA,1000000\n');
    const outcome = await Array.fromAsync(rows()).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(FileRefused);
    expect(outcome).toHaveProperty('code', 'file_changed');
  });

  it('for every reason with what to do about it', () => {
    for (const code of FILE_REFUSAL_CODES) {
      const { words } = new FileRefused(code, { en: 'It is so.', fr: "C'est ainsi.", es: 'Es así.' });
      expect(words.en).toMatch(/^It is so\. [A-Z].+\.$/);
      expect(words.fr).toMatch(/^C'est ainsi\. \p{Lu}.+\.$/u);
    }
  });

  it('within three seconds and a little memory when one line has 100 MB', async () => {
    const path = fileOf(Buffer.alloc(100_000_000, 'x'));
    await setImmediate();
    const before = process.memoryUsage.rss();
    const started = cpuMs();
    expect((await refusalOf(path)).code).toBe('row_too_long');
    expect(cpuMs() - started).toBeLessThan(3_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });
});

describe('a file is taken', () => {
  it('when cells beyond the header are empty', async () => {
    expect((await readTable(`${HEADER}A;1;x;;\n`)).read[0]?.cells).toEqual(['A', '1', 'x']);
  });

  it('when an address of several lines holds separators', async () => {
    const { read } = await readTable(`${HEADER}A;1;"12 rue X; BP 5\nDouala; Cameroun"\n`);
    expect(read[0]?.cells[2]).toBe('12 rue X; BP 5\nDouala; Cameroun');
  });
});
