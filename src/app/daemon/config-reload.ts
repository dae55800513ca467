// Notices that the config, a key or a profile has changed on disk, reads everything again, and reports which changes apply. An unusable config
// changes nothing: the previous one stays in force, and its owner learns what is wrong.
import { readdirSync, statSync } from 'node:fs';

import { senderOf } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { proposedFolder } from '../config/profile-file.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Paydrop } from '../parts.ts';
import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';

/** Null when nothing has changed since the last look; `refused` as long as the config on disk cannot be used. */
export type Reload = ChangedConfig | { readonly refused: string } | null;

export class ConfigReload {
  readonly #load: () => Config;
  readonly #started: Config;
  #config: Config;
  #seen: string;

  /** @param load reads everything as at the start; throws `ConfigUnusable`. */
  constructor(load: () => Config, started: Config) {
    this.#load = load;
    this.#started = started;
    this.#config = started;
    this.#seen = signatureOf(started);
  }

  /** Makes the next look read everything again, even if nothing seems to have changed. */
  force(): void {
    this.#seen = '';
  }

  look(): Reload {
    // Taken before anything is read: the next look finds what is written meanwhile.
    const seen = signatureOf(this.#config);
    if (seen === this.#seen) return null;
    try {
      const changed = changedConfig(this.#started, this.#config, this.#load());
      this.#config = changed.config;
      this.#seen = seen;
      return changed;
    } catch (error) {
      if (!(error instanceof ConfigUnusable)) throw error;
      // A file that the config names may be corrected while the config itself stays the same.
      this.force();
      return { refused: error.message };
    }
  }
}

/** Everything that tells a changed file from the one before, for the config's own files and the profiles. */
function signatureOf({ readFrom = [], profilesPath }: Config): string {
  return [...readFrom, ...profilesIn(profilesPath)].map(stampOf).join('\n');
}

function profilesIn(folder: string): readonly string[] {
  try {
    const found = readdirSync(folder).map((name) => `${folder}/${name}`);
    const proposed = proposedFolder(folder);
    return [folder, ...found, ...(found.includes(proposed) ? profilesIn(proposed) : [])];
  } catch {
    // Without the folder there are no profiles; loading them reports any other fault of it.
    return [folder];
  }
}

/** Secrets are often mounted as links whose targets change. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return `${path} none`;
  return [path, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ');
}

// Applies a changed config to the parts of a daemon: the next file, the next go at a batch and the next call use it; work in progress ends as it
// began.

/** The same parts under another config. The keys are changed in place, because every caller and listener holds them. */
export function obeyConfig(paydrop: Paydrop, config: Config): Paydrop {
  const { keys, isSandbox } = paydrop;
  keys.change({ apiKey: config.apiKey ?? keys.apiKey, other: config.otherWebhookKey ?? null });
  return { ...paydrop, config, sender: senderOf(config, isSandbox) };
}

export function restartWords(names: readonly string[]): Words {
  const list = names.join(', ');
  return sentence('obeyConfig.restart', { list });
}

/** `reason` names the place and the remedy. */
export function refusedWords(reason: string): Words {
  return sentence('obeyConfig.refused', { reason });
}

// Which keys of a changed config apply without a restart, in one table: those that are read again for each file, row or look. Everything else is
// built once at the start; applying half of a change would be worse than none.

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
  // The keys themselves, wherever they come from: they are read again with the config.
  'service.apiKeyFile',
  'webhooks.otherKeyFile',
  'webhooks.otherKeyUntil',
];

/** Values that are not in the config file, but are read with it: they always apply. */
const READ_WITH_IT = ['apiKey', 'otherWebhookKey', 'fileProfiles', 'proposedProfiles', 'readFrom'] as const;

/** Values that keys of the file resolve to; they are compared under the key that sets them. */
const RESOLVED = [
  'workspacePath',
  'baseUrl',
  'ledgerPath',
  'sharedLedger',
  'profilesPath',
  'folderPaths',
] as const;

export type ChangedConfig = {
  /** The config to use from now on. */
  readonly config: Config;
  /** The changed keys that apply now, and those that apply only after a restart. */
  readonly obeyed: readonly string[];
  readonly afterRestart: readonly string[];
};

/** @param started the config of the start, for everything that the process cannot change any more. */
function changedConfig(started: Config, before: Config, next: Config): ChangedConfig {
  const names = keysOf(started, next);
  const isChanged = (from: Config) => (name: string) => !isSame(valueAt(from, name), valueAt(next, name));
  const afterRestart = names.filter((name) => !AT_ONCE.includes(name)).filter(isChanged(started));
  const obeyed = [...AT_ONCE, ...READ_WITH_IT].filter(isChanged(before));
  return { config: mixed(started, next), obeyed, afterRestart };
}

/** The config of the start, with those values of the next that apply at once. */
function mixed(started: Config, next: Config): Config {
  const config: Record<string, unknown> = { ...started };
  for (const name of [...AT_ONCE, ...READ_WITH_IT]) {
    const [section = '', key] = name.split('.');
    const value = valueAt(next, name);
    config[section] = key === undefined ? value : { ...(config[section] as object), [key]: value };
  }
  return config as Config;
}

/** `section.key` for a key that is a section in one of the configs, and the name alone for the others. */
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
