// A connection to an account: the host key is compared before anything is sent, and every wait has an end.
import { createHash } from 'node:crypto';

import type { Client, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';

import { connectionLost, endsConnection, noAnswer, SftpFault, type SftpAccount } from './account.ts';
import { type RemoteRequests, remoteRequests } from './remote-requests.ts';
import { type SftpSession, sftpSession } from './sftp-session.ts';
import { sentence } from '../messages/messages.ts';

type ConnectOptions = {
  /** The longest wait for the connection and the login together, and for each answer after that. */
  readonly timeoutMs: number;
  /** Ends the connection, and with it all work in progress. */
  readonly signal: AbortSignal;
};

/** A dead line that stays silent is noticed after three of these without a reply. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVES_UNANSWERED = 3;

/** A server has several keys, and shows the first kind that both sides know: the pinned one may be of another kind. */
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

/** The kind that matched the last time, so that a server is not asked for its other keys again and again. */
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
    // No key was shown: nobody answers; or, if another kind was shown before, the server has no key of this kind.
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
    // The listener stays as long as the client lives: later faults are reported by the requests that they break.
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
      // Only a fault of the key itself is thrown at once.
      reject(keyUnusable(account, error));
    }
  });
}

function secretOf({ credential }: SftpAccount): Partial<ConnectConfig> {
  if (credential.kind === 'password') return { password: credential.password, tryKeyboard: true };
  const { privateKey, passphrase } = credential;
  return { privateKey, ...(passphrase === null ? {} : { passphrase }) };
}

// Why a connection could not be made, judged by the fields of the library's errors, never by their messages.

/** Fields of an error of the library or of a socket. */
type SshProblem = { readonly level?: string; readonly code?: string };

/** Names that cannot be resolved, now or at all. */
const NO_SUCH_NAME: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME'];

function connectionFault(account: SftpAccount, error: Error, timeoutMs: number): SftpFault {
  const { level = '', code = '' } = error as SshProblem;
  if (level === 'client-timeout') return noAnswer(timeoutMs / 1_000);
  if (level === 'client-authentication') return loginRefused(account);
  if (level === 'client-dns' || NO_SUCH_NAME.includes(code)) return hostNotFound(account, error);
  return level === 'client-socket' && code !== 'ECONNRESET'
    ? unreachable(account, code, error)
    : connectionLost(error);
}

/** The server that answers is not the pinned one. The message has both fingerprints, so that people can compare them by telephone. */
function hostKeyChanged({ host, hostKeys }: SftpAccount, seen: readonly string[]): SftpFault {
  const [pinned, shown] = [hostKeys.join(', '), seen.join(', ')];
  return new SftpFault('host_key_changed', sentence('sftp.hostKeyChanged', { host, pinned, shown }));
}

function keyUnusable({ secretFile }: SftpAccount, cause: unknown): SftpFault {
  const file = secretFile ?? '';
  return new SftpFault('key_unusable', sentence('sftp.keyUnusable', { file }), { cause });
}

function noSftp({ host }: SftpAccount, cause: unknown): SftpFault {
  return new SftpFault('no_sftp', sentence('sftp.noSftp', { host }), { cause });
}

function loginRefused({ host, user, credential, secretFile }: SftpAccount): SftpFault {
  const words =
    credential.kind === 'key'
      ? sentence('sftp.keyRefused', { host, user, file: secretFile ?? '' })
      : sentence('sftp.passwordRefused', { host, user });
  return new SftpFault('login_refused', words);
}

function hostNotFound({ host }: SftpAccount, cause: unknown): SftpFault {
  return new SftpFault('host_not_found', sentence('sftp.hostNotFound', { host }), { cause });
}

function unreachable({ host, port }: SftpAccount, code: string, cause: unknown): SftpFault {
  return new SftpFault('unreachable', sentence('sftp.unreachable', { host, port, code }), { cause });
}

// The host key is pinned: a server that answers with another key is a stranger, whatever its name, and gets neither password nor file.

/** A fingerprint as `ssh-keygen -lf` writes it: the hash in Base64, without padding. */
export const FINGERPRINT_FORM = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** The fingerprint of a host key as it travels. */
function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
