// A proof that was requested with a typing error must not look as if it had been given.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { describe, expect, it } from 'vitest';

import { positive, WRONG_USAGE, wholeNumber } from './program.ts';

const run = (program: string, ...args: readonly string[]) =>
  spawnSync(execPath, [join(import.meta.dirname, program), ...args], { encoding: 'utf8' });

describe('the programs that measure and prove', () => {
  it.each([
    ['simulation/simulate.ts', '--seeds', '0', 'It takes a whole number of at least 1.'],
    ['simulation/simulate.ts', '--from', 'x', 'It takes a whole number of at least 0.'],
    ['crash/crash.ts', '--kills', '-1', 'It takes a whole number of at least 1.'],
    ['crash/crash.ts', '--recovery', '50', 'It takes a whole number of at least 1000.'],
    ['bench/bench.ts', '--only', 'nothing', 'There is no group nothing.'],
    ['bench/soak.ts', '--minutes', '0', 'It takes a number above 0.'],
    ['simulation/simulate.ts', '--nonsense', '1', "unknown option '--nonsense'"],
  ])('%s %s %s: is refused in a sentence', (program, option, value, words) => {
    const { status, stdout, stderr } = run(program, option, value);
    expect(status).toBe(WRONG_USAGE);
    expect(stderr).toContain(words);
    expect(stdout).toBe('');
  });

  it('says so when no planted bug has the name that was asked for', () => {
    const { status, stdout } = run('simulation/simulate.ts', '--mutants', '--only', 'no such bug');
    expect(stdout).toBe('No planted bug is called "no such bug".\n');
    expect(status).toBe(WRONG_USAGE);
  });
});

describe('a number', () => {
  it.each(['x', '', '1.5', '0', '101', 'Infinity', '0x10'])('%j is none from 1 to 100', (text) => {
    expect(() => wholeNumber(1, 100)(text)).toThrow();
  });

  it('is taken as it stands', () => {
    expect(wholeNumber(1, 100)('100')).toBe(100);
    expect(positive('0.5')).toBe(0.5);
    expect(() => positive('-1')).toThrow();
  });
});
