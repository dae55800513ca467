// Ledgers over PostgreSQL in schemas of their own, closed when the test is over, and what happens to their connections.
import { randomUUID } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openPostgresLedger, type PostgresLedger } from '../../src/ledger/postgres/postgres-ledger.ts';
import type { Machine } from '../../src/ledger/runs.ts';
import { atEnd } from '../at-end.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { processAt } from './machines.ts';

/** A server for the tests of one file: some break its connections, and those of another file would break too. Gives the URL of a schema that nobody else has. */
export function ownServer(): () => string {
  let server: PostgresServer | null = null;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  return () => `${server?.url ?? ''}?schema=t_${randomUUID().replaceAll('-', '')}`;
}

/** A ledger in a schema, as a process of its own sees it. */
export async function openIn(
  url: string,
  machine: Machine = processAt(),
  giveUpAfterMs = 5_000,
): Promise<PostgresLedger> {
  const ledger = await openPostgresLedger({ url, password: null, giveUpAfterMs }, systemClock, machine);
  let closing: Promise<void> | null = null;
  const close = ledger.close.bind(ledger);
  ledger.close = () => (closing ??= close());
  atEnd(() => ledger.close());
  return ledger;
}

/** As somebody would who has a program for databases. */
export async function byHand(url: string, statements: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') });
  await client.connect();
  await client.query(`SET search_path = ${new URL(url).searchParams.get('schema') ?? ''}`);
  try {
    return (await client.query<Record<string, unknown>>(statements)).rows;
  } finally {
    await client.end();
  }
}

/** Ends the connection that holds the lock of a run, as the end of its process does. */
export async function cutLife(url: string, run: string): Promise<void> {
  await byHand(
    url,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'paydrop ${run}'`,
  );
}

/** Ends every connection of this server that a ledger shares among its writes and reads. */
export async function cutWriters(url: string): Promise<void> {
  await byHand(
    url,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'paydrop' OR application_name LIKE 'paydrop writes %'`,
  );
}
