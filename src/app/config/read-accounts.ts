// From the section of the config to accounts that can log in: their secrets are read from where it names them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Credential, Rhythm, SftpAccount } from '../../sftp/connect.ts';
import type { Envelope } from '../../sftp/openpgp.ts';
import { ConfigUnusable } from './config-unusable.ts';
import type { AccountFields } from './account-config.ts';
import { sentence } from '../../messages/messages.ts';

/** How often a server is looked at where nobody says otherwise. */
const POLL_EVERY_MS = 60_000;

/** Where secrets are found. */
export type SecretPlaces = {
  /** The folder that paths of the config are taken from. */
  readonly base: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** Throws `ConfigUnusable` for a secret that is not there, and for a profile that nobody has written. */
export function readAccounts(
  accounts: readonly AccountFields[],
  places: SecretPlaces,
  profiles: readonly string[],
): readonly SftpAccount[] {
  return accounts.map((account) => {
    const { name, host, port, hostKey, user, answers, files, profile, readyMarker, processed, sequence } =
      account;
    if (profile !== null && !profiles.includes(profile))
      throw new ConfigUnusable(sentence('config.account.profile', { name, profile }));
    return {
      ...{ name, host, port, user, answers, files, profile, readyMarker, processed, sequence },
      hostKeys: hostKey,
      ...readCredential(account, places),
      pull: account.pull ?? [],
      push: account.push ?? null,
      rhythm: rhythmOf(account),
      settleForMs: account.settleFor,
      openpgp: readEnvelope(account, places.base),
    };
  });
}

function readEnvelope({ name, openpgp }: AccountFields, base: string): Envelope | null {
  if (openpgp === null) return null;
  const { privateKeyFile, passphraseFile, partnerKeyFile, signature, answers } = openpgp;
  return {
    privateKey: readBytes(resolve(base, privateKeyFile), name),
    passphrase: passphraseFile === undefined ? null : readSecret(resolve(base, passphraseFile), name),
    partnerKey: readBytes(resolve(base, partnerKeyFile), name),
    signature,
    answers,
  };
}

function rhythmOf({ pollEvery, cron, timeZone }: AccountFields): Rhythm {
  return cron === undefined ? { everyMs: pollEvery ?? POLL_EVERY_MS } : { cron, timeZone };
}

function readCredential(
  { name, privateKeyFile, passphraseFile, passwordFile, passwordEnv }: AccountFields,
  { base, environment }: SecretPlaces,
): { readonly credential: Credential; readonly secretFile: string | null } {
  if (privateKeyFile !== undefined) {
    const secretFile = resolve(base, privateKeyFile);
    const passphrase = passphraseFile === undefined ? null : readSecret(resolve(base, passphraseFile), name);
    return { credential: { kind: 'key', privateKey: readKey(secretFile, name), passphrase }, secretFile };
  }
  const secretFile = passwordFile === undefined ? null : resolve(base, passwordFile);
  const password =
    secretFile === null
      ? fromEnvironment(passwordEnv ?? '', environment, name)
      : readSecret(secretFile, name);
  return { credential: { kind: 'password', password }, secretFile };
}

function fromEnvironment(
  variable: string,
  environment: SecretPlaces['environment'],
  account: string,
): string {
  const password = environment[variable] ?? '';
  if (password !== '') return password;
  throw new ConfigUnusable(sentence('config.account.variable', { account, variable }));
}

/** A key of OpenSSH, PEM or PuTTY. What it holds is seen when it is used; that it is a public key by mistake is seen here. */
function readKey(path: string, account: string): string {
  const text = readText(path, account);
  if (/PRIVATE KEY-----|^PuTTY-User-Key-File/m.test(text)) return text;
  throw new ConfigUnusable(sentence('config.account.noKey', { path, account }));
}

/** Its last line end belongs to the editor that wrote it. */
function readSecret(path: string, account: string): string {
  const secret = readText(path, account).replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new ConfigUnusable(sentence('config.account.empty', { path, account }));
}

function readText(path: string, account: string): string {
  return readBytes(path, account).toString('utf8');
}

function readBytes(path: string, account: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigUnusable(sentence('config.account.unreadable', { path, account }), {
      cause: error,
    });
  }
}
