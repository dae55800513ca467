// The client against a real OpenSSH server: whole files in both directions, and every way in which a server can say no, in plain words.
import { createHash, randomBytes } from 'node:crypto';
import { readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { SftpAccount } from '../../src/sftp/account.ts';
import { connect } from '../../src/sftp/connect.ts';
import { listTree } from '../../src/sftp/remote-files.ts';
import type { SftpSession } from '../../src/sftp/sftp-session.ts';
import { accountOf, inPieces } from './account-of.ts';
import { NO_SSHD, startSshServer, type SshServer } from './openssh-server.ts';

const ALIVE = { timeoutMs: 5_000, signal: new AbortController().signal };

async function withSession<T>(account: SftpAccount, work: (session: SftpSession) => Promise<T>): Promise<T> {
  const session = await connect(account, ALIVE);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe.skipIf(NO_SSHD !== '')(`an OpenSSH server${NO_SSHD}`, () => {
  let server: SshServer;

  beforeAll(async () => {
    server = await startSshServer();
  });
  afterAll(() => server.close());

  it('takes and gives files whole, empty ones and those of several megabytes', async () => {
    const folder = server.folder('whole');
    for (const bytes of [0, 1, 32_768, 3_000_001]) {
      const content = randomBytes(bytes);
      const path = join(folder, String(bytes));
      await withSession(accountOf(server), async (session) => {
        expect(await session.write(path, inPieces(content))).toBe(bytes);
        expect(await session.stat(path)).toMatchObject({ kind: 'file', bytes });
        expect((await gather(session.read(path, bytes))).equals(content)).toBe(true);
      });
      expect((await readFile(path)).equals(content)).toBe(true);
    }
  });

  it('is told apart from a file that has become shorter, whatever it said before', async () => {
    const path = join(server.folder('shorter'), 'a.csv');
    await writeFile(path, 'abc');
    await withSession(accountOf(server), async (session) => {
      await expect(gather(session.read(path, 4))).rejects.toMatchObject({ code: 'file_changed' });
      expect(String(await gather(session.read(path, 3)))).toBe('abc');
    });
  });

  it('renames without replacing, replaces at once, and removes what is there or not', async () => {
    const folder = server.folder('names');
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name)) as [string, string, string];
    await writeFile(a, 'a');
    await writeFile(b, 'b');
    await withSession(accountOf(server), async (session) => {
      await expect(session.rename(a, b)).rejects.toMatchObject({ code: 'server_refused' });
      await session.rename(a, c);
      await session.replace(c, b);
      await session.remove(c);
      await session.createFolders(join(folder, 'deep/er'));
      await session.createFolders(join(folder, 'deep/er'));
    });
    expect(await readdir(folder)).toEqual(['b', 'deep']);
    expect(await readFile(b, 'utf8')).toBe('a');
  });

  it('lists files and folders within bounds, follows no link, and names what no file here may be called', async () => {
    const folder = server.folder('list');
    await writeFile(join(folder, 'a.csv'), 'abc');
    await writeFile(join(folder, 'turned\u202Evsc.exe'), '');
    await writeFile(join(folder, `${'x'.repeat(200)}.csv`), '');
    await writeFile(join(folder, 'back\\slash.csv'), '');
    await writeFile(join(folder, Buffer.from('no-utf8-\xff.csv', 'latin1').toString('latin1')), '');
    await writeFile(join(folder, '.hidden.csv'), '');
    await symlink('/etc/passwd', join(folder, 'linked.csv'));
    await writeFile(join(server.folder('list/processed'), 'done.csv'), '');
    await writeFile(join(server.folder('list/invoices'), 'b.pdf'), '');
    await withSession(accountOf(server), async (session) => {
      const { files, unsafe } = await listTree(session, folder);
      expect(files.map(({ name, bytes }) => [name, bytes]).sort()).toEqual([
        ['a.csv', 3],
        ['invoices/b.pdf', 0],
        ['no-utf8-ÿ.csv', 0],
      ]);
      expect(unsafe).toHaveLength(3);
      await expect(session.list(folder, 3)).rejects.toMatchObject({ code: 'too_many_files' });
    });
  });

  it('is trusted by any of its keys that is pinned, whatever it shows first', async () => {
    for (const key of Object.values(server.hostKeys)) {
      const hostKeys = [`SHA256:${'A'.repeat(43)}`, key];
      expect(
        await withSession({ ...accountOf(server), hostKeys }, async ({ hostKey }) =>
          Promise.resolve(hostKey),
        ),
      ).toBe(key);
    }
  });

  it('with another key than the pinned one gets nothing, and both fingerprints are told', async () => {
    const pinned = `SHA256:${createHash('sha256').update('another').digest('base64').slice(0, 43)}`;
    const error = await connect({ ...accountOf(server), hostKeys: [pinned] }, ALIVE).catch(
      (fault: unknown) => fault,
    );
    expect(error).toMatchObject({ code: 'host_key_changed' });
    const { en, fr } = (error as { words: { en: string; fr: string } }).words;
    for (const words of [en, fr])
      for (const shown of [pinned, ...Object.values(server.hostKeys)]) expect(words).toContain(shown);
  });

  it('says no to a key that it does not know, and to a folder that is not there', async () => {
    const stranger = { ...accountOf(server), ...accountOf(server, server.strangerKeyFile) };
    await expect(connect(stranger, ALIVE)).rejects.toMatchObject({ code: 'login_refused' });
    await withSession(accountOf(server), async (session) => {
      await expect(session.list(join(server.folder('x'), 'nothing'), 10)).rejects.toMatchObject({
        code: 'not_found',
      });
    });
  });

  it('is not asked with a private key that cannot be read', async () => {
    const credential = {
      kind: 'key',
      privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nx',
      passphrase: null,
    } as const;
    await expect(connect({ ...accountOf(server), credential }, ALIVE)).rejects.toMatchObject({
      code: 'key_unusable',
    });
  });

  it('that does not answer, that nobody knows, and that is not there are told apart', async () => {
    const account = accountOf(server);
    await expect(connect({ ...account, port: 9 }, ALIVE)).rejects.toMatchObject({ code: 'unreachable' });
    await expect(connect({ ...account, host: 'nobody.invalid' }, ALIVE)).rejects.toMatchObject({
      code: 'host_not_found',
    });
  });

  it('that dies ends what is asked of it', async () => {
    const own = await startSshServer({ kinds: ['ed25519'] });
    try {
      const path = join(own.folder('die'), 'large');
      await writeFile(path, randomBytes(5_000_000));
      const session = await connect(accountOf(own), ALIVE);
      const chunks = session.read(path, 5_000_000)[Symbol.asyncIterator]();
      await chunks.next();
      await own.kill();
      const rest = (async () => {
        while ((await chunks.next()).done !== true);
      })();
      await expect(rest).rejects.toMatchObject({ code: 'connection_lost' });
      await session.close();
    } finally {
      await own.close();
    }
  });
});
