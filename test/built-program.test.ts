// The program that `npm ci` builds in a clone, and that a package contains: the same program in few files. It must never run instead of sources that have changed.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadConfig } from '../src/app/config/config.ts';
import { readingOf } from '../src/app/workflow/batch/read-batch-file.ts';
import { writeCsv, writeXlsx } from './bench/payment-files.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

let clone = '';

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'paydrop-built-'));
  for (const name of ['src', '.config', 'samples', 'package.json', 'tsconfig.json'])
    await cp(join(ROOT, name), join(clone, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));

  await run(execPath, [join(clone, '.config', 'build-program.ts')]);
}, 300_000);

afterAll(() => rm(clone, { recursive: true }));

const ENVIRONMENT = { ...process.env, TZ: 'UTC', COLUMNS: '80' };

/** What the command of the clone prints. */
async function printed(program: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: clone, env: { ...ENVIRONMENT, TMPDIR: clone } };
  return (await run(execPath, [join(clone, program), ...args], options)).stdout;
}

/** True where the command ran what was built: that names itself, as a planted line. */
async function runsWhatWasBuilt(): Promise<boolean> {
  const path = join(clone, 'dist', 'main.js');
  const built = await readFile(path, 'utf8');
  await writeFile(path, built.replace('\n', "\nprocess.stdout.write('built ');\n"));
  const words = await printed('src/paydrop.js', '--version');
  await writeFile(path, built);
  return words.startsWith('built ');
}

describe('the built program', () => {
  it('is what the command runs', async () => {
    expect(await runsWhatWasBuilt()).toBe(true);
  });

  it('says the same as the sources', async () => {
    for (const args of [['--help'], ['run', '--help'], ['--version']])
      expect(await printed('dist/main.js', ...args)).toBe(await printed('src/main.ts', ...args));
  });

  it('checks a large upload in a thread, workbooks too', async () => {
    const program = `
      const { FileThread } = await import(process.argv[1]);
      const [check, columns] = [await import(process.argv[2]), await import(process.argv[3])];
      const job = JSON.parse(process.argv[4]);
      process.on('worker', () => process.stdout.write('thread '));
      const thread = new FileThread();
      const { rows, faulty, refused } = await thread.run(check.WORK, job, AbortSignal.any([]));
      const { trial } = await thread.run(columns.WORK, job, AbortSignal.any([]));
      process.stdout.write([rows, faulty, refused, trial.rows, trial.payable].join());
      await thread.close();`;
    const [root, config] = [clone, readingOf(loadConfig({}, {}))];
    const workspace = { root, inbox: root, processing: root, archive: root, refused: root };
    const said = { columns: {}, constants: {}, values: [], split: {}, same: {} };
    const rest = {
      said,
      receivers: null,
      bytes: 1e9,
      profile: null,
      corridors: [],
      config,
      language: 'en',
      workspace,
      sender: {},
    };
    for (const [name, write] of [
      ['thread.csv', writeCsv],
      ['thread.xlsx', writeXlsx],
    ] as const) {
      const path = join(clone, name);
      await write(path, 5);
      const job = JSON.stringify({ path, sheet: { folder: clone, version: 1 }, ...rest });
      const modules = ['parts/file-thread.js', 'intake/check-upload.js', 'desk/read-columns.js'].map((file) =>
        join(clone, 'dist', 'app', file),
      );
      const { stdout } = await run(execPath, [
        ...['--input-type=module', '-e', program, '--'],
        ...[...modules, job],
      ]);
      expect(stdout).toBe('thread 5,5,,5,0');
    }
  });

  it.each([
    ['a sheet of CSV', 'five.csv', writeCsv],
    ['a workbook, by a process of its own', 'five.xlsx', writeXlsx],
  ])('checks %s as the sources do', async (_what, name, write) => {
    const file = join(clone, name);
    await write(file, 5);
    const workspace = join(clone, 'checked');
    const check = async (program: string) => {
      const told = await printed(program, '--workspace', workspace, 'check', '--json', file);
      await rm(workspace, { recursive: true, force: true });
      return told.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
    };
    const told = await check('dist/main.js');
    expect(told).toContain(name);
    expect(told).toBe(await check('src/main.ts'));
  });

  it('finds its samples, and pays them with play money', async () => {
    expect(await printed('dist/main.js', 'demo')).toMatch(/^XAF: debited .*: they agree$/m);
  });
});

describe('the sources run', () => {
  it.each(['src/base/log.ts', 'src/messages/en.ts'])('where %s has changed since', async (name) => {
    const path = join(clone, name);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text);
    expect(await runsWhatWasBuilt()).toBe(false);
    await run(execPath, [join(clone, '.config', 'build-program.ts')]);
    expect(await runsWhatWasBuilt()).toBe(true);
  });

  it('where a source has come or gone', async () => {
    const path = join(clone, 'src', 'base', 'another.ts');
    await writeFile(path, '');
    await run(execPath, [join(clone, '.config', 'build-program.ts')]);
    await rm(path);
    expect(await runsWhatWasBuilt()).toBe(false);
  });

  it('where the building has not come to its end', async () => {
    await run(execPath, [join(clone, '.config', 'build-program.ts')]);
    await rm(join(clone, 'dist', 'main.js'));
    expect(await printed('src/paydrop.js', '--version')).toMatch(/^\d/);
  });
});

describe('the types of the package', () => {
  it(
    'show what is meant for others, and need no types of packages that bring none',
    { timeout: 600_000 },
    async () => {
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      await run(execPath, [join(clone, '.config', 'build-types.ts')]);
      await writeFile(
        join(clone, 'dist', 'types', 'consumer.mts'),
        `import { compose, loadConfig, silentLog, type BatchResult, type Paydrop, type RunControl } from './index.js';
       type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;
       export const shown: readonly [
         Same<keyof Paydrop, 'isSandbox' | 'service' | 'run' | 'close'>,
         Same<keyof RunControl, 'waitMs' | 'signal' | 'view'>,
       ] = [true, true];
       export const opened: Promise<Paydrop> = compose(loadConfig({}), silentLog);
       export const paid = (result: BatchResult): number => result.summary.outcomes.paid;`,
      );
      const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--types', 'node'];
      const target = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'esnext,dom,dom.iterable'];
      const consumer = ['--ignoreConfig', ...strict, ...target, 'dist/types/consumer.mts'];
      const { stdout } = await run(execPath, [compiler, ...consumer], { cwd: clone });
      expect(stdout).toBe('');
    },
  );
});
