// The accounts of the section `sftp` of the config. Whatever can be seen to be wrong is told when the config is read, not by a server at night.
import { posix } from 'node:path';

import { Cron } from 'croner';
import { z } from 'zod';

import { ANSWERS_PUSHED, FINGERPRINT_FORM, GAP_RULES, PROCESSED } from '../../sftp/connect.ts';
import { SIGNATURE_RULES } from '../../sftp/openpgp.ts';
import { isSafeName } from '../../sftp/remote-files.ts';
import { filePattern } from './file-pattern.ts';
import { duration } from './policy.ts';
import { says } from './config-unusable.ts';

/** The registered port of SSH. */
const SSH_PORT = 22;

/** A remote folder: nothing on the way up, nothing that a terminal would obey. */
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
  // Longer than in the inbox: a line to another house stalls for some seconds, and its half file looks like a whole one.
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

type Fault = readonly [key: keyof Fields, message: string];

function faultsOf(account: Fields): readonly Fault[] {
  return [...credentialFaults(account), ...folderFaults(account), ...rhythmFaults(account)];
}

function credentialFaults({ privateKeyFile, passphraseFile, passwordFile, passwordEnv }: Fields): Fault[] {
  const given = [privateKeyFile, passwordFile, passwordEnv].filter((each) => each !== undefined);
  if (given.length !== 1) return [['user', says('config.oneCredential')]];
  return passphraseFile !== undefined && privateKeyFile === undefined
    ? [['passphraseFile', says('config.passphraseAlone')]]
    : [];
}

function folderFaults({ pull, push }: Fields): Fault[] {
  if (pull === undefined && push === undefined) return [['name', says('config.noFolderNamed')]];
  const names = (pull ?? []).map((folder) => posix.basename(folder));
  if (new Set(names).size < names.length) return [['pull', says('config.foldersMeet')]];
  if (names.some((name) => name !== '' && name !== '.' && !isSafeName(name)))
    return [['pull', says('config.oddFolder')]];
  // What is laid there as an answer would come back as a file to pay.
  return push !== undefined && pull?.includes(push) === true ? [['push', says('config.pushIntoPull')]] : [];
}

function rhythmFaults({ pollEvery, cron, timeZone }: Fields): Fault[] {
  if (cron === undefined) return pollEvery === 0 ? [['pollEvery', says('config.write.timeAboveZero')]] : [];
  if (pollEvery !== undefined) return [['cron', says('config.pollOrCron')]];
  try {
    return nextCronTime(cron, timeZone, 0) === null ? [['cron', says('config.neverComes')]] : [];
  } catch {
    // Whatever the library finds wrong with it, the remedy is the same.
    return [['cron', says('config.write.accountCron')]];
  }
}

/** The first time of a cron line after `afterMs`; null when there is none. Throws for a line or a zone that cannot be understood. */
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
export type AccountFields = Fields;

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
    }),
  )
  .default([]);
