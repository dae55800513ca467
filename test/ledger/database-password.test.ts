// The password of a database reaches it in every way that the docs name, with each way of asking; a missing or a wrong one ends the program with words.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type PostgresServer, startPostgres } from '../postgres/server.ts';

/** With signs that a URL writes otherwise. */
const PASSWORD = "p@ss: w%rd/'é";

type End = { readonly code: number; readonly words: string };

/** The real program, ended by itself or, as a bound of hanging, after a minute. */
function paydrop(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<End> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['src/main.ts', ...args],
      { env: { ...process.env, ...environment }, timeout: 60_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), words: stdout + stderr }),
    );
  });
}

describe.each(['scram-sha-256', 'password'] as const)('a database that asks by %s', (by) => {
  let server: PostgresServer;
  let folder: string;
  let url: string;
  let right: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'password-'));
    server = await startPostgres({ password: { text: PASSWORD, by } });
    const bare = new URL(server.url);
    bare.password = '';
    url = bare.href;
    right = join(folder, 'right');
    writeFileSync(right, `${PASSWORD}\n`);
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const status = (environment: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<End> =>
    paydrop([...more, '--workspace', join(folder, 'work'), 'status'], environment);

  it('has it from the URL in the environment', async () => {
    expect(await status({ PAYDROP_LEDGER_URL: server.url })).toMatchObject({ code: 0 });
  });

  it('has it from the file that the environment names', async () => {
    const environment = { PAYDROP_LEDGER_URL: url, PAYDROP_LEDGER_PASSWORD_FILE: right };
    expect(await status(environment)).toMatchObject({ code: 0 });
  });

  it('has it from the file that the config names', async () => {
    const config = join(folder, 'paydrop.yaml');
    writeFileSync(config, `ledger: ${url}\nledgerPasswordFile: ${right}\n`);
    expect(await status({}, '--config', config)).toMatchObject({ code: 0 });
  });

  it('refuses a wrong one, and the program says so and ends', async () => {
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, 'something else');
    const end = await status({ PAYDROP_LEDGER_URL: url, PAYDROP_LEDGER_PASSWORD_FILE: wrong });
    expect(end).toMatchObject({ code: 5, words: expect.stringContaining('refuses the password') as string });
  });

  it('asks for one where none is set, and the program says so and ends', async () => {
    const end = await status({ PAYDROP_LEDGER_URL: url });
    expect(end).toMatchObject({ code: 5, words: expect.stringContaining('password') as string });
    expect(end.words).not.toContain('unexpected');
  });
});
