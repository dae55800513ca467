// The workbook itself: its sheets in the order of their tabs, and the texts that their cells refer to by number.
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import {
  NAME_CHARS_MAX,
  SHARED_STRINGS_MAX,
  SHARED_TEXT_BYTES_MAX,
  SHEETS_MAX,
  SPREADSHEET,
} from './limits.ts';
import {
  externalLinks,
  macros,
  type PackageParts,
  type Relationship,
  relationshipsOf,
} from './package-parts.ts';
import { type Attributes, richText, unescapeText } from './walk-xml.ts';

// The workbook itself: its sheets in the order of their tabs, and what it says about all of them.

export type Sheet = {
  readonly name: string;
  readonly isHidden: boolean;
  /** The part with its cells; null for a sheet that is a chart. */
  readonly part: string | null;
};

export type Workbook = {
  readonly sheets: readonly Sheet[];
  /** Days are counted from 1904, as the first spreadsheet programs for the Mac did. */
  readonly is1904: boolean;
  /** The program that wrote the file has left all computing to the one that opens it, so that no stored value counts. */
  readonly isUncomputed: boolean;
  readonly stylesPart: string | null;
  readonly stringsPart: string | null;
};

type Listed = { readonly name: string; readonly state: string; readonly relation: string };

/** Throws `FileRefused`. */
export async function readWorkbook(parts: PackageParts): Promise<Workbook> {
  const start = (await relationshipsOf(parts, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (start === undefined || start === null || !/\.xml$/i.test(start))
    throw new FileRefused('not_workbook', sentence('workbook.readWorkbook'));
  const listed: Listed[] = [];
  let is1904 = false;
  let isUncomputed = false;
  const sheet = { open: (attributes: Attributes) => void listed.push(listedSheet(attributes)) };
  const shape = {
    children: {
      workbookPr: { open: ({ date1904 }: Attributes) => void (is1904 = isTrue(date1904)) },
      sheets: { children: { sheet } },
      calcPr: { open: ({ fullCalcOnLoad }: Attributes) => void (isUncomputed = isTrue(fullCalcOnLoad)) },
      externalReferences: {
        open: () => {
          throw externalLinks();
        },
      },
    },
  };
  await parts.walk(start, { name: 'workbook', namespaces: SPREADSHEET, shape });
  const relations = await relationshipsOf(parts, start);
  const partOf = (wanted: string) => relations.find(({ type }) => type === wanted)?.target ?? null;
  return {
    sheets: joinSheets(listed, relations),
    is1904,
    isUncomputed,
    stylesPart: partOf('styles'),
    stringsPart: partOf('sharedStrings'),
  };
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function listedSheet(attributes: Attributes): Listed {
  const relation = Object.keys(attributes).find((name) => name.endsWith(':id'));
  return {
    name: attributes['name'] ?? '',
    state: attributes['state'] ?? 'visible',
    relation: relation === undefined ? '' : (attributes[relation] ?? ''),
  };
}

function joinSheets(listed: readonly Listed[], relations: readonly Relationship[]): readonly Sheet[] {
  if (relations.some(({ type }) => /macrosheet$/i.test(type))) throw macros();
  if (relations.some(({ type }) => type === 'externalLink')) throw externalLinks();
  if (listed.some(({ name }) => !isSheetName(name)))
    throw new FileRefused('workbook_damaged', sentence('workbook.joinSheets.sheetWorkbookName'));
  if (listed.length > SHEETS_MAX)
    throw new FileRefused(
      'workbook_bomb',
      sentence('workbook.joinSheets.workbookSheetsMost', { length: listed.length, sheetsMax: SHEETS_MAX }),
    );
  const sheets = listed.map(({ name, state, relation }) => {
    const { type, target } = relations.find(({ id }) => id === relation) ?? { type: '', target: null };
    if (target === null)
      throw new FileRefused('workbook_damaged', sentence('workbook.joinSheets.sheetContent', { name }));
    return { name, isHidden: state !== 'visible', part: type === 'worksheet' ? target : null };
  });
  if (new Set(sheets.map(({ name }) => name.toLowerCase())).size !== sheets.length)
    throw new FileRefused('workbook_damaged', sentence('workbook.joinSheets.twoSheetsWorkbook'));
  return sheets;
}

/** The name becomes part of each row's identity and of messages. */
function isSheetName(name: string): boolean {
  return name !== '' && name.length <= NAME_CHARS_MAX && !/\p{Cc}/u.test(name);
}

// Texts that cells refer to by number. There may be millions, so they are kept as bytes outside the heap and made into strings when asked for.

export type SharedStrings = {
  /** The text of a number, or undefined where there is none. */
  readonly text: (index: number) => string | undefined;
  /** A part of it is struck through. */
  readonly isStruck: (index: number) => boolean;
};

export async function readSharedStrings(parts: PackageParts, part: string | null): Promise<SharedStrings> {
  const store = startStore();
  const struck = new Set<number>();
  const strings = { text: store.get, isStruck: (index: number) => struck.has(index) };
  if (part === null) return strings;
  let text = '';
  let count = 0;
  const take = (piece: string, isStruck: boolean) => {
    text += piece;
    if (isStruck) struck.add(count);
  };
  const close = () => {
    store.add(unescapeText(text));
    count += 1;
  };
  const si = { open: () => void (text = ''), close, children: richText(take) };
  await parts.walk(part, { name: 'sst', namespaces: SPREADSHEET, shape: { children: { si } } });
  return strings;
}

type Store = { readonly add: (text: string) => void; readonly get: SharedStrings['text'] };

/** The first texts are mostly those that repeat (currencies, countries), so these are kept as strings once made. */
const KEPT = 4_096;

const BYTES_FIRST = 64 * 1024;
const COUNT_FIRST = 4_096;

/** A UTF-16 unit becomes at most three bytes. */
const BYTES_A_UNIT = 3;

function startStore(): Store {
  let bytes = Buffer.allocUnsafeSlow(BYTES_FIRST);
  let ends = new Uint32Array(COUNT_FIRST);
  let count = 0;
  let used = 0;
  const kept: string[] = [];
  return {
    add: (text) => {
      const needed = used + text.length * BYTES_A_UNIT;
      if (count === SHARED_STRINGS_MAX || used + text.length > SHARED_TEXT_BYTES_MAX) throw tooMuch();
      if (needed > bytes.length) bytes = grown(bytes, used, needed);
      if (count === ends.length) ends = grownList(ends);
      used += bytes.write(text, used);
      ends[count] = used;
      count += 1;
    },
    get: (index) => {
      if (!(index >= 0 && index < count)) return undefined;
      const known = kept[index];
      if (known !== undefined) return known;
      const text = bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index]);
      if (index < KEPT) kept[index] = text;
      return text;
    },
  };
}

function grown(bytes: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, needed));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

function grownList(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(list.length * 2);
  larger.set(list);
  return larger;
}

function tooMuch(): FileRefused {
  return new FileRefused('workbook_bomb', sentence('sharedStrings.tooMuch'));
}
