// What the client makes of a server that does not keep to what it says; `npm run trial -- fuzz` tries the same with all that stands behind the client.
import { afterEach, describe, expect, it } from 'vitest';

import type { SftpAccount } from '../../src/sftp/account.ts';
import { connect } from '../../src/sftp/connect.ts';
import { listTree } from '../../src/sftp/remote-files.ts';
import type { SftpSession } from '../../src/sftp/sftp-session.ts';
import { startLyingServer, type Lie, type LyingServer, type LyingServerOptions } from './lying-server.ts';

const TRUE: Lie = {
  name: 'a.csv',
  content: Buffer.from('abc'),
  listed: 'file',
  size: 'true',
  time: 'true',
  reading: 'whole',
  standing: 'same',
  renaming: 'done',
};

let server: LyingServer | null = null;
let session: SftpSession | null = null;

afterEach(async () => {
  await session?.close();
  await server?.close();
});

async function talkTo(options: Partial<LyingServerOptions>): Promise<SftpSession> {
  server = await startLyingServer({ lies: [], listing: 'plain', breaks: [], ...options });
  const account: SftpAccount = {
    name: 'erp',
    host: '127.0.0.1',
    port: server.port,
    hostKeys: [server.hostKey],
    user: 'payer',
    credential: { kind: 'password', password: 'secret' },
    secretFile: null,
    pull: [],
    push: null,
    answers: 'own',
    rhythm: { everyMs: 100 },
    files: ['*'],
    profile: null,
    settleForMs: 50,
    readyMarker: null,
    processed: 'move',
    openpgp: null,
    sequence: null,
  };
  session = await connect(account, { timeoutMs: 5_000, signal: new AbortController().signal });
  return session;
}

describe('a listing', () => {
  it('of files without a size or a time, which can be told neither whole nor the same, has none of them', async () => {
    const without = (name: string, lie: Partial<Lie>): Lie => ({ ...TRUE, name, ...lie });
    const lies = [without('s.csv', { size: 'none' }), without('t.csv', { time: 'none' }), TRUE];
    const { files } = await listTree(await talkTo({ lies }), '/lies');
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([['a.csv', 3]]);
  });

  it('of names that lead elsewhere, or mean something here, has them apart, and follows none', async () => {
    const folder = (name: string): Lie => ({ ...TRUE, name, listed: 'folder' });
    const names = ['b/../../../c.csv', 'C:d.csv', 'e\\f.csv', 'g\u202Ecsv.exe', 'h.csv '];
    const lies = [...names.map((name) => ({ ...TRUE, name })), folder('i/../..'), TRUE];
    const { files, others, unsafe } = await listTree(await talkTo({ lies }), '/lies');
    expect(files.map(({ name }) => name)).toEqual(['a.csv']);
    expect(others).toEqual([]);
    expect(unsafe.map(({ name }) => name)).toEqual([...names, 'i/../..']);
  });

  it.each([
    ['never ends', 'endless', 1],
    ['has folders without end in each other', 'loop', 200],
  ] as const)('that %s is left in time', async (_name, listing, count) => {
    const lies = Array.from({ length: count }, (_, index): Lie => ({
      ...TRUE,
      name: `f${String(index)}`,
      listed: 'folder',
    }));
    await expect(listTree(await talkTo({ lies, listing }), '/lies')).rejects.toMatchObject({
      code: 'too_many_files',
    });
    expect(server?.requests()).toBeLessThan(1_000);
  });

  it('of a loop ends at the depth that is looked into', async () => {
    const { files } = await listTree(await talkTo({ lies: [TRUE], listing: 'loop' }), '/lies');
    expect(files.map(({ name }) => name)).toEqual(
      ['', 'loop/', 'loop/loop/', 'loop/loop/loop/'].map((above) => `${above}a.csv`),
    );
  });
});

describe('reading', () => {
  it.each(['long', 'drip', 'whole'] as const)(
    'what a server gives in pieces of its own (%s) gives the bytes that were asked for',
    async (reading) => {
      const content = Buffer.from('0123456789');
      const lying = await talkTo({ lies: [{ ...TRUE, content, reading }] });
      const pieces: Uint8Array[] = [];
      for await (const piece of lying.read('/lies/a.csv', 10)) pieces.push(piece);
      expect(String(Buffer.concat(pieces))).toBe('0123456789');
    },
  );
});
