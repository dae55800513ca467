// Under `npm start` the person is in another folder than the process, and types another command than `paydrop`.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it, vi } from 'vitest';

import type { CommandContext } from '../../src/cli/command-context.ts';
import { asTyped, fromWhereTyped, isByNpm, program } from '../../src/cli/main.ts';
import { textIn } from '../../src/messages/messages.ts';

const CONTEXT: CommandContext = {
  signal: new AbortController().signal,
  finish: () => undefined,
  language: 'en',
  text: textIn('en'),
};

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('under npm start', () => {
  it('files and paths are those of the folder in which the command was typed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'typed-'));
    writeFileSync(join(folder, 'payroll.csv'), '');
    vi.stubEnv('INIT_CWD', folder);
    vi.stubEnv('npm_lifecycle_event', 'start');
    expect(fromWhereTyped(['--config', 'a.yaml', 'run', 'payroll.csv', 'none.csv', '--by', 'Marie'])).toEqual(
      ['--config', join(folder, 'a.yaml'), 'run', join(folder, 'payroll.csv'), 'none.csv', '--by', 'Marie'],
    );
    expect(fromWhereTyped(['status', 'payroll.csv'])).toEqual(['status', 'payroll.csv']);
  });

  it('commands are printed as they can be typed', () => {
    vi.stubEnv('npm_lifecycle_event', 'start');
    expect(isByNpm()).toBe(true);
    vi.stubEnv('npm_lifecycle_event', 'npx');
    expect(isByNpm()).toBe(true);
    const typed = asTyped(program(CONTEXT));
    expect(typed('paydrop: "paydrop resume b-1" goes on; paydrop pays.')).toBe(
      'paydrop: "npx paydrop resume b-1" goes on; paydrop pays.',
    );
  });
});

it('the commands are listed by what a person wants to do', () => {
  const help = program(CONTEXT).helpInformation();
  const groups = ['Pay:', 'Decide:', 'Look:', 'Set up:', 'Operate:'];
  expect(help.match(/^[A-Z][a-z ]+:$/gm)).toEqual(['Options:', ...groups]);
});
