// An account of a test's own server, with what a test does not care about.
import { readFileSync } from 'node:fs';

import type { SftpAccount } from '../../src/sftp/account.ts';
import type { SshServer } from './openssh-server.ts';

export function accountOf(server: SshServer, keyFile = server.keyFile): SftpAccount {
  return {
    name: 'erp',
    host: '127.0.0.1',
    port: server.port,
    hostKeys: Object.values(server.hostKeys),
    user: server.user,
    credential: { kind: 'key', privateKey: readFileSync(keyFile, 'utf8'), passphrase: null },
    secretFile: keyFile,
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
}

/** In pieces that are no multiple of anything. */
export async function* inPieces(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < content.length; from += 70_001)
    yield await Promise.resolve(content.subarray(from, from + 70_001));
}
