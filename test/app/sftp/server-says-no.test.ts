// The refusals of a server, and ours of a server: nothing is lost by them, no payment waits for them, and people read what to do.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { accountStatuses } from '../../../src/app/desk/telling-status.ts';
import { checkAccount } from '../../../src/app/desk/check-account.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import type { SftpAccount } from '../../../src/sftp/account.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { fullDisk } from '../../sftp/small-disk.ts';
import { HEADER, line } from '../desk.ts';
import { namesIn, openSftpDesk, startExchange, type Exchanging, type SftpDesk } from './sftp-desk.ts';

const SOON = { timeout: 20_000, interval: 50 };
const ALIVE = new AbortController().signal;

/** No answer fits. */
const ROOM_BYTES = 100;

async function failingWith(paydrop: Paydrop, words: RegExp): Promise<void> {
  await vi.waitFor(async () => {
    const [status] = await accountStatuses(paydrop);
    expect(status?.failingSince).not.toBeNull();
    expect(status?.words.join()).toMatch(words);
  }, SOON);
}

describe.skipIf(NO_SSHD !== '')(`a server that says no${NO_SSHD}`, () => {
  let server: SshServer;
  let narrow: SshServer;
  let desk: SftpDesk;
  let exchanging: Exchanging;

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
    narrow = await startSshServer({ kinds: ['ed25519'], fileBytesMax: ROOM_BYTES });
  });
  afterAll(async () => {
    await server.close();
    await narrow.close();
  });
  beforeEach(async () => {
    desk = await openSftpDesk(server);
  });
  afterEach(async () => {
    await exchanging.stop();
    await desk.close();
  });

  /** The daemon, with something of the account changed. */
  async function begin(change: (account: SftpAccount) => SftpAccount): Promise<Paydrop> {
    const paydrop = await desk.openWith();
    const accounts = (paydrop.config.sftpAccounts ?? []).map(change);
    const changed = { ...paydrop, config: { ...paydrop.config, sftpAccounts: accounts } };
    exchanging = startExchange(changed);
    return changed;
  }

  const dropped = (name: string, amount: string): Promise<void> =>
    writeFile(join(desk.out, name), `${HEADER}\n${line(`R-${amount}`, amount)}\n`);

  it('another host key than the pinned one: refused, both are named, and local files are paid meanwhile', async () => {
    const pinned = `SHA256:${'A'.repeat(43)}`;
    const paydrop = await begin((account) => ({ ...account, hostKeys: [pinned] }));
    await dropped('a.csv', '100');
    await failingWith(paydrop, /127\.0\.0\.1 shows another key than the pinned one/);
    expect(exchanging.troubles.join()).toContain(`Pinned: ${pinned}. Seen: ${server.hostKeys.ed25519}.`);
    await writeFile(join(paydrop.workspace.inbox, 'local.csv'), `${HEADER}\n${line('L-1', '200')}\n`);
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
    expect(await namesIn(desk.out)).toEqual(['a.csv']);
    expect(exchanging.troubles).toHaveLength(1);
  });

  it('a server that is back is tried at once when somebody says so, and status knows when else', async () => {
    const opened = await desk.openWith();
    // No time passes, so no pause after a failure ever ends by itself.
    const paydrop = { ...opened, clock: { ...opened.clock, monotonic: () => 0 } };
    await server.kill();
    exchanging = startExchange(paydrop);
    await failingWith(paydrop, /Nobody answers at 127\.0\.0\.1/);
    const [status] = await accountStatuses(paydrop);
    expect(Date.parse(status?.nextAt ?? '')).toBeGreaterThan(Date.parse(status?.failingSince ?? ''));
    await server.start();
    exchanging.tryNow();
    await vi.waitFor(async () => {
      expect(await accountStatuses(paydrop)).toMatchObject([{ failingSince: null, nextAt: null }]);
    }, SOON);
  });

  it('a key that the server does not know', async () => {
    const secretFile = server.strangerKeyFile;
    const credential = {
      kind: 'key',
      privateKey: readFileSync(secretFile, 'utf8'),
      passphrase: null,
    } as const;
    const paydrop = await begin((account) => ({ ...account, credential, secretFile }));
    await failingWith(paydrop, /does not let the user .* in with the key .*stranger/);
    const [account] = paydrop.config.sftpAccounts ?? [];
    expect(account === undefined ? [] : await checkAccount(account, ALIVE)).toMatchObject([
      { name: 'secret', ok: true },
      { name: 'connect', ok: false },
    ]);
  });

  it('a folder that is not there: the other one goes on', async () => {
    const paydrop = await begin((account) => ({ ...account, pull: ['/nowhere', ...account.pull] }));
    await dropped('a.csv', '100');
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
    const [status] = await accountStatuses(paydrop);
    expect(status).toMatchObject({
      failingSince: null,
      words: [expect.stringMatching(/^\/nowhere is not there/)],
    });
  });

  it('no room for an answer: told, tried again, delivered once there is room; files are fetched meanwhile', async ({
    skip,
  }) => {
    const push = server.folder('small-disk');
    const paydrop = await begin((account) => ({ ...account, push }));
    const disk = fullDisk(push);
    if (disk === null) skip('SKIPPED: no disk may be mounted here');
    try {
      await dropped('a.csv', '100');
      expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
      await failingWith(paydrop, /The disk of the server is full: \d+ bytes are left/);
      await dropped('b.csv', '200');
      expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
      disk?.makeRoom();
      await vi.waitFor(async () => {
        expect(await accountStatuses(paydrop)).toMatchObject([{ failingSince: null, waiting: 0 }]);
      }, SOON);
      expect(await namesIn(push)).toHaveLength(8);
    } finally {
      await exchanging.stop();
      disk?.close();
    }
  });

  it('a server that lets no file grow: told as what it may be, and tried again', async () => {
    const push = narrow.folder('answers');
    const { port, hostKeys } = narrow;
    const credential = {
      kind: 'key',
      privateKey: readFileSync(narrow.keyFile, 'utf8'),
      passphrase: null,
    } as const;
    const pull = [narrow.folder('out')];
    const paydrop = await begin((account) => ({
      ...{ ...account, port, credential, pull, push, answers: 'all' },
      hostKeys: Object.values(hostKeys),
    }));
    await writeFile(join(paydrop.workspace.inbox, 'a.csv'), `${HEADER}\n${line('A-1', '100')}\n`);
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
    await failingWith(paydrop, /server refused .* perhaps its disk or quota is full/);
    expect(await namesIn(push)).toEqual([]);
  });
});
