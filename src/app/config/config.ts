// The configuration: flags over environment over file over defaults, checked as a whole before anything starts. Only this file reads the environment.
import { dirname, resolve } from 'node:path';

import { z } from 'zod';

import { currencyDecimals } from '../../base/currency.ts';
import { LOG_LEVELS } from '../../base/log.ts';
import { APPROVAL_BY } from '../../ledger/approval.ts';
import { STRATEGIES } from '../../ledger/records.ts';
import { JOURNAL_COLUMNS } from '../../results/journal-formats.ts';
import { REPORT_DETAILS, REPORT_VERSIONS } from '../../results/status-report.ts';
import { LANGUAGES, sameWords } from '../../base/language.ts';
import { isSamePerson } from '../../base/person-name.ts';
import { isExcepted, parsedProxy, proxyFor } from '../../service/proxy.ts';
import { ConfigUnusable, parseYaml, readTyped, says, saysOf, type TextCheck } from './yaml-file.ts';
import { executionDateSchema, folderFault, schedulesSchema, tenantsSchema } from './schedule-config.ts';
import {
  approvalRule,
  duration,
  invalidRows,
  limitSchema,
  percentage,
  personName,
  ratesSchema,
  shareSchema,
} from './policy.ts';
import { clusterSchema, readLedgerPlaces, type LedgerPlaces, type SharedLedger } from './ledger-config.ts';
import {
  checkCallbackUrl,
  checkedKey,
  checkIssuer,
  checkOrigin,
  isLoopback,
  parseListenAddress,
  parseUrl,
  readKeyFile,
  readOtherKey,
  readWebConfig,
  type WebhookKeys,
  webSchema,
} from './listeners.ts';
import { type FileProfile, loadProfiles, loadProposals } from './profile-file.ts';
import type { SftpAccount } from '../../sftp/account.ts';
import { accountsSchema, debtorsSchema, readAccounts } from './accounts.ts';
import { checkHook, notifySchema, type NotifySecrets, readNotifySecrets } from './notify-config.ts';
import { assertWorkspace, checkPlayMoneyIsMeant, checkVariables } from './play-money-by-mistake.ts';
import { sentence } from '../../messages/messages.ts';

const SIZE_UNITS = { KB: 1_000, MB: 1_000_000, GB: 1_000_000_000 } as const;
const size = z
  .string()
  .regex(/^\d{1,6}(KB|MB|GB)$/, says('config.write.size'))
  .transform((text) => {
    const unit = text.slice(-2) as keyof typeof SIZE_UNITS;
    return Number(text.slice(0, -2)) * SIZE_UNITS[unit];
  });

const folder = z.string().min(1);
const section = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

/** Calls at once with `auto`: to begin with, and as far as the service gains by more. */
const AUTO_FIRST = 16;
const CALLS_AT_ONCE_MOST = 256;

const callsAtOnce = z.union(
  [z.literal('auto'), z.int().min(1).max(CALLS_AT_ONCE_MOST)],
  says('config.write.callsAtOnce'),
);

/** The most calls at once, and those to begin with, where more are tried. */
export function callsAtOnceOf({ concurrency }: Config['service']): {
  readonly most: number;
  readonly first: number;
} {
  return concurrency === 'auto'
    ? { most: CALLS_AT_ONCE_MOST, first: AUTO_FIRST }
    : { most: concurrency, first: concurrency };
}

/** As many as a measurement asks at once: each has its turn by the pace of the moment, and the others stand at the door, which shows that more are wanted. */
export function askedAtOnce(
  service: Config['service'],
  rateControl: { readonly lanes: (kind: 'mutation') => number },
): number {
  return Math.max(callsAtOnceOf(service).first, rateControl.lanes('mutation'));
}

/** The address of a proxy, as `HTTPS_PROXY` has it. */
const proxySchema = z
  .string()
  .nullable()
  .default(null)
  .transform((text, context) => {
    if (text === null) return null;
    const proxy = parsedProxy(text);
    if (proxy !== null) return proxy;
    context.addIssue({ ...saysOf(sentence('config.proxy')), input: '' });
    return z.NEVER;
  });

/** Of a chart of accounts, also where it is written as a number. */
const account = z.union([z.string().min(1), z.int().min(1)]).transform(String);

