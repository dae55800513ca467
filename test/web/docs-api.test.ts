// docs/api.md is what an integrator types: every line of it is run, in order, and the page names every problem that there is.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { PROBLEMS } from '../../src/web/problems.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { openWeb } from './with-web.ts';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;

it('each of its lines is answered, from the key to the result', async () => {
  const web = await openWeb();
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-api-'));
  try {
    await cp(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true });
    const text = await readFile(join(ROOT, 'docs/api.md'), 'utf8');
    const script = [...text.matchAll(/^```sh\n(.*?)^```/gms)]
      .map(([, block = '']) => block)
      .join('')
      .replace('http://127.0.0.1:8790', web.url)
      .replace(
        'paydrop people',
        `${process.execPath} ${join(ROOT, 'src/main.ts')} --workspace ${web.desk.workspace} people`,
      );
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
    expect(stdout).toContain('"state":"closed"');
    expect(stdout).toContain('"reference":"SAL-2026-11-001"');
    expect((await readFile(join(folder, 'result.csv'), 'utf8')).split('\n')[0]).toContain('payout.outcome');
    expect((await stat(join(folder, 'template.xlsx'))).size).toBeGreaterThan(1_000);
  } finally {
    await web.close();
    await rm(folder, { recursive: true });
  }
});

it('names every problem with its status, and the way of every route', async () => {
  const text = await readFile(join(ROOT, 'docs/api.md'), 'utf8');
  for (const [code, status] of Object.entries(PROBLEMS))
    expect(text).toMatch(new RegExp(`\\| \`${code}\` +\\| ${String(status)}`));
  for (const { path, who } of ROUTES) if (who !== 'people') expect(text).toContain(path.split('/')[1]);
});
