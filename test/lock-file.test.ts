// What an install may bring: nothing that the lock does not vouch for, nothing newer than a few days, and no script at run time.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

type Locked = {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
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

  it('waits some days with new releases', () => {
    const npmrc = readFileSync(new URL('../.npmrc', import.meta.url), 'utf8');
    const [, days = '0'] = /^min-release-age=(\d+)$/m.exec(npmrc) ?? [];
    expect(Number(days)).toBeGreaterThanOrEqual(3);
  });
});
