// What an install may bring: nothing that the lock does not vouch for, nothing newer than a few days, and no script at run time.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

type Locked = {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly engines?: { readonly node?: string };
};

const jsonAt = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

const { packages } = jsonAt('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
const locked = Object.entries(packages).filter(([path]) => path !== '');

describe('an install', () => {
  it('takes only packages whose content the lock knows, from the registry', () => {
    expect(locked.length).toBeGreaterThan(100);
    for (const [path, { integrity = '', resolved = 'https://registry.npmjs.org/' }] of locked) {
      expect(integrity, path).toMatch(/^sha512-/);
      expect(resolved, path).toMatch(/^https:\/\/registry\.npmjs\.org\//);
    }
  });

  it('runs no script of a package that is there at run time', () => {
    const { allowScripts } = jsonAt('package.json') as {
      readonly allowScripts: Readonly<Record<string, boolean>>;
    };
    const scripted = locked.filter(
      ([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true,
    );
    const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names.map((name) => [name, allowScripts[name]])).toEqual(names.map((name) => [name, false]));
  });

  // npm leaves out an optional package that asks for a newer Node than the one npm itself runs on, and says nothing. The tests run on the Node 24 that is
  // installed with them, so the lock asks for none: after an update, take "engines" out of these packages again.
  it('brings the native parts of the tools also where npm runs on Node 18', () => {
    const native = locked.filter(([, { optional, os }]) => optional === true && os !== undefined);
    expect(native.length).toBeGreaterThan(20);
    for (const [path, { engines }] of native)
      expect(Number(/\d+/.exec(engines?.node ?? '0')?.[0]), path).toBeLessThanOrEqual(18);
  });

  it('waits some days with new releases', () => {
    const npmrc = readFileSync(new URL('../.npmrc', import.meta.url), 'utf8');
    const [, days = '0'] = /^min-release-age=(\d+)$/m.exec(npmrc) ?? [];
    expect(Number(days)).toBeGreaterThanOrEqual(3);
  });
});
