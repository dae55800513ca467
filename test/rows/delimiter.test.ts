// Which character divides the cells of a file whose header nobody knows yet: what a profile is made from.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { peekRows } from '../../src/rows/formats.ts';

const OPTIONS = { rowsMax: 1_000, bytesMax: 1_000_000, decimalMark: 'auto' } as const;

async function delimiterOf(lines: readonly string[]): Promise<string | null> {
  const path = join(await mkdtemp(join(tmpdir(), 'paydrop-delimiter-')), 'a.csv');
  await writeFile(path, `${lines.join('\n')}\n`);
  return (await peekRows(path, OPTIONS)).delimiter;
}

describe('the delimiter of a file without a header that is known', () => {
  it.each([
    [';', ['A;7,76', 'B;8,10', 'C;12,00']],
    [';', ['Nome;Cognome;Nota', 'Anna;Bianchi;uno, due, tre, quattro', 'Ugo;Rossi;cinque, sei']],
    [';', ['"Nome";"Cognome"', '"Anna, Maria, Luisa";"Bianchi"', '"Ugo";"Rossi"']],
    ['\t', ['1.234,50\tEUR\tMeier, Karl, Wien', '20,00\tEUR\tHuber, Eva', '3,10\tEUR\tSchmid']],
    ['|', ['x|1,5', 'y|2,5']],
    [',', ['a,b,c', 'one; two,3,4', 'five,6,7']],
    [',', ['Titel; nichts weiter', 'a,b,c', '1,2,3', '4,5,6']],
  ])('is %j', async (delimiter, lines) => {
    expect(await delimiterOf(lines)).toBe(delimiter);
  });
});
