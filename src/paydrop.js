#!/usr/bin/env node
// The command `paydrop`, in what every Node reads. A package brings the program built. A clone has it built by `npm ci`, and runs its sources as soon
// as one of them, or a package, has changed since.
import { existsSync, lstatSync, readdirSync } from 'node:fs';

const BUILT = new URL('../dist/main.js', import.meta.url);
const SOURCE = new URL('./main.ts', import.meta.url);

/** When the building began. */
const BEGUN = new URL('../dist/begun', import.meta.url);
/** npm writes it whenever a package changes. */
const PACKAGES = new URL('../node_modules/.package-lock.json', import.meta.url);

/** The time of a change that no program sets by itself: a file that is copied or moved counts as changed. */
const changedAt = (/** @type {string | URL} */ path) => lstatSync(path).ctimeMs;

function isAsBuilt() {
  if (!existsSync(SOURCE)) return true;
  if (!existsSync(BUILT) || !existsSync(BEGUN) || !existsSync(PACKAGES)) return false;
  const begunAt = changedAt(BEGUN);
  const folder = import.meta.dirname;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return [PACKAGES, folder, ...names.map((name) => `${folder}/${name}`)].every(
    (path) => changedAt(path) < begunAt,
  );
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `paydrop needs Node.js 24.7 or newer; this is ${process.versions.node}. Get it from https://nodejs.org, or run "npx -p node@24 -p paydrop paydrop"; in a clone, "npm ci" (without --ignore-scripts) brings it and "npx paydrop --help" uses it.\n`,
  );
  process.exit(2);
}
const program = isAsBuilt() ? BUILT : SOURCE;
await import(program.href).catch((/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'paydrop does not find all of its packages. In a clone run "npm ci" first; else install paydrop again.\n',
  );
  process.exitCode = 2;
});
