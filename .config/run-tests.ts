// What `npm run tests` runs: vitest with the arguments that it is given. Off a terminal it writes no colours, which fill a log with codes.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const colours = process.stdout.isTTY ? {} : { NO_COLOR: '1' };

const child = spawn(
  process.execPath,
  [VITEST, 'run', '--config', '.config/vitest.config.ts', ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, ...colours } },
);
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
