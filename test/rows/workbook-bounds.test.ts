// Workbooks made to hurt: each is refused at once, with little memory, by its stated size or by its real one.
import { Readable } from 'node:stream';
import { createDeflateRaw } from 'node:zlib';

import { beforeAll, describe, expect, it } from 'vitest';

import { makeZip } from './make-zip.ts';
import { number, rowsXml, workbookParts } from './make-workbook.ts';
import { fileOf, refusalOf } from './read-table.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const STRINGS = 'xl/sharedStrings.xml';
const PARTS = workbookParts([
  {
    data: rowsXml([
      ['reference', 'amount'],
      ['A', number(1)],
    ]),
  },
]);

/** Two gigabytes of spaces in two megabytes. */
const BOMB_BYTES = 2_000 * 1024 * 1024;
const spaces = Buffer.alloc(1024 * 1024, ' ');
let bomb = Buffer.alloc(0);

beforeAll(async () => {
  const all = Readable.from(Array.from({ length: BOMB_BYTES / spaces.length }, () => spaces));
  bomb = Buffer.concat(await all.pipe(createDeflateRaw({ level: 6 })).toArray());
  expect(bomb.length).toBeLessThan(2_100_000);
});

const bombAs = (name: string, inflatedBytes: number) =>
  makeZip(
    PARTS.map((part) =>
      part.name === name ? { name, data: '', compressed: bomb, lies: { inflatedBytes } } : part,
    ),
  );

/** A list of entities, each ten times the one before: ten to the twentieth characters. */
const entities = Array.from(
  { length: 20 },
  (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
).join('');

describe('within two seconds and 100 MB of our memory', () => {
  it.each([
    ['a bomb that states its size', () => bombAs(SHEET, BOMB_BYTES), 'workbook_bomb'],
    ['a bomb that states a small size', () => bombAs(SHEET, 1_000_000), 'workbook_bomb'],
    [
      'a bomb that states a size within the bounds, as shared strings',
      () => bombAs(STRINGS, 100_000_000),
      'workbook_bomb',
    ],
    [
      'a bomb in a picture',
      () =>
        makeZip([
          ...PARTS,
          { name: 'xl/media/a.emf', data: '', compressed: bomb, lies: { inflatedBytes: BOMB_BYTES } },
        ]),
      'workbook_bomb',
    ],
    [
      'a thousand entries over the same bytes',
      () =>
        makeZip([
          ...PARTS,
          ...Array.from({ length: 1_000 }, (_, index) => ({
            name: `xl/${index}`,
            data: 'x'.repeat(1_000),
            lies: { start: 0 },
          })),
        ]),
      'workbook_bomb',
    ],
    [
      'a billion entities',
      () =>
        makeZip(
          PARTS.map((part) =>
            part.name === SHEET
              ? { name: SHEET, data: `<!DOCTYPE a [<!ENTITY e0 "x">${entities}]>${part.data as string}` }
              : part,
          ),
        ),
      'workbook_bomb',
    ],
    [
      'an entity that names a file',
      () =>
        makeZip(
          PARTS.map((part) =>
            part.name === STRINGS
              ? {
                  name: STRINGS,
                  data: `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]>${part.data as string}`,
                }
              : part,
          ),
        ),
      'workbook_bomb',
    ],
    ['a workbook cut off in its middle', () => makeZip(PARTS).subarray(0, 900), 'workbook_damaged'],
    ['random bytes', () => garbage(3_000_000), 'not_workbook'],
    [
      'random bytes behind the start of a zip',
      () => Buffer.concat([Buffer.from('PK\x03\x04'), garbage(3_000_000)]),
      'workbook_damaged',
    ],
  ] as const)('%s is refused', async (_, content, code) => {
    const path = fileOf(content(), '.xlsx');
    const before = process.memoryUsage.rss();
    const started = performance.now();
    expect((await refusalOf(path)).code).toBe(code);
    // A bound of hanging: each of them could be unpacked for hours.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });

  it('a text of sixty thousand characters, shared by a hundred thousand cells, is refused', async () => {
    const strings = `<si><t>${'x'.repeat(60_000)}</t></si>`;
    const rows = Array.from(
      { length: 100_000 },
      (_, index) => `<row r="${index + 2}"><c r="A${index + 2}" t="s"><v>0</v></c></row>`,
    );
    const data = rowsXml([['reference', 'amount']]) + rows.join('');
    const before = process.memoryUsage.rss();
    const refused = await refusalOf(fileOf(makeZip(workbookParts([{ data }], { strings })), '.xlsx'));
    expect(refused.code).toBe('row_too_long');
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });
});

/** From a fixed generator, so that a failure can be repeated. */
function garbage(length: number): Buffer {
  let state = 7;
  return Buffer.from(Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff));
}
