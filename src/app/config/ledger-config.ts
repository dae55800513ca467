// The place of the ledger: a file of this machine, or a database that several machines share; and the names of those machines.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

import { z } from 'zod';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { duration } from './policy.ts';
import { ConfigUnusable, readTypedSecret, says } from './yaml-file.ts';

/** A node that misses a few beats is not lost yet; on the other hand, nobody should wait for minutes. */
const GIVE_UP_LEAST_MS = 2_000;
const GIVE_UP_MOST_MS = 300_000;

/** The name stands in file names and in lines of text. */
const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export const clusterSchema = z
  .strictObject({
    node: z.string().regex(NODE_NAME, says('config.write.node')).nullable().default(null),
    giveUpAfter: duration
      .refine((ms) => ms >= GIVE_UP_LEAST_MS && ms <= GIVE_UP_MOST_MS, says('config.write.giveUpAfter'))
      .prefault('5s'),
  })
  .prefault({});

/** A database that several machines share. */
export type SharedLedger = {
  /** `postgres://USER@HOST/DATABASE?schema=NAME`, without a password. */
  readonly url: string;
  /** Null where the database needs none. */
  readonly password: string | null;
  readonly giveUpAfterMs: number;
};

/** At most one is set; if neither is, the ledger is the file in the workspace. */
export type LedgerPlaces = { readonly ledgerPath: string | null; readonly sharedLedger: SharedLedger | null };

type LedgerSettings = {
  readonly ledger: string | null;
  readonly ledgerPasswordFile: string | null;
  readonly cluster: z.output<typeof clusterSchema>;
  readonly policy: { readonly approvalBy: string | null };
  readonly web: { readonly listen: string | null };
};

/** Overrides for the config: the URL, and the file of the password. */
type Given = {
  readonly url: string | undefined;
  /** The source of the URL. A variable may contain the password; an argument may not, because other users of the machine can read it. */
  readonly by: 'PAYDROP_LEDGER_URL' | '--to';
  readonly passwordFile: string | undefined;
};

/** Throws `ConfigUnusable`. */
export function readLedgerPlaces(
  { ledger, ledgerPasswordFile, cluster, policy, web }: LedgerSettings,
  given: Given,
  base: string,
): LedgerPlaces {
  const text = given.url ?? ledger;
  if (text === null) return { ledgerPath: null, sharedLedger: null };
  const name = given.url === undefined ? 'ledger' : given.by;
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    return { ledgerPath: given.url === undefined ? resolve(base, path) : resolve(path), sharedLedger: null };
  }
  // The rule for approvals must not depend on which machine asks, and only one of them serves the page.
  if (web.listen !== null && policy.approvalBy === null)
    throw new ConfigUnusable(sentence('config.ledger.approvalBy'));
  const url = readDatabaseUrl(text, name);
  // Many people read a config file, and it is kept for long.
  if (name !== 'PAYDROP_LEDGER_URL' && url.password !== '')
    throw new ConfigUnusable(sentence('config.ledger.password', { name }));
  const inFile = ledgerPasswordFile === null ? undefined : resolve(base, ledgerPasswordFile);
  const file = given.passwordFile ?? inFile;
  const inUrl = url.password === '' ? null : decodeURIComponent(url.password);
  const password = inUrl ?? (file === undefined ? null : readPassword(file));
  url.password = '';
  return { ledgerPath: null, sharedLedger: { url: url.href, password, giveUpAfterMs: cluster.giveUpAfter } };
}

/** The ledger's name as a person writes it in the config; the same for every spelling. */
export function nameOfLedger(place: string | Pick<SharedLedger, 'url'>): string {
  if (typeof place === 'string') return `sqlite:${place}`;
  const url = new URL(place.url);
  const schema = url.searchParams.get('schema') ?? 'paydrop';
  return `postgres://${url.username}@${url.host}${url.pathname}?schema=${schema}`;
}

/** Other parameters of the driver change what a commit means, or where it goes. */
const PARAMETERS: readonly string[] = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

function readDatabaseUrl(text: string, name: string): URL {
  const wrong = (fault: Words): ConfigUnusable =>
    new ConfigUnusable(sentence('config.ledger.url', { name, fault }));
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) throw wrong(sentence('config.ledger.form'));
  const url = new URL(text);
  if (url.hostname === '' || url.username === '' || url.pathname.length < 2 || url.hash !== '')
    throw wrong(sentence('config.ledger.parts'));
  const unknown = [...url.searchParams.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined)
    throw wrong(sentence('config.ledger.parameter', { unknown, known: PARAMETERS.join(', ') }));
  if (!SCHEMA_NAME.test(url.searchParams.get('schema') ?? 'paydrop'))
    throw wrong(sentence('config.ledger.schema'));
  return url;
}

function readPassword(path: string): string {
  let text: string;
  try {
    text = readTypedSecret(path).trim();
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.ledger.passwordFile', { path }), { cause: error });
  }
  if (text !== '') return text;
  throw new ConfigUnusable(sentence('config.ledger.passwordFile', { path }));
}

/** The node's name from the config, else the machine's. */
export function nodeName({ cluster }: Pick<LedgerSettings, 'cluster'>): string {
  return cluster.node ?? hostname();
}

/** The config sections about payments and people; the others say where things lie on a node, where it listens, how it logs. */
const DECIDES = [
  'service',
  'sender',
  'sandbox',
  'policy',
  'approvers',
  'intake',
  'iso20022',
  'tracking',
  'retention',
  'limits',
  'schedules',
  'tenants',
  'executionDate',
  'sftp',
  'notify',
  'language',
  'cluster',
  'fileProfiles',
] as const;
const OF_A_NODE = /(?:File|^node|^path)$/;

/** Equal for nodes that decide alike; it reveals no secret. */
export function configDigest(config: Readonly<Partial<Record<(typeof DECIDES)[number], unknown>>>): string {
  const told = DECIDES.map((key) => config[key] ?? null);
  const text = JSON.stringify(told, (key, value: unknown) => (OF_A_NODE.test(key) ? undefined : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
