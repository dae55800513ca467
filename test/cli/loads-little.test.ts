// Help, a wrong word, `--version`, the status: a person who only asks should not wait, so each command loads its code when it needs it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { line, openDesk, SENDER } from '../app/desk.ts';

const execute = promisify(execFile);
const SRC = join(import.meta.dirname, '..', '..', 'src');

/** Prints the files that have been loaded, once the command has ended. */
const listed = (args: readonly string[]): string => `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  const { main } = await import(${JSON.stringify(join(SRC, 'cli', 'main.ts'))});
  await main(${JSON.stringify(args)}, () => undefined);
  process.stdout.write('\\n' + JSON.stringify(loaded.filter((url) => url.startsWith('file:'))) + '\\n');`;

/** Our own by their path in `src`, packages by their name. */
async function loadedBy(...args: readonly string[]): Promise<{
  readonly own: readonly string[];
  readonly packages: Set<string>;
}> {
  const { stdout, stderr } = await execute(execPath, ['--input-type=module', '--eval', listed(args)]);
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('[')) throw new Error(`${stdout}${stderr}`);
  const urls = JSON.parse(last) as readonly string[];
  const packages = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  const own = urls.filter((url) => !url.includes('/node_modules/') && url.includes('/src/'));
  return { own: own.map((url) => url.slice(url.lastIndexOf('/src/') + 5)), packages: new Set(packages) };
}

describe('paydrop --help', () => {
  it('loads no ledger, no service, no delivery and no sandbox', async () => {
    const { own } = await loadedBy('--help');
    expect(own).toContain('cli/main.ts');
    const heavy = own.filter((file) =>
      /^(ledger|service|delivery|sandbox|results|payouts|inbox|sftp)\//.test(file),
    );
    expect(heavy).toEqual([]);
    expect(own.length).toBeLessThan(60);
  });
});

describe('paydrop status', () => {
  it('loads nothing that calls the service, plays it, or sends messages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loads-little-'));
    const config = join(folder, 'paydrop.yaml');
    writeFileSync(config, 'workspace: ./work\n');
    const { own, packages } = await loadedBy('--config', config, 'status');
    rmSync(folder, { recursive: true });
    expect(own).toContain('app/desk/batch-status.ts');
    expect(own.filter((file) => /^(delivery|sandbox)\//.test(file))).toEqual([]);
    expect(
      ['pg', 'undici', 'hono', 'nodemailer', 'exceljs', 'ssh2', 'openpgp'].filter((name) =>
        packages.has(name),
      ),
    ).toEqual([]);
  });
});

describe('with a service of its own', () => {
  it.each(['check', 'run'])(
    'paydrop %s loads nothing that only the sandbox, SFTP, mail or workbooks need',
    async (command) => {
      const desk = await openDesk();
      const config = await desk.write(
        'paydrop.yaml',
        `workspace: ./work\nservice: { baseUrl: "${desk.sandbox.baseUrl}", apiKeyFile: ./key }\n${SENDER}\n`,
      );
      await desk.write('key', desk.sandbox.apiKey);
      const file = await desk.file('payroll.csv', [line('E-1', '100')]);
      const { own, packages } = await loadedBy('--config', config, command, file);
      await desk.close();
      expect(own).toContain('rows/row.ts');
      expect(own.filter((path) => path.startsWith('sandbox/'))).toEqual([]);
      expect(
        ['pg', '@hono/node-server', 'hono', 'nodemailer', 'exceljs', 'ssh2', 'openpgp'].filter((name) =>
          packages.has(name),
        ),
      ).toEqual([]);
    },
  );
});