/** The config file; every key has a default. */
export const configSchema = z.strictObject({
  workspace: folder.optional(),
  ledger: z.string().nullable().default(null),
  ledgerPasswordFile: z.string().nullable().default(null),
  cluster: clusterSchema,
  folders: section({
    inbox: folder.optional(),
    outbox: folder.optional(),
    archive: folder.optional(),
    refused: folder.optional(),
  }),
  service: section({
    baseUrl: z.string().optional(),
    apiKeyFile: z.string().optional(),
    callbackUrl: z.string().optional(),
    proxy: proxySchema,
    timeout: duration.prefault('30s'),
    concurrency: callsAtOnce.default('auto'),
    // With fewer than one request in ten seconds, a row would be in progress for longer than its lease lasts.
    requestsPerSecond: z.number().min(0.1).nullable().default(null),
  }),
  sender: z.record(z.string(), z.string()).optional(),
  sandbox: z.boolean().default(false),
  policy: section({
    onInvalidRows: invalidRows.default('refuse-file'),
    approval: approvalRule.default('none'),
    approvalPerDay: limitSchema,
    twoApproversAbove: limitSchema,
    verifyAbove: z.int().min(0).nullable().default(null),
    approvalBy: z.enum(APPROVAL_BY).nullable().default(null),
    strategy: z.enum(STRATEGIES).default('row-by-row'),
    duplicateWindow: duration.prefault('5d'),
    maxDrift: percentage.default('1%'),
    documentsWait: duration.prefault('1h'),
    newAccount: z.enum(['warn', 'hold']).default('warn'),
  }),
  approvers: z.array(z.strictObject({ name: personName, folder })).default([]),
  intake: section({
    settleFor: duration.prefault('2s'),
    readyMarker: z.string().nullable().default(null),
    scanEvery: duration.prefault('30s'),
    rowsMax: z.int().min(1).default(1_000_000),
    bytesMax: size.prefault('512MB'),
  }),
  iso20022: section({
    debtors: debtorsSchema,
    statusReports: section({
      detail: z.enum(REPORT_DETAILS).default('rejected'),
      version: z.enum(['auto', ...REPORT_VERSIONS]).default('auto'),
      pause: duration.prefault('15m'),
      sandbox: z.boolean().default(false),
    }),
    camt054: z.boolean().default(false),
  }),
  tracking: section({
    pollEvery: duration.prefault('30s'),
    wait: duration.prefault('10m'),
    reversalWindow: duration.prefault('90d'),
  }),
  retention: section({
    archive: duration.nullable().prefault(null),
    outbox: duration.nullable().prefault(null),
  }),
  webhooks: section({
    listen: z.string().default('127.0.0.1:8788'),
    otherKeyFile: z.string().optional(),
    otherKeyUntil: z.string().optional(),
  }),
  journal: section({
    currency: z
      .string()
      .refine((code) => currencyDecimals(code) !== null, says('config.write.currency'))
      .default('XAF'),
    code: z.string().default('BQ'),
    accounts: section({
      suppliers: account.prefault('401'),
      personnel: account.prefault('422'),
      bank: account.prefault('521'),
      fees: account.prefault('631'),
      exchangeLoss: account.prefault('676'),
      exchangeGain: account.prefault('776'),
    }),
    banks: z.record(z.string(), account).prefault({}),
    personnel: z.array(z.string()).default(['SALARY_PAYMENT']),
    rates: ratesSchema,
    columns: z
      .array(z.enum(JOURNAL_COLUMNS))
      .min(1)
      .default([...JOURNAL_COLUMNS]),
  }),
  proof: section({ font: z.string().nullable().default(null) }),
  metrics: section({ listen: z.string().nullable().default('127.0.0.1:8789') }),
  web: webSchema,
  limits: section({
    perRow: limitSchema,
    perPayeePerDay: limitSchema,
    perFile: limitSchema,
    perDay: limitSchema,
    refusalShare: shareSchema,
    feeShare: shareSchema,
    leastRates: ratesSchema,
  }),
  profiles: z.string().default('./profiles'),
  schedules: schedulesSchema,
  tenants: tenantsSchema,
  executionDate: executionDateSchema,
  sftp: accountsSchema,
  notify: notifySchema,
  search: section({ folder: folder.nullable().default(null) }),
  language: z.enum(LANGUAGES).default('en'),
  log: section({ level: z.enum(LOG_LEVELS).default('info'), file: z.string().nullable().default(null) }),
});
type ConfigFile = z.output<typeof configSchema>;

type ConfigFlags = Readonly<
  Partial<Record<'config' | 'workspace' | 'listen' | 'moveTo', string | undefined>>
>;

