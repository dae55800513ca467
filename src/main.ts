#!/usr/bin/env node
// The program: arguments in, an exit code out. The only place that ends the process.
import { join } from 'node:path';

/** An older Node cannot read what is imported below, so it is told before, in what every Node understands. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `paydrop needs Node.js 24.7 or newer; this is ${process.versions.node}. Get it from https://nodejs.org, or run "npx -p node@24 -p paydrop paydrop".\n`,
  );
  process.exit(2);
}

// Beside the packages: whoever may write there could change the program itself. Where we may not, nothing is kept, and nothing else changes.
const { enableCompileCache } = await import('node:module');
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/paydrop'));

// Only now, so that the modules themselves are kept compiled.
const { main } = await import('./cli/main.ts');

const { setFlagsFromString } = await import('node:v8');

// One thread clears short-lived objects away as fast as several, which wait for each other: a tenth of the processor of a run went into that.
setFlagsFromString('--no-parallel-scavenge');

// Short-lived objects would take 128 MB before they are cleared away: while the program runs they get no more room than loading it took. A bound is
// taken from the command line alone (`npm start` gives one), so here its growth is ended.
if (!process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size')))
  setFlagsFromString('--semi-space-growth-factor=1');

// A reader such as `head` may close our output early; that is fine. Its fault comes after the last write, so this stays until the process ends.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2), (code) => process.exit(code));
