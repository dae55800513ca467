// The workbook itself: its sheets in the order of their tabs, and what it says about all of them.
import { FileRefused } from '../file-refused.ts';
import { NAME_CHARS_MAX, SHEETS_MAX } from './limits.ts';
import { SPREADSHEET } from './namespaces.ts';
import { externalLinks, macros, relationshipsOf, type Parts, type Relationship } from './package-parts.ts';
import type { Attributes } from './walk-xml.ts';
import { sentence } from '../../messages/messages.ts';

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
export async function readWorkbook(parts: Parts): Promise<Workbook> {
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
