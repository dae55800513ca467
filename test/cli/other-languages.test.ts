// A clerk whose config says another language reads no English sentence: the test runs every command, with right and wrong arguments, and searches
// everything that it prints.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { afterAll, describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const FOLDER = mkdtempSync(join(tmpdir(), 'languages-'));

afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Words that no French or Spanish sentence has, and no English one can do long without. */
const ENGLISH =
  /\b(?:[Tt]he|is|are|was|were|of|and|with|from|this|that|which|has|have|been|not|[Nn]othing|rows?|goes|will|must|cannot|[Tt]here|its|by|what|where|says?|needs?|write|read)\b/;

/** Names and what can be typed are the same in every language: commands, options, paths, columns, ids. */
function withoutNames(line: string): string {
  return line
    .replace(/«[^»]*»/g, '')
    .replace(/(?:payout|receiver|delivery|sender|preview|service|limits|policy|intake|notify)(?:\.\w+)+/g, '')
    .replace(/--[\w-]+(?:[ =]<[^>]*>)?/g, '')
    .replace(/\b[a-z]{3}-[a-z]{3}-\w+-\w+/g, '')
    .replace(/<[^>]*>|\[[^\]]*\]/g, '')
    .replace(/\S*[/\\]\S*/g, '')
    .replace(/\S+\.(?:csv|json|yaml|xlsx|sqlite)\b/g, '');
}

function englishIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => ENGLISH.test(withoutNames(line)));
}

/** What each command printed, in one process: they share what they load. */
function walk(commands: readonly (readonly string[])[]): string {
  const script = `
    const { main } = await import(${JSON.stringify(MAIN)});
    for (const args of ${JSON.stringify(commands)}) {
      process.stdout.write('$ ' + JSON.stringify(args.slice(2)) + '\\n');
      await main(args, () => undefined);
    }`;
  const { stdout, stderr } = spawnSync(execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    cwd: FOLDER,
  });
  const said = stdout.split('\n').filter((line) => !line.startsWith('$ '));
  return [
    ...said,
    ...stderr.split('\n').filter((line) => !/ExperimentalWarning|--trace-warnings/.test(line)),
  ].join('\n');
}

const HEADER =
  'Nom;Prénom;N° de portefeuille;Montant;Devise;Motif;Mode de paiement;Pays;Type de transaction;Référence;Remarque';
const row = (name: string, wallet: string, amount: string, reference: string): string =>
  `Ngo;${name};+86138123${wallet};${amount};XAF;Salaire;Alipay;Chine;B2C;${reference};x`;

function written(name: string, ...lines: readonly string[]): string {
  writeFileSync(join(FOLDER, name), `${lines.join('\n')}\n`);
  return name;
}

const WANTED = {
  fr: { payable: 'Toutes les lignes peuvent être payées.', usage: 'Utilisation' },
  es: { payable: 'Se pueden pagar todas las filas.', usage: 'Uso:' },
} as const;

const GOOD = written('bon.csv', HEADER, row('Paul', '45678', '450000', 'S-1'));
const FAULTY = written(
  'faux.csv',
  HEADER,
  row('', '45671', '1000', 'S-2'),
  row('A', '45672', '0', 'S-3'),
  row('B', '1', 'mille', 'S-3'),
);
const TWICE = written(
  'double.csv',
  HEADER,
  row('Eva', '45673', '200000', ''),
  row('Eva', '45673', '200000', ''),
);
const TOTAL = written('total.csv', HEADER, row('Luc', '45674', '1000', 'S-9'), 'Total;;;9999;;;;;;;');
const ODD = written('autre.csv', 'abc;def', 'x;y');

describe.each(Object.entries(WANTED))('a config in %s', (language, wanted) => {
  const config = written(
    `${language}.yaml`,
    `language: ${language}`,
    `workspace: ./${language}`,
    'schedules: [{ folder: paie, cron: 0 9 28 * *, timeZone: Africa/Douala }]',
  );
  const inLanguage = (...args: readonly string[]): readonly string[] => ['--config', config, ...args];

  it('is obeyed by every command that goes well, and by every one that does not', () => {
    const said = walk(
      [
        ['check', GOOD, FAULTY, TWICE, TOTAL, ODD],
        ['preview', GOOD],
        ['preview', TWICE],
        ['run', '--wait', '20s', GOOD],
        ['run', GOOD],
        ['run', FAULTY],
        ['run', TWICE],
        ['status'],
        ['status', TWICE],
        ['status', 'rien.csv'],
        ['reconcile'],
        ['reconcile', 'rien'],
        ['reconcile', '--from', '2026-11-01'],
        ['resume'],
        ['resume', 'rien'],
        ['release', 'rien', '--by', 'Marie', '--reason', 'oui'],
        ['pause', 'rien'],
        ['approve', 'rien', '--by', 'Marie'],
        ['decline', 'rien', '--by', 'Marie', '--reason', 'non'],
        ['corridors'],
        ['template', '--corridor', 'rien'],
        ['template', '--corridor', 'chn-cny-b2c-alipay', '-o', `modele-${language}.xlsx`],
        ['profile', GOOD],
        ['profile', ODD],
        ['profile', GOOD, '--column', 'Nmo=receiver.name'],
        ['doctor'],
        ['sftp', 'check'],
        ['rebuild', GOOD],
        ['check', 'absent.csv'],
      ].map((args) => inLanguage(...args)),
    );
    expect(said).toContain(wanted.payable);
    expect(said.length).toBeGreaterThan(8_000);
    expect(englishIn(said)).toEqual([]);
  });

  it('is obeyed by the help, by wrong words, and by the faults of the config itself', () => {
    const names = ['run', 'check', 'preview', 'resume', 'approve', 'decline', 'release', 'pause', 'status'];
    const more = [
      'reconcile',
      'corridors',
      'template',
      'profile',
      'doctor',
      'demo',
      'watch',
      'rebuild',
      'sandbox',
    ];
    const wrong = [
      'policy: { polcy: 1, duplicateWindow: 5 }',
      'limits: { perRow: 5 000 XAF }',
      'intake: { bytesMax: 3, rowsMax: many }',
      'service: { apiKey: x }',
      'service: { baseUrl: "ftp://x" }',
      'service: { apiKeyFile: x }',
      'schedules: [{ folder: a, cron: x, timeZone: y }]',
      'sftp: [{ name: a b, host: h, hostKey: x, user: u }]',
      'notify: { email: { host: h, from: x, to: y } }',
    ].map((text, index) => written(`faute-${language}-${String(index)}.yaml`, `language: ${language}`, text));
    const said = walk([
      inLanguage('--help'),
      ...[...names, ...more].map((name) => inLanguage(name, '--help')),
      inLanguage('sftp', 'check', '--help'),
      inLanguage('chekc'),
      inLanguage('check'),
      inLanguage('check', '--jsno', GOOD),
      inLanguage('approve', 'x'),
      inLanguage('run', '--wait', '5x', GOOD),
      inLanguage('profile', '--encoding', 'x', GOOD),
      inLanguage('sandbox', '--port', 'x'),
      ...wrong.map((path) => ['--config', path, 'status']),
    ]);
    expect(said).toContain(wanted.usage);
    expect(said.length).toBeGreaterThan(12_000);
    expect(englishIn(said)).toEqual([]);
  });
});

it('one English sentence would be found out', () => {
  expect(englishIn('Nothing is saved.')).toHaveLength(1);
});
