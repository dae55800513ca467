#!/usr/bin/env node
// The program: arguments in, an exit code out. The only place that ends the process.
import { main } from './cli/main.ts';

process.exitCode = await main(process.argv.slice(2), (code) => process.exit(code));
