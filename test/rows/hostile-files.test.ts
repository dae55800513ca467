// Files made to hurt: each ends quickly, in rows or in a refusal.
import { describe, expect, it } from 'vitest';

import { FileRefused } from '../../src/rows/file-refused.ts';
import { cpuMs } from '../cpu-time.ts';
import { fileOf, readFileAt } from './read-table.ts';

const HEADER = 'reference,amount,note\n';
const CHARACTERS = 1_000_000;
const fill = (piece: string) => piece.repeat(Math.ceil(CHARACTERS / piece.length));

describe('a million characters of', () => {
  it.each([
    ['quotes', fill('"')],
    ['empty quoted cells', fill('"",')],
    ['quotes that open at every line', fill('"\n')],
    ['lines inside one quote', `"${fill('x\n')}`],
    ['delimiters', fill(',')],
    ['blank lines', fill('\n')],
    ['CR', fill('\r')],
    ['blank quoted lines', fill('""\n')],
    ['half quoted lines', fill('a,""\n')],
    ['apostrophes', fill("'")],
    ['spaces', fill(' ')],
    ['digits and points', fill('1.1.')],
    ['combining accents', fill('e\u0301')],
  ])('%s', async (_, content) => {
    const started = cpuMs();
    for (const text of [content, HEADER + content, `${HEADER}A,1,${content}`]) {
      const outcome: unknown = await readFileAt(fileOf(text)).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(FileRefused);
    }
    expect(cpuMs() - started).toBeLessThan(20_000);
  });
});

describe('random bytes', () => {
  it('are refused', async () => {
    // A fixed generator, so that a failure can be repeated.
    let state = 1;
    const bytes = Uint8Array.from(
      { length: 200_000 },
      () => (state = (state * 48_271) % 2_147_483_647) & 0xff,
    );
    const outcome: unknown = await readFileAt(fileOf(bytes)).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(FileRefused);
  });
});
