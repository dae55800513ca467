// A database that takes encrypted connections alone: it is verified as the URL of the ledger says, and each fault on the way is told in words.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { readBy } from './records.ts';

const certificate = (name: string): string =>
  new URL(`../service/certificates/${name}`, import.meta.url).pathname;
const pem = (name: string): string => readFileSync(certificate(name), 'utf8');
const AUTHORITY = certificate('authority.pem');

/** Each ledger has a schema of its own. */
let schemas = 0;

/** What it says where it cannot be opened; null where it can, and a batch was written. */
async function opened(server: PostgresServer, parameters: string): Promise<string | null> {
  try {
    const url = `${server.url}?${parameters}&schema=s${String((schemas += 1))}`;
    const ledger = await openLedger({ url, password: null, giveUpAfterMs: 5_000 }, systemClock);
    try {
      await ledger.addBatch(readBy(ledger));
    } finally {
      await ledger.close();
    }
    return null;
  } catch (error) {
    if (error instanceof LedgerUnusable) return error.message;
    throw error;
  }
}

const servers: PostgresServer[] = [];
async function serverWith(name: string): Promise<PostgresServer> {
  const server = await startPostgres({ tls: { cert: pem(name), key: pem('server-key.pem') } });
  servers.push(server);
  return server;
}
afterAll(() => Promise.all(servers.map((server) => server.stop())));

describe('a database that takes encrypted connections alone', () => {
  let server: PostgresServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'encrypted-'));
    server = await serverWith('valid.pem');
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is worked with where its authority is named', async () => {
    expect(await opened(server, `sslmode=verify-full&sslrootcert=${AUTHORITY}`)).toBeNull();
    expect(await opened(server, `sslrootcert=${AUTHORITY}`)).toBeNull();
    expect(await opened(server, 'sslmode=no-verify')).toBeNull();
  });

  it.each(['sslmode=verify-full', 'sslmode=require'])(
    'is not trusted with %s and no authority',
    async (parameters) => {
      expect(await opened(server, parameters)).toMatch(
        /certificate of the database is not trusted.*sslrootcert/,
      );
    },
  );

  it('is not trusted with the authority of another one', async () => {
    const other = certificate('self-signed.pem');
    expect(await opened(server, `sslrootcert=${other}`)).toMatch(
      /certificate of the database is not trusted/,
    );
  });

  it('is told of where the URL asks for no encryption', async () => {
    for (const parameters of ['sslmode=disable', ''])
      expect(await opened(server, parameters)).toMatch(
        /asks for an encrypted connection.*sslmode=verify-full/,
      );
  });

  it('is not asked where a file that the URL names is missing, or holds no certificate', async () => {
    expect(await opened(server, 'sslrootcert=/nowhere/ca.pem')).toMatch(/\/nowhere\/ca\.pem/);
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, '');
    expect(await opened(server, `sslrootcert=${empty}`)).toMatch(
      /certificate of the database is not trusted/,
    );
  });
});

it('a database under the name of another machine, or under a certificate that has run out, is not trusted', async () => {
  for (const name of ['other-name.pem', 'expired.pem'])
    expect(await opened(await serverWith(name), `sslrootcert=${AUTHORITY}`)).toMatch(
      /certificate of the database is not trusted/,
    );
}, 60_000);

describe('a database that takes no encrypted connections', () => {
  it('is not worked with where the URL asks for one', async () => {
    const server = await startPostgres();
    servers.push(server);
    expect(await opened(server, 'sslmode=verify-full')).toMatch(/offers no encrypted connection/);
  }, 60_000);
});

it('of many processes that meet on an empty database, each finds one and the same ledger', async () => {
  const server = await startPostgres();
  servers.push(server);
  for (let round = 0; round < 5; round += 1) {
    const place = { url: `${server.url}?schema=r${String(round)}`, password: null, giveUpAfterMs: 5_000 };
    const ledgers = await Promise.all(Array.from({ length: 8 }, () => openLedger(place, systemClock)));
    expect(new Set(ledgers.map(({ id }) => id)).size).toBe(1);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  }
}, 60_000);
