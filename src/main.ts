#!/usr/bin/env node
// The program: arguments in, an exit code out. Only this file ends the process.
import { join } from 'node:path';

/** An older Node cannot parse the imports below, so it gets a message first, in syntax that every Node understands. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `paydrop needs Node.js 24.7 or newer; this is ${process.versions.node}. Get it from https://nodejs.org, or run "npx -p node@24 -p paydrop paydrop".\n`,
  );
  process.exit(2);
}

// In the packages' folder, because anybody who may write there could change the program anyway. If we may not write there, nothing is cached,
// and nothing else changes.
const { enableCompileCache } = await import('node:module');
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/paydrop'));

// Imported only here, so that the modules themselves are cached in compiled form.
const { main } = await import('./cli/main.ts');

const { setFlagsFromString } = await import('node:v8');

// One thread collects short-lived objects as fast as several, which wait for each other: that cost a tenth of a run's processor time.
setFlagsFromString('--no-parallel-scavenge');

// What outlives a few collections and dies then would grow to four times of what is needed before it is collected; this makes it twice.
setFlagsFromString('--heap-growing-percent=100');

// Short-lived objects would use 128 MB before they are collected; this limits them to what loading the program used. Only the command line can set
// a bound (`npm start` does), so here their growth is stopped.
if (!process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size')))
  setFlagsFromString('--semi-space-growth-factor=1');

// A reader such as `head` may close our output early; that is fine. Its fault comes after the last write, so this stays until the process ends.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2), (code) => process.exit(code));

// After an unexpected error nobody knows what is still open: a socket or a timer that was left would keep the process for ever.
if (process.exitCode === 1) process.stdout.write('', () => process.stderr.write('', () => process.exit()));
