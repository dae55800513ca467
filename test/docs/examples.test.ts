// What the docs show is run: the transcript of README, the library's example, and the curl lines of the sandbox.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';

import { startSandbox } from '../../src/sandbox/start-sandbox.ts';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'src/main.ts');

/** A folder as a newcomer has it: the samples, and no workspace yet. */
const folder = mkdtempSync(join(tmpdir(), 'paydrop-docs-'));
cpSync(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('PAYDROP_')),
);

it('README shows what the program prints', async () => {
  const transcripts = blocks('README.md', 'console');
  expect(transcripts).not.toEqual([]);
  for (const transcript of transcripts) {
    const printed: string[] = [];
    for (const line of transcript.split('\n').filter((each) => each.startsWith('$ paydrop ')))
      printed.push(line, await printedBy(line.slice('$ paydrop '.length).split(' ')));
    expect(undated(printed.join('\n'))).toBe(undated(transcript));
  }
});

it('docs/library.md pays a file', async () => {
  const [example = ''] = blocks('docs/library.md', 'ts');
  const script = join(folder, 'example.ts');
  writeFileSync(script, example.replaceAll("'paydrop'", `'${join(ROOT, 'src/index.ts')}'`));
  const { stdout } = await run(process.execPath, [script], {
    cwd: folder,
    env: { ...ENVIRONMENT, PAYDROP_WORKSPACE: join(folder, 'library') },
  });
  expect(stdout).toBe('closed 36\n');
});

it('docs/sandbox.md: each curl line is answered', async () => {
  const sandbox = await startSandbox({ apiKey: 'play' });
  try {
    const lines = blocks('docs/sandbox.md', 'sh')
      .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
      .filter((line) => line.startsWith('curl '));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      const { stdout } = await run('bash', ['-c', line.replaceAll('http://127.0.0.1:8080', sandbox.baseUrl)]);
      expect(JSON.parse(stdout)).not.toHaveProperty('errorCode');
    }
  } finally {
    await sandbox.close();
  }
});

async function printedBy(args: readonly string[]): Promise<string> {
  const options = { cwd: folder, env: { ...ENVIRONMENT, TZ: 'UTC', COLUMNS: '80' } };
  const { stdout } = await run(process.execPath, [MAIN, ...args], options).catch((error: unknown) => {
    // A command that ends with another code than 0 has printed all the same.
    if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) };
    throw error;
  });
  return stdout.replaceAll(`${folder}/`, '').trimEnd();
}

/** A batch carries the day on which its file came. */
function undated(text: string): string {
  return text.replaceAll(/\b20\d{6}-/g, '20261122-').trimEnd();
}

function blocks(page: string, kind: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
}

it('the unit, the image and the compose file run what the build writes, from files that are there', () => {
  const service = (name: string) => readFileSync(join(ROOT, 'config/service', name), 'utf8');
  const image = service('Dockerfile');
  const copied = [...image.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  );
  expect(copied).toContain('samples');
  for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
  expect(image).toContain('ENTRYPOINT ["node", "dist/main.js"]');
  expect(service('paydrop.service')).toContain('/opt/paydrop/dist/main.js --config');
  const compose = parse(service('compose.yaml')) as {
    readonly services: {
      readonly paydrop: { readonly build: { readonly dockerfile: string }; readonly restart: string };
    };
  };
  // Payments go on after a power cut: `on-failure` does not start a container when Docker starts.
  expect(compose.services.paydrop.restart).toBe('unless-stopped');
  expect(existsSync(join(ROOT, compose.services.paydrop.build.dockerfile))).toBe(true);
});
