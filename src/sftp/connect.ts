// A connection to an account: the host key is compared before anything is said, and every wait has an end.
import type { Client, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';

import type { SftpAccount } from './account.ts';
import { connectionFault, hostKeyChanged, keyUnusable, noSftp } from './connection-faults.ts';
import { fingerprintOf } from './host-key.ts';
import { remoteRequests, type RemoteRequests } from './remote-requests.ts';
import { sftpSession, type SftpSession } from './sftp-session.ts';
import { connectionLost, endsConnection } from './sftp-fault.ts';

export type ConnectOptions = {
  /** The longest wait for the connection and the login together, and for each answer after that. */
  readonly timeoutMs: number;
  /** Ends the connection, and with it whatever is under way. */
  readonly signal: AbortSignal;
};

/** A line that is dead and says nothing is noticed after three of these without an answer. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVES_UNANSWERED = 3;

/** A server has several keys, and shows the first kind that both sides know: the pinned one may be of another. */
const KEY_KINDS: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
];

/** The kind that was the right one the last time, so that a server is not asked for its other keys again and again. */
const KIND_OF = new WeakMap<SftpAccount, (typeof KEY_KINDS)[number]>();

/** Throws `SftpFault`. */
export async function connect(account: SftpAccount, options: ConnectOptions): Promise<SftpSession> {
  const last = KIND_OF.get(account);
  const seen: string[] = [];
  for (const kinds of last === undefined ? KEY_KINDS : [last, ...KEY_KINDS]) {
    const attempt = await tryKinds(account, options, kinds);
    if ('session' in attempt) {
      KIND_OF.set(account, kinds);
      return attempt.session;
    }
    // No key was shown: nobody answers, or, after another kind was, the server has none of this one.
    if (attempt.shown === null && seen.length === 0) throw attempt.error;
    if (attempt.shown !== null && account.hostKeys.includes(attempt.shown)) throw attempt.error;
    if (attempt.shown !== null) seen.push(attempt.shown);
  }
  throw hostKeyChanged(account, [...new Set(seen)]);
}

type Attempt = { readonly session: SftpSession } | { readonly error: unknown; readonly shown: string | null };

async function tryKinds(
  account: SftpAccount,
  options: ConnectOptions,
  kinds: readonly ServerHostKeyAlgorithm[],
): Promise<Attempt> {
  const keys: string[] = [];
  try {
    const requests = await open(account, options, kinds, (key) => {
      keys.push(key);
      return account.hostKeys.includes(key);
    });
    return { session: sftpSession(requests, keys[0] ?? '') };
  } catch (error) {
    return { error, shown: keys[0] ?? null };
  }
}

async function open(
  account: SftpAccount,
  { timeoutMs, signal }: ConnectOptions,
  kinds: readonly ServerHostKeyAlgorithm[],
  isPinned: (key: string) => boolean,
): Promise<RemoteRequests> {
  const { Client: SshClient } = await import('ssh2');
  const client = new SshClient();
  const stop = (): void => {
    client.destroy();
  };
  signal.addEventListener('abort', stop);
  client.once('close', () => signal.removeEventListener('abort', stop));
  try {
    if (signal.aborted) throw connectionLost();
    await login(client, account, timeoutMs, kinds, isPinned);
    return await remoteRequests(client, timeoutMs).catch((error: unknown) => {
      throw endsConnection(error) ? error : noSftp(account, error);
    });
  } catch (error) {
    client.destroy();
    throw error;
  }
}

function login(
  client: Client,
  account: SftpAccount,
  timeoutMs: number,
  kinds: readonly ServerHostKeyAlgorithm[],
  isPinned: (key: string) => boolean,
): Promise<void> {
  const { credential, host, port, user } = account;
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    // It stays for as long as the client lives: what breaks later is told by the requests that it breaks.
    client.on('error', (error) => reject(connectionFault(account, error, timeoutMs)));
    client.once('close', () => reject(connectionLost()));
    if (credential.kind === 'password')
      client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
        answer(prompts.map(() => credential.password)),
      );
    const config: ConnectConfig = {
      ...{ host, port, username: user, ...secretOf(account) },
      readyTimeout: timeoutMs,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: KEEPALIVES_UNANSWERED,
      algorithms: { serverHostKey: [...kinds] },
      hostVerifier: (key: Buffer) => isPinned(fingerprintOf(key)),
    };
    try {
      client.connect(config);
    } catch (error) {
      // Thrown at once is only what is wrong with the key itself.
      reject(keyUnusable(account, error));
    }
  });
}

function secretOf({ credential }: SftpAccount): Partial<ConnectConfig> {
  if (credential.kind === 'password') return { password: credential.password, tryKeyboard: true };
  const { privateKey, passphrase } = credential;
  return { privateKey, ...(passphrase === null ? {} : { passphrase }) };
}
