// A connection to an account: the host key is compared before anything is sent, and every wait has an end.
import { createHash } from 'node:crypto';

import type { Client, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';

import { connectionLost, endsConnection, noAnswer, SftpFault, type SftpAccount } from './account.ts';
import { type RemoteRequests, remoteRequests } from './remote-requests.ts';
import { type SftpSession, sftpSession } from './sftp-session.ts';

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
type Told = { readonly level?: string; readonly code?: string };

/** Names that cannot be resolved, now or at all. */
const NO_SUCH_NAME: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME'];

function connectionFault(account: SftpAccount, error: Error, timeoutMs: number): SftpFault {
  const { level = '', code = '' } = error as Told;
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
  return new SftpFault('host_key_changed', {
    en: `${host} shows another key than the pinned one, so nothing was sent to it. Pinned: ${pinned}. Seen: ${shown}. Somebody may stand in between. Ask the server's owner by another way; only when the new one is confirmed, write it into hostKey.`,
    fr: `${host} présente une autre clé que celle qui est enregistrée : rien ne lui a été envoyé. Enregistrée : ${pinned}. Vue : ${shown}. Quelqu'un s'interpose peut-être. Interrogez le propriétaire du serveur par un autre moyen ; n'inscrivez la nouvelle clé dans hostKey qu'une fois confirmée.`,
  });
}

function keyUnusable({ secretFile }: SftpAccount, cause: unknown): SftpFault {
  const file = secretFile ?? '';
  return new SftpFault(
    'key_unusable',
    {
      en: `The private key ${file} cannot be used: it is damaged, or its passphrase is missing or wrong (passphraseFile).`,
      fr: `La clé privée ${file} est inutilisable : elle est endommagée, ou sa phrase de passe manque ou est fausse (passphraseFile).`,
    },
    { cause },
  );
}

function noSftp({ host }: SftpAccount, cause: unknown): SftpFault {
  return new SftpFault(
    'no_sftp',
    {
      en: `${host} accepts this user, and offers no SFTP to it. Have SFTP switched on for this user.`,
      fr: `${host} accepte cet utilisateur, mais ne lui offre pas SFTP. Faites activer SFTP pour lui.`,
    },
    { cause },
  );
}

function loginRefused({ host, user, credential, secretFile }: SftpAccount): SftpFault {
  const what =
    credential.kind === 'key'
      ? { en: `the key ${secretFile ?? ''}`, fr: `la clé ${secretFile ?? ''}` }
      : { en: 'the password', fr: 'le mot de passe' };
  return new SftpFault('login_refused', {
    en: `${host} does not let the user ${user} in with ${what.en}. Check the user's name, and that the server knows this key or password.`,
    fr: `${host} n'admet pas l'utilisateur ${user} avec ${what.fr}. Vérifiez le nom de l'utilisateur, et que le serveur connaît cette clé ou ce mot de passe.`,
  });
}

function hostNotFound({ host }: SftpAccount, cause: unknown): SftpFault {
  return new SftpFault(
    'host_not_found',
    {
      en: `The name ${host} is not known. Check it, and the name service of this machine.`,
      fr: `Le nom ${host} est inconnu. Vérifiez-le, ainsi que le service de noms de cette machine.`,
    },
    { cause },
  );
}

function unreachable({ host, port }: SftpAccount, code: string, cause: unknown): SftpFault {
  return new SftpFault(
    'unreachable',
    {
      en: `Nobody answers at ${host}, port ${String(port)} (${code}). The server is down, or a firewall is between. It is tried again by itself.`,
      fr: `Personne ne répond à ${host}, port ${String(port)} (${code}). Le serveur est arrêté, ou un pare-feu s'interpose. Un nouvel essai a lieu de lui-même.`,
    },
    { cause },
  );
}

// The host key is pinned: a server that answers with another key is a stranger, whatever its name, and gets neither password nor file.

/** A fingerprint as `ssh-keygen -lf` writes it: the hash in Base64, without padding. */
export const FINGERPRINT_FORM = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** The fingerprint of a host key as it travels. */
function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
