// `paydrop status | head`: a reader that has seen enough closes the pipe, and that is no fault of the program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

it.each([['--help'], ['run', '--help'], ['no-such-command']])(
  '%s ends quietly when nobody reads it',
  async (...args) => {
    const child = spawn(execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    const [code] = (await once(child, 'close')) as [number];
    expect(told).not.toContain('EPIPE');
    expect(code).toBe(args.includes('no-such-command') ? 2 : 0);
  },
);
