// One PostgreSQL server for all tests of a run, started by the first that asks for it and stopped when all have ended. Each test has a schema of its own.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { startPostgres } from './server.ts';

const NAME = 'postgres-server.json';

type Shared = { readonly url: string; readonly pid: number };

let known: Promise<string> | null = null;

/** The URL of a schema that nobody else has. */
export async function newSchema(): Promise<string> {
  const url = await (known ??= sharedServer());
  return `${url}?schema=t_${randomUUID().replaceAll('-', '')}`;
}

async function sharedServer(): Promise<string> {
  const file = join(tmpdir(), NAME);
  try {
    // The process that makes the folder starts it; the others wait for what it writes.
    mkdirSync(`${file}.lock`);
  } catch {
    while (!existsSync(file)) await wait(20);
    return (JSON.parse(readFileSync(file, 'utf8')) as Shared).url;
  }
  const { url, pid } = await startPostgres({ staysBehind: true });
  writeFileSync(`${file}.new`, JSON.stringify({ url, pid: pid() } satisfies Shared));
  renameSync(`${file}.new`, file);
  return url;
}

/** Stops what was started under a folder, if anything was. */
export function stopShared(folder: string): void {
  const file = join(folder, NAME);
  if (!existsSync(file)) return;
  // At once: its files go with the folder.
  process.kill((JSON.parse(readFileSync(file, 'utf8')) as Shared).pid, 'SIGQUIT');
}
