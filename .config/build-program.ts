// `npm run build`, and `npm ci` in a clone: the page, and the program with its library in few files, because loading some 700 small ones takes longer than a short command
// itself. Without esbuild, a dependency of development, nothing is built and the sources run.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import type * as Esbuild from 'esbuild';

import { bundlePage } from '../src/web/serve-page.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const BUILT = fileURLToPath(new URL('../dist/', import.meta.url));

/** Where other threads and processes begin: a large file is read in a thread, which loads its work by name, a workbook by a process of its own. */
const BESIDE = [
  ...['app/parts/file-thread', 'app/intake/check-upload', 'app/desk/read-columns', 'app/search/search-work'],
  'rows/xlsx/reader-process',
];

/** What looks for files of its own beside itself, or is large and seldom used. */
const STAYS_OUTSIDE = ['esbuild', 'exceljs', 'file-type', 'openid-client', 'openpgp', 'pdfkit', 'pg', 'ssh2'];

/** Each source goes on finding what lies beside it: under `dist` everything has the place that it has under `src`. */
const asItLay: Esbuild.Plugin = {
  name: 'as it lay',
  setup: (building) => {
    building.onLoad({ filter: /\/src\/.+\/[^/]+\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = relative(SOURCES, path).replace(/\.ts$/, '.js');
      const contents = text
        // A library that is loaded when it is first used becomes a part of the program, and still runs only then.
        .replaceAll("createRequire(import.meta.url)('", "require('")
        // Written so, esbuild leaves out what is not used of it: the words of forty languages.
        .replace("import { z } from 'zod'", "import * as z from 'zod'")
        .replaceAll('import.meta.url', `new URL('${place}', ${ROOT}).href`);
      return { contents, loader: 'ts' };
    });
  },
};

/** `dist` itself, wherever below it a piece of the program comes to lie. */
const ROOT = "import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + '/dist/'.length)";

const PROGRAM: Esbuild.BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: STAYS_OUTSIDE,
  plugins: [asItLay],
  // The libraries lie beside the program as well, with their licences.
  legalComments: 'none',
  logLevel: 'warning',
  // Libraries in CommonJS ask for the modules of Node.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
};

async function buildAll({ build }: typeof Esbuild): Promise<void> {
  // What `src/paydrop.js` goes by: no program while it is being built, and the time before the first source was read.
  const old = (await readdir(BUILT).catch(() => [])).filter((name) => name !== 'types');
  for (const name of old) await rm(BUILT + name, { recursive: true });
  await mkdir(`${BUILT}page`, { recursive: true });
  await writeFile(`${BUILT}begun`, '');
  for (const [name, text] of (await bundlePage()) ?? []) await writeFile(`${BUILT}page/${name}`, text);
  await build({
    ...PROGRAM,
    entryPoints: ['main', 'index', ...BESIDE].map((name) => `${SOURCES}${name}.ts`),
    outbase: SOURCES,
    outdir: BUILT,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
}

const esbuild = await import('esbuild').catch(() => null);
if (esbuild === null)
  process.stderr.write('Without esbuild nothing is built: the sources run as they are.\n');
else await buildAll(esbuild);
