// Notices that the config, a key or a profile was changed on disk, reads all of it again, and says what is obeyed. A config that cannot be used
// changes nothing: the one before stays in force, and its owner is told what is wrong.
import { readdirSync, statSync } from 'node:fs';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { senderOf } from '../compose.ts';
import { type ChangedConfig, changedConfig } from '../config/changed-keys.ts';
import type { Config } from '../config/config.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Paydrop } from '../parts.ts';

/** Null when nothing has changed since the last look; `refused` as long as what stands on disk cannot be used. */
type Reload = ChangedConfig | { readonly refused: string } | null;

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

  /** The next look reads everything again, though nothing may seem to have changed. */
  force(): void {
    this.#seen = '';
  }

  look(): Reload {
    // Taken before anything is read: what is written meanwhile is read by the next look.
    const seen = signatureOf(this.#config);
    if (seen === this.#seen) return null;
    try {
      const changed = changedConfig(this.#started, this.#config, this.#load());
      this.#config = changed.config;
      this.#seen = seen;
      return changed;
    } catch (error) {
      if (!(error instanceof ConfigUnusable)) throw error;
      // A file that it names may be mended without a change of its own.
      this.force();
      return { refused: error.message };
    }
  }
}

/** All that tells a changed file from the one before, of the config's own files and of the profiles. */
function signatureOf({ readFrom = [], profilesPath }: Config): string {
  return [...readFrom, ...profilesIn(profilesPath)].map(stampOf).join('\n');
}

function profilesIn(folder: string): readonly string[] {
  try {
    return [folder, ...readdirSync(folder).map((name) => `${folder}/${name}`)];
  } catch {
    // No folder, no profiles; loading them says what else may be wrong with it.
    return [folder];
  }
}

/** Secrets are often mounted as links that change their target. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return `${path} none`;
  return [path, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ');
}

// What becomes of a daemon's parts when its config was changed on disk: the next file, the next go at a batch and the next call obey it; what
// is under way goes on as it began.

/** The same parts under another config. The keys are changed in place, because whoever calls and whoever listens holds them. */
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
