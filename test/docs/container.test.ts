// The file of the container, by its rules: built apart from what runs, nobody's root, nothing written but the workspace, and a health that is asked.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../config/service');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** Instruction and what it says, its continued lines put together. */
const LINES = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', said = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return { name, said };
  });

const last = LINES.slice(LINES.findLastIndex(({ name }) => name === 'FROM'));
const saidOf = (name: string) => last.filter((each) => each.name === name).map(({ said }) => said);

describe('the Dockerfile', () => {
  it('has instructions alone that a builder knows', () => {
    const known = 'FROM,WORKDIR,COPY,RUN,ENV,USER,VOLUME,STOPSIGNAL,HEALTHCHECK,ENTRYPOINT,CMD'.split(',');
    expect(LINES.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('builds in a stage of its own, of the same Node in a named version', () => {
    const from = LINES.filter(({ name }) => name === 'FROM').map(({ said }) => said.split(' ')[0]);
    expect(from).toHaveLength(2);
    expect(new Set(from).size).toBe(1);
    expect(from[0]).toMatch(/^node:24-/);
    const built = saidOf('COPY').filter((said) => said.startsWith('--from='));
    expect(built.map((said) => said.split(' ')[1])).toEqual([
      '/app/package.json',
      '/app/node_modules',
      '/app/dist',
    ]);
  });

  it('takes packages as the lock has them, runs no script of theirs, and leaves those for development behind', () => {
    const run = LINES.filter(({ name }) => name === 'RUN')
      .map(({ said }) => said)
      .join('\n');
    expect(run).toContain('npm ci --ignore-scripts');
    expect(run).toContain('npm prune --omit=dev --ignore-scripts');
    expect(run).not.toMatch(/curl|wget|sudo|chmod 777/);
  });

  it('runs as nobody special, in a process that gets the signals', () => {
    expect(saidOf('USER')).toEqual(['node']);
    const order = last.map(({ name }) => name);
    expect(order.indexOf('USER')).toBeLessThan(order.indexOf('ENTRYPOINT'));
    for (const said of [...saidOf('ENTRYPOINT'), ...saidOf('CMD')])
      expect(() => JSON.parse(said) as unknown).not.toThrow();
  });

  it('writes to its volume alone: compose runs it with a root that is read only, and without rights', () => {
    expect(saidOf('VOLUME')).toEqual(['/data']);
    expect(saidOf('ENV').join(' ')).toContain('PAYDROP_WORKSPACE=/data');
    const { services } = parse(read('compose.yaml')) as {
      readonly services: { readonly paydrop: Readonly<Record<string, unknown>> };
    };
    expect(services.paydrop).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('carries the licences of what it holds', () => {
    expect(saidOf('COPY').some((said) => said.includes('LICENSE') && said.includes('docs/licences.md'))).toBe(
      true,
    );
  });

  it('asks the daemon for its health: 0 while it is well, 1 while it is not or is away', async () => {
    const [said = ''] = saidOf('HEALTHCHECK');
    const [, command = ''] = /CMD (\[.*\])$/.exec(said) ?? [];
    const [program, flag, text = ''] = JSON.parse(command) as readonly string[];
    expect([program, flag]).toEqual(['node', '-e']);
    expect(text).toContain('http://127.0.0.1:8789/healthz');
    let status = 200;
    const server = createServer((_, reply) => reply.writeHead(status).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ended = async (): Promise<unknown> => {
      const child = spawn(execPath, ['-e', text.replace('8789', String(port))], { stdio: 'ignore' });
      return ((await once(child, 'close')) as readonly unknown[])[0];
    };
    expect(await ended()).toBe(0);
    status = 503;
    expect(await ended()).toBe(1);
    server.close();
    expect(await ended()).toBe(1);
  });
});
