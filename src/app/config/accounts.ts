// The accounts of the section `sftp` of the config. Every visible mistake is reported when the config is read, not by a server at night.
import { posix, resolve } from 'node:path';

import { Cron } from 'croner';
import { z } from 'zod';

import { readNamedFile } from '../../base/plain-file.ts';
import { sentence } from '../../messages/messages.ts';
import {
  ANSWERS_PUSHED,
  type Credential,
  type Envelope,
  GAP_RULES,
  PROCESSED,
  type Rhythm,
  type SftpAccount,
  SIGNATURE_RULES,
} from '../../sftp/account.ts';
import { FINGERPRINT_FORM } from '../../sftp/connect.ts';
import { isSafeName } from '../../sftp/remote-files.ts';
import { ConfigUnusable, readTypedSecret, says } from './yaml-file.ts';
import { filePattern } from './profile-file.ts';
import { duration } from './policy.ts';

/** The registered port of SSH. */
const SSH_PORT = 22;

/** A remote folder: no `..`, and no characters that a terminal would obey. */
const WRITE_FOLDER = says('config.write.remoteFolder');
const remoteFolder = z
  .string()
  .regex(/^[^\p{Cc}\\]+$/u, WRITE_FOLDER)
  .refine((path) => !path.split('/').includes('..'), WRITE_FOLDER)
  .transform((path) => posix.normalize(path).replace(/(?<=.)\/$/, ''));

const WRITE_FINGERPRINT = says('config.write.fingerprint');
const fingerprint = z.string().regex(FINGERPRINT_FORM, WRITE_FINGERPRINT);

function oneOrMore<T extends z.ZodType>(item: T, error: string) {
  return z
    .union([item, z.array(item).min(1)], { error })
    .transform((given) => (Array.isArray(given) ? given : [given]) as readonly z.output<T>[]);
}

const openpgp = z.strictObject({
  privateKeyFile: z.string(),
  passphraseFile: z.string().optional(),
  partnerKeyFile: z.string(),
  signature: z.enum(SIGNATURE_RULES).default('required'),
  answers: z.boolean().default(true),
});

const sequence = z.strictObject({
  names: z.string().regex(/^[^#]*#+[^#]*$/, says('config.write.sequenceNames')),
  first: z.int().min(0).default(1),
  onGap: z.enum(GAP_RULES).default('wait'),
});

const fields = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, says('config.write.accountName')),
  host: z.string().regex(/^[^\s/@]+$/, says('config.write.host')),
  port: z.int().min(1).max(65_535).default(SSH_PORT),
  hostKey: oneOrMore(fingerprint, WRITE_FINGERPRINT),
  user: z.string().min(1),
  privateKeyFile: z.string().optional(),
  passphraseFile: z.string().optional(),
  passwordFile: z.string().optional(),
  passwordEnv: z.string().optional(),
  pull: oneOrMore(remoteFolder, WRITE_FOLDER).optional(),
  push: remoteFolder.optional(),
  answers: z.enum(ANSWERS_PUSHED).default('own'),
  pollEvery: duration.optional(),
  cron: z.string().optional(),
  timeZone: z.string().default('UTC'),
  files: oneOrMore(filePattern, says('config.write.patterns')).prefault('*'),
  profile: z.string().nullable().default(null),
  // Longer than for the inbox: a line to another site stalls for some seconds, and a half-written file then looks whole.
  settleFor: duration.prefault('10s'),
  readyMarker: z
    .string()
    .regex(/^[^/\p{Cc}]+$/u, says('config.write.marker'))
    .nullable()
    .default(null),
  processed: z.enum(PROCESSED).default('move'),
  openpgp: openpgp.nullable().default(null),
  sequence: sequence.nullable().default(null),
});
type Fields = z.output<typeof fields>;

const accountSchema = fields.superRefine((account, context) => {
  for (const [key, message] of faultsOf(account))
    context.addIssue({ code: 'custom', path: [key], message, input: account[key] });
});

type FieldFault = readonly [key: keyof Fields, message: string];

