#!/usr/bin/env node
// The program: arguments in, an exit code out. The only place that ends the process.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Beside the packages: whoever may write there could change the program itself. Where we may not, nothing is kept, and nothing else changes.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/paydrop'));

// Only now, so that the modules themselves are kept compiled.
const { main } = await import('./cli/main.ts');

process.exitCode = await main(process.argv.slice(2), (code) => process.exit(code));