export type Config = ConfigFile & {
  readonly workspacePath: string;
  /** Null: the embedded sandbox. */
  readonly baseUrl: URL | null;
  readonly apiKey: string | null;
  /** A second key that may sign notifications while the key is changed. */
  readonly otherWebhookKey?: WebhookKeys['other'];
  readonly notifySecrets?: NotifySecrets;
  readonly ledgerPath: string | null;
  /** A database that several machines share, instead of a file. */
  readonly sharedLedger?: SharedLedger | null;
  /** The place to which `migrate` moves the ledger. */
  readonly moveTo?: LedgerPlaces;
  /** A command that only reads. */
  readonly sendsNothing?: boolean;
  /** The config file itself; absent where there is none. */
  readonly configPath?: string | undefined;
  /** The config file and the files of its keys. */
  readonly readFrom?: readonly string[];
  /** The folder of the profiles, and its content. */
  readonly profilesPath: string;
  readonly fileProfiles: readonly FileProfile[];
  /** Those that makers have proposed: each reads its author's own uploads alone. */
  readonly proposedProfiles?: readonly FileProfile[];
  /** The accounts of `sftp`, with their secrets. */
  readonly sftpAccounts?: readonly SftpAccount[];
  /** Folders that the config names, resolved against the config file. */
  readonly folderPaths: Partial<Record<'inbox' | 'outbox' | 'archive' | 'refused', string>>;
};

/** Reads everything. Throws `ConfigUnusable`. */
export function loadConfig(flags: ConfigFlags, environment: NodeJS.ProcessEnv = process.env): Config {
  const path = flags.config ?? given(environment['PAYDROP_CONFIG']);
  const file = path === undefined ? configSchema.parse({}) : readConfigFile(path);
  const base = path === undefined ? '.' : dirname(path);
  checkVariables(
    environment,
    file.sftp.flatMap(({ passwordEnv }) => passwordEnv ?? []),
  );
  const workspace = flags.workspace ?? given(environment['PAYDROP_WORKSPACE']);
  const baseUrl = readBaseUrl(given(environment['PAYDROP_BASE_URL']) ?? file.service.baseUrl);
  checkCertificatesCount(environment, baseUrl);
  if (baseUrl === null) checkPlayMoneyIsMeant(file, environment);
  else if (file.sandbox) checkPlaysHere(baseUrl);
  // Without a config file, the profiles lie where they would with one.
  const profilesPath = resolve(path === undefined ? 'config' : base, file.profiles);
  const fileProfiles = loadProfiles(profilesPath);
  checkFolders(file, fileProfiles);
  const passwordFile = given(environment['PAYDROP_LEDGER_PASSWORD_FILE']);
  const web = { ...file.web, listen: file.web.listen ?? flags.listen ?? null };
  checkTwoApprovers(file, web.listen);
  const profileNames = fileProfiles.map(({ profile }) => profile.name);
  return {
    ...file,
    web: readWebConfig(web, base),
    proof: { font: file.proof.font === null ? null : resolve(base, file.proof.font) },
    search: { folder: file.search.folder === null ? null : resolve(base, file.search.folder) },
    log: { ...file.log, file: file.log.file === null ? null : resolve(base, file.log.file) },
    profilesPath,
    fileProfiles,
    proposedProfiles: loadProposals(profilesPath),
    sftpAccounts: readAccounts(file.sftp, { base, environment }, profileNames),
    workspacePath: assertWorkspace(
      resolve(workspace ?? (file.workspace === undefined ? './workspace' : resolve(base, file.workspace))),
    ),
    baseUrl,
    apiKey: baseUrl === null ? null : readApiKey(environment, file, base),
    otherWebhookKey: readOtherKey(file.webhooks, base),
    configPath: path === undefined ? undefined : resolve(path),
    readFrom: filesOf(environment, file, base, path),
    notifySecrets: readNotifySecrets(file.notify, environment, base),
    ...readLedgerPlaces(
      { ...file, web },
      { url: given(environment['PAYDROP_LEDGER_URL']), by: 'PAYDROP_LEDGER_URL', passwordFile },
      base,
    ),
    ...(flags.moveTo === undefined
      ? {}
      : {
          moveTo: readLedgerPlaces({ ...file, web }, { url: flags.moveTo, by: '--to', passwordFile }, base),
        }),
    folderPaths: Object.fromEntries(
      Object.entries(file.folders).flatMap(([name, folderPath]) =>
        folderPath === undefined ? [] : [[name, resolve(base, folderPath)]],
      ),
    ),
  };
}