function faultsOf(account: Fields): readonly FieldFault[] {
  return [...credentialFaults(account), ...folderFaults(account), ...rhythmFaults(account)];
}

function credentialFaults({
  privateKeyFile,
  passphraseFile,
  passwordFile,
  passwordEnv,
}: Fields): FieldFault[] {
  const given = [privateKeyFile, passwordFile, passwordEnv].filter((each) => each !== undefined);
  if (given.length !== 1) return [['user', says('config.oneCredential')]];
  return passphraseFile !== undefined && privateKeyFile === undefined
    ? [['passphraseFile', says('config.passphraseAlone')]]
    : [];
}

function folderFaults({ pull, push }: Fields): FieldFault[] {
  if (pull === undefined && push === undefined) return [['name', says('config.noFolderNamed')]];
  const names = (pull ?? []).map((folder) => posix.basename(folder));
  if (new Set(names).size < names.length) return [['pull', says('config.foldersMeet')]];
  if (names.some((name) => name !== '' && name !== '.' && !isSafeName(name)))
    return [['pull', says('config.oddFolder')]];
  // An answer that is put there would come back as a file to pay.
  return push !== undefined && pull?.includes(push) === true ? [['push', says('config.pushIntoPull')]] : [];
}

function rhythmFaults({ pollEvery, cron, timeZone }: Fields): FieldFault[] {
  if (cron === undefined) return pollEvery === 0 ? [['pollEvery', says('config.write.timeAboveZero')]] : [];
  if (pollEvery !== undefined) return [['cron', says('config.pollOrCron')]];
  try {
    return nextCronTime(cron, timeZone, 0) === null ? [['cron', says('config.neverComes')]] : [];
  } catch {
    // The remedy is the same for every fault that the library finds.
    return [['cron', says('config.write.accountCron')]];
  }
}

/** The first time of a cron line after `afterMs`; null when there is none. Throws for a line or a zone that it cannot parse. */
export function nextCronTime(cron: string, timeZone: string, afterMs: number): number | null {
  return new Cron(cron, { timezone: timeZone, mode: '5-part' }).nextRun(new Date(afterMs))?.getTime() ?? null;
}

export const accountsSchema = z
  .array(accountSchema)
  .default([])
  .superRefine((accounts, context) => {
    const names = accounts.map(({ name }) => name.toLowerCase());
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: says('config.accountTwice') });
  });
type AccountFields = Fields;

/** The accounts that payment messages may debit; `currency` for messages that leave it out. */
export const debtorsSchema = z
  .array(
    z.strictObject({
      account: z.string().trim().min(1).max(40),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'write a currency such as XAF')
        .nullable()
        .default(null),
      sender: z.record(z.string(), z.string()).nullable().default(null),
      folder: z.string().min(1).nullable().default(null),
    }),
  )
  .default([]);

// Turns the section of the config into accounts that can log in, with the secrets from the places that it names.

/** How often a server is looked at by default. */
const POLL_EVERY_MS = 60_000;

/** Where secrets are looked for. */
type SecretPlaces = {
  /** The folder against which paths of the config are resolved. */
  readonly base: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** Throws `ConfigUnusable` for a missing secret, and for a profile that does not exist. */
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

/** A key of OpenSSH, PEM or PuTTY. Its content is checked when it is used; a public key by mistake is rejected here. */
function readKey(path: string, account: string): string {
  const text = readText(path, account);
  if (/PRIVATE KEY-----|^PuTTY-User-Key-File/m.test(text)) return text;
  throw new ConfigUnusable(sentence('config.account.noKey', { path, account }));
}

/** The editor adds the last line end; it is no part of the secret. */
function readSecret(path: string, account: string): string {
  const secret = readText(path, account).replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new ConfigUnusable(sentence('config.account.empty', { path, account }));
}

function readText(path: string, account: string): string {
  return readAs(readTypedSecret, path, account);
}

function readBytes(path: string, account: string): Buffer {
  return readAs(readNamedFile, path, account);
}

function readAs<T>(read: (path: string) => T, path: string, account: string): T {
  try {
    return read(path);
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.account.unreadable', { path, account }), {
      cause: error,
    });
  }
}
