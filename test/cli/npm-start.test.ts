// Under `npm start` the person is in another folder than the process, and types another command than `paydrop`.
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it, vi } from 'vitest';

import type { CommandContext } from '../../src/cli/command-context.ts';
import { beginning } from '../../src/cli/help.ts';
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

describe('in a clone', () => {
  it('npx paydrop runs a file that git knows as a program, so that it changes nothing', () => {
    expect(statSync(new URL('../../src/paydrop.js', import.meta.url)).mode & 0o111).toBe(0o111);
  });

  it('help begins with a file that is there', () => {
    const [, file = ''] = /paydrop check (\S+)/.exec(beginning(CONTEXT.text, true)) ?? [];
    expect(existsSync(new URL(`../../${file}`, import.meta.url))).toBe(true);
    expect(beginning(CONTEXT.text, false)).toContain('paydrop check FILE ');
  });
});

describe.each([
  ['en', 'paydrop: BATCH is missing: paydrop decline BATCH --by NAME --reason TEXT\n'],
  ['fr', 'paydrop\u00a0: Il manque LOT\u00a0: paydrop decline LOT --by NOM --reason TEXTE\n'],
] as const)('what a command needs, in %s', (language, words) => {
  /** What the parser of arguments says. */
  function said(...args: readonly string[]): string {
    const lines: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    expect(() =>
      program({ ...CONTEXT, language, text: textIn(language) }).parse(args, { from: 'user' }),
    ).toThrow();
    return lines.join('');
  }

  it('is told with the whole command', () => {
    expect(said('decline', '--by', 'Marie', '--reason', 'late')).toBe(words);
  });

  it('is told of every command', () => {
    const commands = program(CONTEXT).commands.flatMap((command) =>
      command.commands.length > 0 ? command.commands.map((each) => [command, each]) : [[command]],
    );
    const lacking = commands.filter((path) =>
      path.some(({ registeredArguments, options }) =>
        [
          ...registeredArguments.map(({ required }) => required),
          ...options.map(({ mandatory }) => mandatory),
        ].includes(true),
      ),
    );
    expect(lacking.length).toBeGreaterThan(8);
    for (const path of lacking) {
      const names = path.map((command) => command.name());
      expect(said(...names)).toContain(`: paydrop ${names.join(' ')} `);
    }
  });
});

it('the commands are listed by what a person wants to do', () => {
  const help = program(CONTEXT).helpInformation();
  const groups = ['Pay:', 'Decide:', 'Look:', 'Set up:', 'Operate:'];
  expect(help.match(/^[A-Z][a-z ]+:$/gm)).toEqual(['Options:', ...groups]);
});
