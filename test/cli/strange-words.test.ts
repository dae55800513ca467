// What strangers write into names, headers and cells never reaches a terminal unchanged, whatever command shows it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { print } from '../../src/cli/command-context.ts';
import { HEADER, line } from '../app/desk.ts';

/** Moves the cursor, rings, turns the line round, hides itself; and a control character of eight bits, which some terminals obey. */
const STRANGE = '\u001b[2J\u0007\u202e\u200b\u009b31m';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strange-words-'));
  file = join(folder, `odd${STRANGE}.csv`);
  const rows = [
    line('A-1', '100'),
    line(`B${STRANGE}`, 'x'),
    line('C-1', '101').replace('Wei', `W${STRANGE}`),
  ];
  writeFileSync(file, [`${HEADER},Note${STRANGE}`, ...rows.map((row) => `${row},n`)].join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each<readonly string[]>([
  ['check'],
  ['check', '--json'],
  ['preview'],
  ['preview', '--json'],
  ['profile'],
  ['run', '--wait', '0'],
  ['run', '--wait', '0', '--json'],
])(
  '%s %s %s',
  (...args) => {
    const [command = '', ...options] = args;
    const workspace = join(folder, [command, ...options].join(''));
    const { stdout, stderr } = spawnSync(
      execPath,
      ['src/main.ts', '--workspace', workspace, command, file, ...options],
      { encoding: 'utf8', env: { ...process.env, PAYDROP_BASE_URL: '' } },
    );
    expect(stdout + stderr).toContain('odd');
    expect((stdout + stderr).match(/(?!\n)[\p{Cc}\p{Cf}]/gu)).toBeNull();
    if (options.includes('--json')) expect(JSON.stringify(JSON.parse(stdout))).toContain('odd\\u001b[2J');
  },
  60_000,
);

it('a header as long as a cell is cut where check names it', () => {
  const long = join(folder, 'long.csv');
  writeFileSync(long, `${HEADER},${'Z'.repeat(20_000)}\n${line('A-1', '100')},n\n`);
  const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  const { stdout, status } = spawnSync(execPath, [main, '--workspace', join(folder, 'long'), 'check', long]);
  expect(status).toBe(0);
  expect(stdout.toString()).toContain(`"${'Z'.repeat(80)}…"`);
  expect(stdout.length).toBeLessThan(1_000);
});

it('a terminal of 80 columns breaks prose between words, and leaves commands and tables whole', () => {
  const was = { isTTY: process.stdout.isTTY, columns: process.stdout.columns };
  let said = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const command = `      paydrop release 20261123-f6469b93 --rows 2,5 --by NAME --reason ${'TEXT'.repeat(10)}`;
  const labelled = `      annuler\u00a0: paydrop release 20261123-f6469b93 --rows 5 --skip --by NOM --reason TEXTE`;
  const headed = `SANDBOX  primes.csv\u00a0: 1 ligne, lot 20261123-f6469b93, envoyé, pas encore définitif`;
  const table = `  A  Matricule             ignored   ${'M100 | '.repeat(12)}`;
  const split =
    'paydrop profile salaires.csv --split "Nom et prénoms=receiver.lastName,receiver.firstName,capitals" --save';
  const splitting = `    Row 2, Prénom: Add the column, or confirm once how to split it: ${split}.`;
  const prose = `    Rows 64–96, Prénom: ${'one word and another '.repeat(9).trim()} ${'x'.repeat(90)} end.`;
  try {
    Object.assign(process.stdout, { isTTY: true, columns: 80 });
    print([prose, splitting, headed, labelled, command, table].join('\n'));
  } finally {
    write.mockRestore();
    Object.assign(process.stdout, was);
  }
  const lines = said.trimEnd().split('\n');
  expect(lines.slice(-3)).toEqual([labelled, command, table.trimEnd()]);
  expect(lines.slice(-5, -3)).toEqual([headed.replace(/ définitif$/, ''), '  définitif']);
  expect(lines.slice(-7, -5)).toEqual([splitting.split(' paydrop')[0], `        ${split}`]);
  const broken = lines.slice(0, -7);
  expect(broken.map((each) => each.trim()).join(' ')).toBe(prose.trim());
  expect(broken.filter((each) => each.length > 80)).toEqual([`      ${'x'.repeat(90)}`]);
  expect(broken.slice(1).every((each) => each.startsWith('      '))).toBe(true);
});

it('while no row can be paid, the command to run next has what is asked and supposed, for a person to fill in', () => {
  const path = join(folder, 'lacking.csv');
  const at = HEADER.split(',').indexOf('purposeOfRemittance');
  const rows = [HEADER, line('A-1', '100')].map((row) => row.split(',').toSpliced(at, 1).join(','));
  writeFileSync(path, rows.join('\n'));
  const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  const place = ['--workspace', join(folder, 'lacking')];
  const { stdout } = spawnSync(execPath, [main, ...place, 'profile', path, '--name', 'one'], {
    encoding: 'utf8',
  });
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    'Nothing is saved: no row can be paid yet. Next, with the right word for each …:',
    `  paydrop ${place.join(' ')} profile ${path} --name one --constant 'Purpose=…'`,
  ]);
});

it('the command that saves a profile has every option that was given, and a shell takes it as it is', () => {
  const path = join(folder, "l'été $HOME.csv");
  const at = HEADER.split(',').indexOf('purposeOfRemittance');
  const rows = [`Pay 'of' $(whoami),${HEADER}`, `x,${line('A-1', '100')}`];
  writeFileSync(
    path,
    rows
      .map((row) =>
        row
          .split(',')
          .toSpliced(at + 1, 1)
          .join(','),
      )
      .join('\n'),
  );
  const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  const config = join(folder, 'own config.yaml');
  writeFileSync(config, 'language: en\n');
  const place = ['--config', config, '--workspace', join(folder, 'own')];
  const said = ['--constant', 'purposeOfRemittance=Salary', '--column', "Pay 'of' $(whoami)=ignore"];
  const shown = spawnSync(execPath, [main, ...place, 'profile', path, ...said, '--name', 'own']);
  const [command = '', title] = shown.stdout.toString().trimEnd().split('\n').reverse();
  expect(title).toBe('Nothing is saved. When every column is right:');
  const typed = command.replace('paydrop', `'${execPath}' '${main}'`);
  const saved = spawnSync('sh', ['-c', typed], { encoding: 'utf8' });
  expect(saved.stdout).toContain('Saved as');
  expect(readFileSync(join(folder, 'profiles', 'own.yaml'), 'utf8')).toContain("Pay 'of' $(whoami)");
}, 60_000);
