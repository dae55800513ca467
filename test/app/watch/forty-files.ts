// Forty things that people and programs put into an inbox, and the expected result of each.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeWorkbook } from '../../rows/make-workbook.ts';
import { HEADER, line } from '../desk.ts';

/** `paid`, `refused`, `repeated`, `held`: what the batch of the file becomes; `stays`: it is left where it is; `gone`: it never was whole. */
export type Fate = 'paid' | 'refused' | 'repeated' | 'held' | 'stays' | 'gone';

/** How it is put there: in pieces with pauses, under another name first, then replaced or deleted, as a link or a folder. */
export type Manner = 'slowly' | 'renamed' | 'replaced' | 'deleted' | 'linked' | 'folder' | 'unreadable';

export type Dropped = {
  /** Below the inbox. */
  readonly name: string;
  readonly manner: Manner;
  readonly fate: Fate;
  /** Lies in the folder of the sources under this name. */
  readonly source: string;
  readonly references: readonly string[];
  /** Files that have to be dropped before it. */
  readonly after: readonly string[];
};

type Content = string | Uint8Array;
type Kind = Omit<Partial<Dropped>, 'references'> & { readonly rows?: number };

const BANK =
  'reference,payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.registeredName,receiver.address,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode,attachment';

const HELD_HEADER = HEADER.replace('reference,', '');

/** Writes all contents into `sources`, and says what is to be dropped. */
export async function fortyFiles(sources: string): Promise<readonly Dropped[]> {
  await mkdir(sources, { recursive: true });
  const dropped: Dropped[] = [];
  const add = async (
    name: string,
    fate: Fate,
    content: Content,
    kind: Kind = {},
    references: readonly string[] = [],
  ) => {
    const source = `${String(dropped.length)}.bin`;
    await writeFile(join(sources, source), content);
    dropped.push({ name, fate, manner: 'slowly', after: [], source, references, ...kind });
  };
  const good = (name: string, kind: Kind = {}, fate: Fate = 'paid') => {
    const { rows = 2, ...how } = kind;
    const references = Array.from({ length: rows }, (_none, row) => `${name}#${String(row)}`);
    return add(name, fate, csv(references), how, references);
  };
  for (let file = 0; file < 9; file++) await good(`slow-${String(file)}.csv`, { rows: 1 + file });
  for (let file = 0; file < 4; file++) await good(`moved-${String(file)}.csv`, { manner: 'renamed' });
  await good('mars/été (1).csv');
  await good('replaced.csv', { manner: 'replaced' });
  await good('deleted.csv', { manner: 'deleted' }, 'gone');
  for (const name of ['book-1.xlsx', 'book-2.xlsx']) await add(name, 'paid', workbook(name), {}, [name]);
  for (const [index, order] of ['before', 'before', 'after', 'after'].entries()) {
    const [sheet, pdf] = [`bank-${String(index)}.csv`, `invoice-${String(index)}.pdf`];
    await add(sheet, 'paid', invoiced(sheet, pdf), order === 'before' ? { after: [pdf] } : {}, [sheet]);
    await add(pdf, 'gone', '', order === 'after' ? { after: [sheet] } : {});
    await copyFile('samples/invoices/APN-2026-1442.pdf', join(sources, dropped.at(-1)?.source ?? ''));
  }
  await add('again.csv', 'repeated', csv(['slow-1.csv#0', 'slow-1.csv#1']), { after: ['slow-1.csv'] });
  await add('unnamed.csv', 'paid', `${HELD_HEADER}\n${line('x', '777').slice(2)}\n`);
  await add('unnamed.tsv', 'held', `${HELD_HEADER}\n${line('x', '777').slice(2)}\n`.replaceAll(',', '\t'), {
    after: ['unnamed.csv'],
  });
  await add('wrong.csv', 'refused', `${HEADER}\n${line('wrong', 'x')}\n`);
  await add('nothing.csv', 'refused', '');
  await add('only-a-header.csv', 'refused', `${HEADER}\n`);
  await add('no-book.xlsx', 'refused', 'this is no workbook');
  await add('notes.docx', 'stays', 'x');
  await add('~$book-1.xlsx', 'stays', 'x');
  await add('.hidden.csv', 'stays', csv(['hidden']));
  await add('broken-off.csv.part', 'stays', csv(['broken']));
  await add('link.csv', 'stays', csv(['link']), { manner: 'linked' });
  await add('folder.csv', 'stays', '', { manner: 'folder' });
  await good('unreadable.csv', { manner: 'unreadable' }, process.getuid?.() === 0 ? 'paid' : 'stays');
  return dropped;
}

let amounts = 0;

/** Each row is another payment. */
function csv(references: readonly string[]): string {
  // The same references give the same bytes, whenever they are asked for.
  const rows = references.map((reference) => line(reference, String(100 + hash(reference))));
  return `${[HEADER, ...rows].join('\n')}\n`;
}

function hash(text: string): number {
  let sum = 0;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_000;
  return sum;
}

function invoiced(reference: string, pdf: string): string {
  amounts += 1;
  return `${BANK}\n${reference},chn-cny-b2b-bank,XAF,${String(500 + amounts)},EXPORTED_GOODS,Yiwu Trading,1 Road,Yiwu,CHN,Yiwu Trading,6222021208001234567,ICBKCNBJXXX,${pdf}\n`;
}

function workbook(reference: string): Uint8Array {
  const rows = [HEADER, line(reference, String(100 + hash(reference)))].map((text, row) => {
    const cells = text.split(',').map((value) => `<c t="inlineStr"><is><t>${value}</t></is></c>`);
    return `<row r="${String(row + 1)}">${cells.map((cell, column) => cell.replace('<c ', `<c r="${String.fromCharCode(65 + column)}${String(row + 1)}" `)).join('')}</row>`;
  });
  return makeWorkbook([{ data: rows.join('') }]);
}
