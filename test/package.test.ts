// The package, as somebody has it who never saw the repository: it is installed into an empty folder, pays, is imported, and goes without a trace.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

let base = '';
let home = '';
let packed = '';
/** Why nothing could be installed here; empty where it could. */
let offline = '';

/** npm and the command find the Node of this project first. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries({ ...process.env, PATH: `${dirname(execPath)}:${process.env['PATH'] ?? ''}` }).filter(
    ([name]) => !/^(npm_|PAYDROP_|INIT_CWD)/.test(name),
  ),
);
const inHome = (program: string, ...args: readonly string[]) =>
  run(program, args, { cwd: home, env: ENVIRONMENT, maxBuffer: 20_000_000 });

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'paydrop-package-'));
  // A copy, so that what is built for the package does not take the place of what other tests run.
  const clone = join(base, 'clone');
  await mkdir(clone);
  const parts = [
    'src',
    '.config',
    'config',
    'samples',
    'docs',
    'package.json',
    'tsconfig.json',
    'README.md',
    'LICENSE',
  ];
  for (const name of parts) await cp(join(ROOT, name), join(clone, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const pack = ['pack', '--silent', '--pack-destination', base];
  const { stdout } = await run('npm', pack, { cwd: clone, env: ENVIRONMENT, maxBuffer: 20_000_000 });
  packed = join(base, stdout.trim().split('\n').at(-1) ?? '');
  home = join(base, 'home');
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{ "name": "office", "private": true, "type": "module" }\n');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', packed];
  await inHome('npm', ...install).catch((error: unknown) => {
    const said = String((error as { readonly stderr?: string }).stderr);
    if (!/ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ETIMEDOUT/.test(said)) throw error;
    offline = said;
  });
}, 1_200_000);
afterAll(() => rm(base, { recursive: true }));

/** What a package has room for: the program once, and the types of its library. */
const FILES_MOST = 440;
const BYTES_MOST = 9_000_000;

it('holds the program once, its samples and its licences, and no test', async () => {
  const { stdout } = await run('tar', ['-tvzf', packed]);
  const lines = stdout.trim().split('\n');
  const names = lines.map((line) => line.split(/\s+/).at(-1));
  const bytes = lines.reduce((sum, line) => sum + Number(line.split(/\s+/)[2]), 0);
  expect(names.length).toBeLessThanOrEqual(FILES_MOST);
  expect(bytes).toBeLessThanOrEqual(BYTES_MOST);
  for (const name of [
    'LICENSE',
    'README.md',
    'docs/licences.md',
    'dist/main.js',
    'dist/index.js',
    'dist/types/index.d.ts',
    'samples/payroll.csv',
  ])
    expect(names).toContain(`package/${name}`);
  expect(names.filter((name) => /^package\/(?:test|\.)/.test(name ?? ''))).toEqual([]);
});

it('runs the command, which pays with play money', { timeout: 300_000 }, async ({ skip }) => {
  skip(offline !== '', 'The packages could not be fetched.');
  const command = join(home, 'node_modules', '.bin', 'paydrop');
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  expect((await inHome(command, '--version')).stdout).toBe(`${version}\n`);
  const { stdout } = await inHome(command, 'demo');
  expect(stdout).toMatch(/^XAF: debited .*: they agree$/m);
});

it('is imported by a program', { timeout: 300_000 }, async ({ skip }) => {
  skip(offline !== '', 'The packages could not be fetched.');
  const program =
    "import { compose, loadConfig } from 'paydrop'; process.stdout.write(typeof compose + typeof loadConfig);";
  expect((await inHome(execPath, '--input-type=module', '--eval', program)).stdout).toBe('functionfunction');
});

it('is removed again, and leaves nothing but what was there', { timeout: 300_000 }, async ({ skip }) => {
  skip(offline !== '', 'The packages could not be fetched.');
  await inHome('npm', 'uninstall', '--no-audit', '--no-fund', 'paydrop');
  const found = await readdir(home, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  // npm keeps empty folders, and a list of what is installed: nothing.
  const own = ['package.json', 'package-lock.json', '.package-lock.json'];
  expect(files.filter((name) => !own.includes(name))).toEqual([]);
});
