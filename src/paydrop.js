#!/usr/bin/env node
// The command `paydrop`, in what every Node reads: a package brings the program built, a clone runs it from its sources.
import { existsSync } from 'node:fs';

const BUILT = new URL('../dist/main.js', import.meta.url);
const SOURCE = new URL('./main.ts', import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `paydrop needs Node.js 24.7 or newer; this is ${process.versions.node}. Get it from https://nodejs.org, or run "npx -p node@24 -p paydrop paydrop"; in a clone, "npm ci" brings it and "npm start --silent -- --help" uses it.\n`,
  );
  process.exit(2);
}
const program = existsSync(SOURCE) ? SOURCE : BUILT;
await import(program.href).catch((/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'paydrop does not find all of its packages. In a clone run "npm ci" first; else install paydrop again.\n',
  );
  process.exitCode = 2;
});
