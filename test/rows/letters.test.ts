// Letters that a program has written in another encoding are never sent misspelt: a file is read right, or it is refused, however short it is.
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { decodeText } from '../../src/base/peoples-text.ts';
import { encodeText, writableIn } from '../../src/rows/csv/text.ts';
import { FileRefused } from '../../src/rows/file-refused.ts';
import type { EncodingName } from '../../src/rows/form.ts';
import { readRows } from '../../src/rows/formats.ts';

const folder = mkdtempSync(join(tmpdir(), 'paydrop-letters-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** The name as it is read, or the code of the refusal. */
async function read(
  name: string,
  written: EncodingName,
  encoding: EncodingName | 'auto' = 'auto',
): Promise<string> {
  const path = join(folder, `names-${String((files += 1))}.csv`);
  await writeFile(path, encodeText(`Reference;Beneficiary;Amount\nR-1;${name};1000\n`, written));
  try {
    const file = await readRows(path, { rowsMax: 10, bytesMax: 1e6, decimalMark: 'auto', encoding });
    for await (const { cells } of file.rows()) return cells[1] ?? '';
    return '';
  } catch (error) {
    if (error instanceof FileRefused) return error.code;
    throw error;
  }
}

const FOREIGN: Partial<Record<EncodingName, readonly string[]>> = {
  gbk: [
    '王伟',
    '李娜',
    '张敏',
    '刘洋',
    '陈静',
    '杨勇',
    '赵磊',
    '黄强',
    '周杰',
    '吴军',
    '徐涛',
    '孙艳',
    '马超',
    '朱明',
    '胡平',
    '郭丽',
  ],
  big5: ['王小明', '李美玲', '陳志強', '林淑芬', '黃建國', '張家豪', '劉雅婷', '蔡文龍'],
  'windows-1251': ['Иванов', 'Наталья', 'Шевчук', 'Ольга Петрова', 'Сергей', 'Юрий', 'Анна'],
  'windows-1256': ['محمد صالح', 'زينب إدريس', 'علي', 'فاطمة', 'حسن', 'خديجة', 'إبراهيم'],
  'windows-1250': ['Dvořák', 'Kovačić', 'Wałęsa', 'Kamiński', 'Łukasz', 'Jiří', 'Żaneta', 'Woźniak', 'Grześ'],
  'mac-roman': ['Jos\u00e9', 'Ren\u00e9e', 'N\u00e8gre', 'Beno\u00eet L\u00e9vy', 'H\u00e9l\u00e8ne'],
};

describe('one name in the encoding of another script', () => {
  const cases = Object.entries(FOREIGN).flatMap(([encoding, names]) =>
    names.map((name) => [encoding as EncodingName, name] as const),
  );

  it.each(cases)('%s: %s is not read as something else', async (encoding, name) => {
    expect(await read(name, encoding)).toMatch(/^(?:encoding_uncertain|bytes_undecodable)$/);
  });

  it.each(cases)('%s: %s is read right where the profile says so', async (encoding, name) => {
    expect(await read(name, encoding, encoding)).toBe(name);
  });
});

describe('a name of Western Europe in Windows-1252', () => {
  it.each([
    'Société Générale',
    'Chloé Nguéma',
    'Établissements Mercier & Fils',
    "L'Haÿ-les-Roses",
    'Œuvres sociales',
    'Cœur et Bœuf',
    'Muñoz Peña',
    'Señor Ñíguez',
    '«Été» SARL',
    'N° 12 – côté cour',
    '¿Quién? ¡Ánimo!',
    'Jörg Müßigbrodt',
    'Ängström Öl',
    'Åse Sørensen',
    'Mælkevej Ærø',
    'São João da Conceição',
    'António Guimarães',
    'Zürich Ä.G.',
    'D´Été',
    'Café™ Crème',
    'Nestlé®',
    'ÇA ET LÀ',
    'çà et là',
    'L·lull Català',
    '500 £ à 3 €',
    'Aïssatou Bello',
    'Théodore Manga Bell',
  ])('%s is read as it is', async (name) => expect(await read(name, 'windows-1252')).toBe(name));
});

describe('the text of a file that a person typed', () => {
  const text = 'sender:\n  registeredName: Société Générale\n';

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 of the other order', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
  ])('is read: %s', (_, bytes) => expect(decodeText(bytes)).toBe(text));

  it.each([
    ['Windows-1252', Buffer.from(text, 'latin1')],
    ['UTF-8 in which a program has lost the letters', Buffer.from(text.replaceAll('é', '\ufffd'))],
  ])('is refused with its line: %s', (_, bytes) =>
    expect(decodeText(bytes)).toEqual({ line: 2, shown: 'registeredName: Soci?t? G?n?rale' }),
  );
});

it.each([
  ['iso-8859-15', "La ligne n'est pas « lue » - ici"],
  ['gbk', 'La ligne n’est pas " lue " — ici'],
  ['windows-1252', 'La ligne n’est pas « lue » — ici'],
] as const)('our own words have plain signs in %s for those that it lacks', (encoding, written) => {
  expect(writableIn('La ligne n’est pas « lue » — ici', encoding)).toBe(written);
});
