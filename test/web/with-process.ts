// A daemon that serves, in a process of its own: so that it can be killed, and so that what it writes can be looked through.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Desk, SENDER } from '../app/desk.ts';
import type { AskInit, Told } from './with-web.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

export type Life = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<void>;
  /** What it has written to the terminal so far. */
  readonly said: () => string;
};

/** @param more of the config. @param listen where a life before has listened. @param limit commands of a shell that bound what it may use. */
export async function live(desk: Desk, more = '', listen = '127.0.0.1:0', limit = ''): Promise<Life> {
  const config = join(desk.workspace, 'paydrop.yaml');
  const settings = [
    `web: { listen: "${listen}" }`,
    more,
    more.includes('intake:') ? '' : 'intake: { scanEvery: 1s }',
    SENDER,
  ];
  writeFileSync(
    config,
    `${settings.join('\n')}\ntracking: { pollEvery: 100ms }\n${more.includes('metrics:') ? '' : 'metrics: { listen: null }'}\n`,
  );
  const env = {
    ...process.env,
    PAYDROP_BASE_URL: desk.sandbox.baseUrl,
    PAYDROP_API_KEY: desk.sandbox.apiKey,
  };
  const started = [process.execPath, MAIN, '--config', config, '--workspace', desk.workspace, 'watch'];
  const child = spawn('bash', ['-c', `${limit} exec "$@"`, 'bash', ...started], { env });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const [, found] = /served at (\S+)\/api\/v1/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(said)));
  });
  return { child, url, ended, said: () => said };
}

export async function ask({ url }: Life, key: string, path: string, init: AskInit = {}): Promise<Told> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(`${url}${path}`, { ...init, headers });
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(await response.text()) as Told['body'],
  };
}
