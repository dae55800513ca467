// The smallest workbook that says what a test wants, written part by part: no library would write the lies that must be refused.
import { makeZip, type ZipPart } from './make-zip.ts';

export type MadeSheet = {
  readonly name?: string;
  readonly state?: 'hidden' | 'veryHidden';
  /** What stands in `sheetData`. */
  readonly data: string;
  /** What stands before and behind `sheetData`. */
  readonly before?: string;
  readonly behind?: string;
};

export type Made = {
  /** Elements of the workbook besides its sheets. */
  readonly workbook?: string;
  readonly strings?: string;
  /** Number formats in the order of the styles, from style 1 on. */
  readonly formats?: readonly string[];
  /** What fonts hold, in the order of the styles behind those of the formats. */
  readonly fonts?: readonly string[];
  readonly parts?: readonly ZipPart[];
  readonly contentTypes?: string;
  /** A prefix for every element, as some programs write. */
  readonly prefix?: string;
};

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';

export function makeWorkbook(sheets: readonly MadeSheet[], made: Made = {}): Buffer {
  return makeZip(workbookParts(sheets, made));
}

/** The parts, for tests that spoil one. */
export function workbookParts(sheets: readonly MadeSheet[], made: Made = {}): readonly ZipPart[] {
  const { strings = '', workbook = '', parts = [], contentTypes = '' } = made;
  const listed = sheets.map(
    ({ name, state = 'visible' }, index) =>
      `<sheet name="${name ?? `Sheet${index + 1}`}" sheetId="${index + 1}" state="${state}" r:id="s${index + 1}"/>`,
  );
  const relations = [
    ...sheets.map((_, index) => relation(`s${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`)),
    relation('styles', 'styles', 'styles.xml'),
    relation('strings', 'sharedStrings', 'sharedStrings.xml'),
  ];
  return [
    {
      name: '[Content_Types].xml',
      data: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${contentTypes}</Types>`,
    },
    { name: '_rels/.rels', data: relationsOf([relation('w', 'officeDocument', 'xl/workbook.xml')]) },
    {
      name: 'xl/workbook.xml',
      data: `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${listed.join('')}</sheets>${workbook}</workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', data: relationsOf(relations) },
    { name: 'xl/styles.xml', data: stylesOf(made) },
    { name: 'xl/sharedStrings.xml', data: `<sst xmlns="${MAIN}">${strings}</sst>` },
    ...sheets.map((sheet, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      data: sheetXml(sheet, made.prefix ?? ''),
    })),
    ...parts,
  ];
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
}

function relationsOf(relations: readonly string[]): string {
  return `<Relationships xmlns="${RELATIONSHIPS}">${relations.join('')}</Relationships>`;
}

function stylesOf({ formats = [], fonts = [] }: Made): string {
  const numFmts = formats.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(code)}"/>`,
  );
  const xfs = [
    ...formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`),
    ...fonts.map((_, index) => `<xf numFmtId="0" fontId="${index + 1}"/>`),
  ];
  const listed = ['', ...fonts].map((font) => `<font>${font}</font>`);
  return `<styleSheet xmlns="${MAIN}"><numFmts>${numFmts.join('')}</numFmts><fonts>${listed.join('')}</fonts><cellXfs><xf numFmtId="0"/>${xfs.join('')}</cellXfs></styleSheet>`;
}

function sheetXml({ data, before = '', behind = '' }: MadeSheet, prefix: string): string {
  const declared = prefix === '' ? `xmlns="${MAIN}"` : `xmlns:${prefix}="${MAIN}"`;
  const plain = `<worksheet ${declared}>${before}<sheetData>${data}</sheetData>${behind}</worksheet>`;
  return prefix === '' ? plain : plain.replace(/<(\/?)(\w)/g, `<$1${prefix}:$2`);
}

/** Rows of text cells from row `first` on; a cell that starts with `<` is taken as it is. */
export function rowsXml(rows: readonly (readonly string[])[], first = 1): string {
  return rows.map((cells, index) => rowXml(first + index, cells)).join('');
}

export function rowXml(place: number, cells: readonly string[], attributes = ''): string {
  const written = cells.map((cell, index) =>
    cell === '' ? '' : cellXml(cell, letters(index) + String(place)),
  );
  return `<row r="${place}" ${attributes}>${written.join('')}</row>`;
}

function cellXml(cell: string, reference: string): string {
  if (cell.startsWith('<')) return cell.replace(/^<c/, `<c r="${reference}"`);
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
}

/** A number cell, for `rowsXml`. */
export function number(value: number | string, style = 0): string {
  return `<c s="${style}"><v>${value}</v></c>`;
}

function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}

/** Also what XML cannot carry, as spreadsheet programs escape it. */
export function escapeXml(text: string): string {
  return text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, escapeUnit)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function escapeUnit(unit: string): string {
  return `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
