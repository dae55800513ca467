// A file of payments is never paid without its control file: it waits on the server for as long as that lies there and is not in the inbox.
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { AccountDesk } from '../../../src/app/intake/sftp/files-to-fetch.ts';
import { pullAccount } from '../../../src/app/intake/sftp/pull-account.ts';
import { Settling } from '../../../src/inbox/inbox-entries.ts';
import { refusedByServer } from '../../../src/sftp/account.ts';
import { connect } from '../../../src/sftp/connect.ts';
import type { SftpSession } from '../../../src/sftp/sftp-session.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { HEADER, line } from '../desk.ts';
import { namesIn, openSftpDesk, type SftpDesk } from './sftp-desk.ts';

const ALIVE = { timeoutMs: 10_000, signal: new AbortController().signal };

const CONTROL = '{ "rows": 1, "submittedBy": "Jean Mbarga" }';

const forbidden = (path: string): never => {
  throw refusedByServer('forbidden', path);
};

describe.skipIf(NO_SSHD !== '')(`a control file that does not come${NO_SSHD}`, () => {
  let server: SshServer;
  let desk: SftpDesk;
  let session: SftpSession;
  let life: AccountDesk;

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = await openSftpDesk(server);
    const paydrop = await desk.openWith();
    const [account] = paydrop.config.sftpAccounts ?? [];
    if (account === undefined) throw new Error('The account is in the config.');
    session = await connect(account, ALIVE);
    await paydrop.ledger.exchange.hold(account.name, '2026-01-01T00:00:00.000Z');
    const settling = new Settling(0);
    life = { paydrop, account, settling, compared: new Set(), foreign: new Set() };
  });
  afterEach(async () => {
    await session.close();
    await desk.close();
  });

  /** Two looks: the first sees the files, the second finds them still. Gives what the second one tells. */
  async function look(own = session): Promise<string> {
    await pullAccount(life, own);
    const { troubles } = await pullAccount(life, own);
    return troubles.map(({ en }) => en).join('\n');
  }

  const inbox = async (): Promise<readonly string[]> => {
    const folder = join(desk.workspace, 'inbox', 'erp', 'out');
    return existsSync(folder) ? (await readdir(folder)).sort() : [];
  };

  async function bring(control: string, payments = 'p.csv'): Promise<void> {
    await writeFile(join(desk.out, payments), `${HEADER}\n${line('P-1', '100')}\n`);
    await writeFile(join(desk.out, control), CONTROL);
  }

  it.each(['p.control.json', 'p.csv.control.json'])(
    'may not be read: %s and its payments wait, and come together',
    async (control) => {
      await bring(control);
      const read: SftpSession['read'] = (path, bytes) =>
        path.endsWith(control) ? forbidden(path) : session.read(path, bytes);
      const told = await look({ ...session, read });
      expect(told).toMatch(/does not allow this user/);
      expect(told).toContain(`p.csv waits on the server for its control file ${control}.`);
      expect(await inbox()).toEqual([]);
      await look();
      expect(await inbox()).toEqual(['p.csv', control].sort());
    },
  );

  it.each(['before it was fetched', 'after it was fetched'])('changes %s', async (when) => {
    await bring('p.control.json');
    const control = join(desk.out, 'p.control.json');
    let stats = 0;
    const stat: SftpSession['stat'] = async (path) => {
      if (path === control) {
        stats += 1;
        // The first asks whether the copy is whole, the second whether it may be placed.
        if (stats === (when === 'before it was fetched' ? 1 : 2)) await appendFile(control, ' ');
      }
      return session.stat(path);
    };
    await look({ ...session, stat });
    expect(stats).toBeGreaterThan(0);
    expect(await inbox()).toEqual([]);
    await look();
    expect(await inbox()).toEqual(['p.control.json', 'p.csv']);
  });

  it('was fetched by a run that ended, and cannot be looked at now', async () => {
    await bring('p.control.json');
    const control = join(desk.out, 'p.control.json');
    let stats = 0;
    const stat: SftpSession['stat'] = async (path) => {
      if (path !== control) return session.stat(path);
      stats += 1;
      return stats > 1 ? forbidden(path) : session.stat(path);
    };
    await look({ ...session, stat });
    expect(await look({ ...session, stat })).toMatch(/p\.csv waits on the server/);
    expect(await inbox()).toEqual([]);
    expect(await life.paydrop.ledger.exchange.openPulls('erp')).toHaveLength(1);
    await look();
    expect(await inbox()).toEqual(['p.control.json', 'p.csv']);
  });

  it('lies in the inbox, and its original may not be moved: its payments come, later ones of the same name wait', async () => {
    await bring('p.control.json');
    const rename: SftpSession['rename'] = (from, to) =>
      from.endsWith('.json') ? forbidden(from) : session.rename(from, to);
    await look({ ...session, rename });
    await look({ ...session, rename });
    expect(await inbox()).toEqual(['p.control.json', 'p.csv']);
    for (const name of await inbox()) await rm(join(desk.workspace, 'inbox', 'erp', 'out', name));
    await writeFile(join(desk.out, 'p.csv'), `${HEADER}\n${line('P-2', '200')}\n`);
    expect(await look({ ...session, rename })).toMatch(/p\.csv waits on the server/);
    expect(await inbox()).toEqual([]);
  });

  it('has the name of one whose payments still lie in the inbox: it waits for them, and later ones for it', async () => {
    await bring('p.control.json');
    await look();
    const placed = join(desk.workspace, 'inbox', 'erp', 'out', 'p.control.json');
    await bring('p.control.json');
    await writeFile(join(desk.out, 'p.control.json'), '{ "rows": 2 }');
    const told = await look();
    expect(told).toContain('p.control.json waits on the server: the inbox');
    expect(told).toContain('p.csv waits on the server for its control file p.control.json.');
    expect(await readFile(placed, 'utf8')).toBe(CONTROL);
    for (const name of await inbox()) await rm(join(desk.workspace, 'inbox', 'erp', 'out', name));
    await look();
    expect(await inbox()).toEqual(['p.control.json', 'p.csv']);
    expect(await readFile(placed, 'utf8')).toBe('{ "rows": 2 }');
  });

  it.each([
    ['is encrypted, and there are no keys', 'p.csv', 'p.csv.control.json.pgp'],
    ['has too long a name', `${'p'.repeat(170)}.csv`, `${'p'.repeat(170)}.csv.control.json`],
  ])('%s', async (_why, payments, control) => {
    await bring(control, payments);
    await bring('other.control.json', 'other.csv');
    expect(await look()).toMatch(/p[.…].* waits on the server for its control file p/);
    expect(await inbox()).toEqual(['other.control.json', 'other.csv']);
    expect(await namesIn(desk.out)).toEqual([payments, control, 'processed'].sort());
    await rm(join(desk.out, control));
    await look();
    expect(await inbox()).toEqual(['other.control.json', 'other.csv', payments]);
  });
});
