// Which keys of a changed config are obeyed without a restart, in one table: those that are asked for anew for each file, each row or each look.
// Everything else is built once at the start; obeyed by halves it would be worse than not at all.
import type { Config } from './config.ts';

const AT_ONCE: readonly string[] = [
  'sender',
  'policy.onInvalidRows',
  'policy.strategy',
  'policy.duplicateWindow',
  'policy.documentsWait',
  'policy.newAccount',
  'intake.settleFor',
  'intake.readyMarker',
  'intake.scanEvery',
  'intake.rowsMax',
  'intake.bytesMax',
  'iso20022.debtors',
  'iso20022.statusReports.detail',
  'iso20022.statusReports.version',
  'iso20022.statusReports.pause',
  'iso20022.statusReports.sandbox',
  'tracking.pollEvery',
  'tracking.wait',
  'tracking.reversalWindow',
  'limits.perRow',
  'limits.perPayeePerDay',
  'limits.perFile',
  'limits.perDay',
  'limits.refusalShare',
  'limits.feeShare',
  'limits.leastRates',
  'retention.archive',
  'retention.outbox',
  'language',
  // The keys themselves, wherever they stand: they are read again with the config.
  'service.apiKeyFile',
  'webhooks.otherKeyFile',
  'webhooks.otherKeyUntil',
];

/** What is not written in the config file, but read with it: always obeyed. */
const READ_WITH_IT = ['apiKey', 'otherWebhookKey', 'fileProfiles', 'readFrom'] as const;

/** What keys of the file resolve to: compared under the key that says it. */
const RESOLVED = ['workspacePath', 'baseUrl', 'ledgerPath', 'profilesPath', 'folderPaths'] as const;

export type ChangedConfig = {
  /** The config to obey from now on. */
  readonly config: Config;
  /** Keys that were changed and are obeyed, and those that are obeyed after a restart only. */
  readonly obeyed: readonly string[];
  readonly afterRestart: readonly string[];
};

/** @param started the config that the process started with, for everything that it cannot change any more. */
export function changedConfig(started: Config, before: Config, next: Config): ChangedConfig {
  const names = keysOf(started, next);
  const isChanged = (from: Config) => (name: string) => !isSame(valueAt(from, name), valueAt(next, name));
  const afterRestart = names.filter((name) => !AT_ONCE.includes(name)).filter(isChanged(started));
  const obeyed = [...AT_ONCE, ...READ_WITH_IT].filter(isChanged(before));
  return { config: mixed(started, next), obeyed, afterRestart };
}

/** The config of the start with what is obeyed at once from the next. */
function mixed(started: Config, next: Config): Config {
  const config: Record<string, unknown> = { ...started };
  for (const name of [...AT_ONCE, ...READ_WITH_IT]) {
    const [section = '', key] = name.split('.');
    const value = valueAt(next, name);
    config[section] = key === undefined ? value : { ...(config[section] as object), [key]: value };
  }
  return config as Config;
}

/** `section.key` for what is a section in one of them, and the name alone for the rest. */
function keysOf(...configs: readonly Config[]): readonly string[] {
  const ignored: readonly string[] = [...READ_WITH_IT, ...RESOLVED];
  const names = configs.flatMap((config) =>
    Object.entries(config)
      .filter(([name]) => !ignored.includes(name))
      .flatMap(([name, value]) =>
        isSection(name, value) ? Object.keys(value).map((key) => `${name}.${key}`) : [name],
      ),
  );
  return [...new Set(names)];
}

function isSection(name: string, value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'sender';
}

function valueAt(config: Config, name: string): unknown {
  const [section = '', key] = name.split('.');
  const value = (config as Readonly<Record<string, unknown>>)[section];
  return key === undefined ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[key];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
