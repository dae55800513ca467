// Help, a wrong word, `--version`: who only asks waits for nothing, so the commands load what they do when they do it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** Prints the files of src that have been loaded, once the command has ended. */
const LISTED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  const { main } = await import(${JSON.stringify(join(SRC, 'cli', 'main.ts'))});
  await main(['--help'], () => undefined);
  process.stdout.write('\\n' + JSON.stringify(loaded.filter((url) => url.includes('/src/'))) + '\\n');`;

function loadedByHelp(): readonly string[] {
  const { stdout, stderr } = spawnSync(execPath, ['--input-type=module', '--eval', LISTED], {
    encoding: 'utf8',
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('[')) throw new Error(`${stdout}${stderr}`);
  return (JSON.parse(last) as readonly string[]).map((url) => url.slice(url.lastIndexOf('/src/') + 5));
}

describe('paydrop --help', () => {
  it('loads no ledger, no service, no delivery and no sandbox', () => {
    const loaded = loadedByHelp();
    expect(loaded).toContain('cli/main.ts');
    const heavy = loaded.filter((file) =>
      /^(ledger|service|delivery|sandbox|results|payouts|inbox|sftp)\//.test(file),
    );
    expect(heavy).toEqual([]);
    expect(loaded.length).toBeLessThan(60);
  });
});
