// What paydrop may be passed on with: every licence allows it, the one that asks for more is kept apart, and the list for auditors is whole.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { runTimePackages } from './docs/licences-page.ts';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url).pathname;

/** They ask for their text and their names to be kept, and for nothing else. */
const PERMISSIVE = new Set(
  'MIT,MIT/X11,MIT-0,ISC,0BSD,BSD-2-Clause,BSD-3-Clause,Apache-2.0,BlueOak-1.0.0,Unlicense,(MIT AND Zlib),(MIT OR GPL-3.0-or-later)'.split(
    ',',
  ),
);

describe('a package that paydrop runs with', () => {
  it('is permissively licensed, but for openpgp', () => {
    const others = runTimePackages().filter(({ licence }) => !PERMISSIVE.has(licence ?? ''));
    expect(others.map(({ name, licence }) => `${name}: ${licence ?? 'unknown'}`)).toEqual([
      'openpgp: LGPL-3.0+',
    ]);
  });

  it('has no NOTICE that would have to be passed on beside it', () => {
    const folders = runTimePackages().map(({ path }) => `${ROOT}${path}`);
    const notices = folders
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).filter((name) => /^notice/i.test(name)));
    expect(notices).toEqual([]);
  });

  it('and is no part of a bundle where its licence wants it to be replaceable', () => {
    const [, outside = ''] =
      /STAYS_OUTSIDE = \[(.*)\]/.exec(readFileSync(`${ROOT}.config/build-program.ts`, 'utf8')) ?? [];
    expect(outside).toContain("'openpgp'");
  });
});

// Not with `--omit dev`: npm then leaves out what runs and is asked for by a tool as well.
it('the list of components (SBOM) has every one of them, with version, hash and address, and marks the others', async () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [program = '', ...args] = (scripts['sbom'] ?? '').split(' ');
  const { stdout } = await run(program, args, { cwd: ROOT, maxBuffer: 50_000_000 });
  const bom = JSON.parse(stdout) as {
    readonly bomFormat: string;
    readonly components: readonly {
      readonly name: string;
      readonly version: string;
      readonly purl: string;
      readonly hashes: readonly object[];
      readonly properties?: readonly { readonly name: string; readonly value: string }[];
    }[];
  };
  expect(bom.bomFormat).toBe('CycloneDX');
  const running = bom.components.filter(
    ({ properties = [] }) =>
      !properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true'),
  );
  const named = running.map(({ name, version }) => `${name}@${version}`).sort();
  const locked = new Set(runTimePackages().map(({ name, version }) => `${name}@${version}`));
  expect(named).toEqual([...locked].sort());
  for (const { purl, hashes } of running) {
    expect(purl).toMatch(/^pkg:npm\//);
    expect(hashes.length, purl).toBeGreaterThan(0);
  }
});
