// What a program imports: the whole library on a Node that can run it, and one sentence on an older one.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import * as library from '../src/index.ts';

const run = promisify(execFile);
const ENTRY = new URL('../src/library.js', import.meta.url);

it('the package exports what the library has, by name', () => {
  const text = readFileSync(ENTRY, 'utf8');
  const [, names = ''] = /export const \{([^}]+)\} = library/.exec(text) ?? [];
  const exported = names.split(',').map((name) => name.trim());
  expect(exported.filter((name) => name !== '').sort()).toEqual(Object.keys(library).sort());
  const { exports, files } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as {
    readonly exports: { readonly '.': { readonly default: string } };
    readonly files: readonly string[];
  };
  expect(exports['.'].default).toBe('./src/library.js');
  expect(files).toContain('src/library.js');
});

it.each(['18.20.8', '20.20.2', '22.23.3', '24.6.0'])(
  'on Node %s it says which Node it needs',
  async (version) => {
    const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
    await import('${ENTRY.href}').catch(({ message }) => process.stdout.write(message));`;
    const { stdout } = await run(execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe(
      `paydrop needs Node.js 24.7 or newer; this is ${version}. Get it from https://nodejs.org.`,
    );
  },
);
