// How many notifications the listener takes in a second: each signature checked, each payout found, each hint on disk before the answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Pool } from 'undici';

import { fileNamed } from './desk.ts';
import { byTurns, number, shown, spreadOf, type Group } from './figures.ts';
import type { BenchOptions } from './options.ts';

/** As many at the same time as a busy service would send. */
const CONNECTIONS = 32;

type Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Notifications a second, all of them accepted. */
async function acceptedPerSecond(rows: number): Promise<number> {
  const path = fileNamed('notifications.json');
  const program = fileURLToPath(new URL('webhook-listener.ts', import.meta.url));
  const child = spawn(process.execPath, [program, String(rows), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(chunk.toString()) as { port: number };
  const pool = new Pool(`http://127.0.0.1:${String(port)}`, { connections: CONNECTIONS });
  try {
    return rows / (await secondsFor(pool, JSON.parse(readFileSync(path, 'utf8')) as Request[]));
  } finally {
    await pool.destroy();
    child.kill('SIGTERM');
    await once(child, 'close');
  }
}

async function secondsFor(pool: Pool, requests: readonly Request[]): Promise<number> {
  const left = requests.values();
  const started = performance.now();
  const sender = async (): Promise<void> => {
    for (const { path, headers, body } of left) {
      const response = await pool.request({ method: 'POST', path, headers, body });
      await response.body.dump();
      if (response.statusCode !== 204)
        throw new Error(`A notification was answered ${String(response.statusCode)}.`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  return (performance.now() - started) / 1_000;
}

export async function webhooks({ runs, rows: wished }: BenchOptions): Promise<Group> {
  const rows = Math.min(wished, 5_000);
  const { accepted } = await byTurns(runs, { accepted: () => acceptedPerSecond(rows) });
  const spread = spreadOf(accepted);
  return {
    name: 'webhooks',
    title: `7. Notifications, ${number(rows)} payouts on the way`,
    lines: [{ what: 'accepted a second, each on disk', value: shown(spread) }],
    data: { rows, perSecond: spread },
  };
}
