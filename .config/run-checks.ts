// What `npm test` runs before the tests: types, lint and format at the same time, each told in a line as it ends. Exit code 1 when one of them finds something.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';

type Check = { readonly name: string; readonly script: string };

const CHECKS: readonly Check[] = [
  { name: 'types', script: 'typecheck' },
  { name: 'format', script: 'format:check' },
  { name: 'lint', script: 'lint' },
];

function run({ name, script }: Check): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      process.stdout.write(`${name} ${code === 0 ? 'ok' : 'FAILED'} ${String(seconds)} s\n`);
      if (code !== 0) process.stdout.write(said);
      resolve(code === 0);
    });
  });
}

process.stdout.write(`types, format and lint on ${String(cpus().length)} cores, then the tests\n`);
const passed = await Promise.all(CHECKS.map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
