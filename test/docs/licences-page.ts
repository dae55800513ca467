// docs/licences.md: the packages that paydrop runs with, by their licence, from the lock; and the whole text of what is bundled and not installed beside.
import { existsSync, readFileSync } from 'node:fs';

import { code, generated } from './markdown.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

type Locked = { readonly version: string; readonly license?: string; readonly dev?: boolean };
type Manifest = { readonly license?: string; readonly licenses?: readonly { readonly type: string }[] };

export type RunTimePackage = {
  readonly name: string;
  readonly version: string;
  readonly licence: string | null;
  /** Its folder, from the root. */
  readonly path: string;
};

const jsonAt = (path: string): unknown => JSON.parse(readFileSync(ROOT + path, 'utf8'));

/** Everything but what is only for development; older packages say their licence in their own file alone. */
export function runTimePackages(): readonly RunTimePackage[] {
  const { packages } = jsonAt('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version, license }]) => ({
      name: path.replace(/^.*node_modules\//, ''),
      version,
      licence: license ?? licenceIn(path),
      path,
    }));
}

function licenceIn(path: string): string | null {
  const manifest = `${path}/package.json`;
  if (!existsSync(ROOT + manifest)) return null;
  const { license, licenses = [] } = jsonAt(manifest) as Manifest;
  return license ?? licenses[0]?.type ?? licenceText(path);
}

/** Of a package whose manifest names none. */
function licenceText(path: string): string | null {
  const file = `${ROOT}${path}/LICENSE`;
  return existsSync(file) && readFileSync(file, 'utf8').startsWith('MIT License') ? 'MIT' : null;
}

/** In the files of the page, which a browser loads: npm installs it with no package. */
const BUNDLED = 'preact';

export function licencesPage(): string {
  const groups = Map.groupBy(runTimePackages(), ({ licence }) => licence ?? '?');
  const rows = [...groups].sort(([a], [b]) => a.localeCompare(b));
  const names = (all: readonly RunTimePackage[]) =>
    [...new Set(all.map(({ name }) => name))].sort().join(', ');
  return [
    generated(
      'Licences',
      'For whoever passes paydrop on. paydrop itself is under Apache-2.0. These packages are installed with it, and each says its licence in its own folder; `npm run --silent sbom` writes the whole list with versions and hashes (CycloneDX), and marks what is for development alone.',
    ),
    ...rows.map(([licence, all]) => `- ${code(licence)}: ${names(all)}`),
    '\n`openpgp` is under the LGPL: it is loaded as a package of its own, and you may put another version in its place. Of `jszip`, the MIT licence is taken.\n',
    `\`${BUNDLED}\` is part of the page. Its licence:\n`,
    `\`\`\`text\n${readFileSync(`${ROOT}node_modules/${BUNDLED}/LICENSE`, 'utf8').trim()}\n\`\`\`\n`,
  ].join('\n');
}