/** Parses the text of a config file; `name` is the file's name in messages. */
export function parseConfig(text: string, name: string): ConfigFile {
  return parseYaml(text, sameWords(name), configSchema, TEXT_CHECKS);
}

const TEXT_CHECKS: readonly TextCheck[] = [
  ['service.baseUrl', readBaseUrl],
  ['service.callbackUrl', checkCallbackUrl],
  ['webhooks.listen', (text) => parseListenAddress(text)],
  ['metrics.listen', (text) => parseListenAddress(text, 'metrics.listen')],
  ['web.listen', (text) => parseListenAddress(text, 'web.listen')],
  ['web.publicUrl', checkOrigin],
  ['web.oidc.issuer', checkIssuer],
  ['notify.hook.url', checkHook],
];

function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readTyped(path);
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.unreadable', { path }), { cause: error });
  }
  return parseConfig(text, path);
}

/** The key and people's names travel there, so plain HTTP is allowed on this machine only. */
function readBaseUrl(text: string | undefined): URL | null {
  if (text === undefined) return null;
  const url = parseUrl(text, sentence('config.baseUrl.name'));
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigUnusable(sentence('config.baseUrl.parts'));
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url;
  throw new ConfigUnusable(sentence('config.baseUrl.protocol', { origin: url.origin }));
}

/** A service on this machine may be a sandbox; a service elsewhere would really pay. */
function checkPlaysHere(baseUrl: URL): void {
  if (isLoopback(baseUrl)) return;
  throw new ConfigUnusable(sentence('config.sandboxWithUrl', { origin: baseUrl.origin }));
}

/** With certificate checks off for the whole process, the key and people's names would go to any server that answers. */
function checkCertificatesCount(environment: NodeJS.ProcessEnv, baseUrl: URL | null): void {
  if (baseUrl?.protocol !== 'https:' || environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new ConfigUnusable(sentence('config.certificatesOff'));
}

/** The path of the key file; undefined where none is named. */
function keyFileOf(environment: NodeJS.ProcessEnv, file: ConfigFile, base: string): string | undefined {
  const inFile = file.service.apiKeyFile;
  const fromFile = inFile === undefined ? undefined : resolve(base, inFile);
  return given(environment['PAYDROP_API_KEY_FILE']) ?? fromFile;
}

function filesOf(
  environment: NodeJS.ProcessEnv,
  file: ConfigFile,
  base: string,
  configPath: string | undefined,
): readonly string[] {
  const { otherKeyFile } = file.webhooks;
  const otherPath = otherKeyFile === undefined ? undefined : resolve(base, otherKeyFile);
  const paths = [configPath, keyFileOf(environment, file, base), otherPath];
  return paths.filter((path) => path !== undefined).map((path) => resolve(path));
}

function readApiKey(environment: NodeJS.ProcessEnv, file: ConfigFile, base: string): string {
  const own = given(environment['PAYDROP_API_KEY']);
  if (own !== undefined) return checkedKey(own, 'PAYDROP_API_KEY');
  const path = keyFileOf(environment, file, base);
  if (path === undefined) {
    throw new ConfigUnusable(sentence('config.key.missing'));
  }
  return readKeyFile(path);
}

function checkFolders({ schedules, tenants }: ConfigFile, profiles: readonly FileProfile[]): void {
  const names = profiles.map(({ profile }) => profile.name);
  const fault = folderFault([...schedules, ...tenants], names);
  if (fault !== null) throw new ConfigUnusable(fault);
}

/** What needs two different people could be approved by nobody if the config names one alone, and no page knows others. */
function checkTwoApprovers(
  { policy, approvers: [only, ...others] }: ConfigFile,
  listen: string | null,
): void {
  if (policy.twoApproversAbove === null || listen !== null || only === undefined) return;
  if (others.every(({ name }) => isSamePerson(name, only.name)))
    throw new ConfigUnusable(sentence('config.twoApprovers', { name: only.name }));
}

function given(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

/** The proxy by which the service is reached; null where it is reached directly. */
export function proxyOf({ service }: Pick<Config, 'service'>, address: URL): URL | null {
  return proxyFor(address, service.proxy, process.env);
}

/** The same for a hook, which may stand in the network of the house. */
export function proxyOfHook({ service }: Pick<Config, 'service'>, address: URL): URL | null {
  return isExcepted(address, process.env) ? null : proxyFor(address, service.proxy, process.env);
}
