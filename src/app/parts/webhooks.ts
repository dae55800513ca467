// The key of the callback URLs, in its own file: it survives the ledger. So after a rebuild a repeated create still sends the same URL, and
// notifications of transfers in progress are still recognised. If it is lost, only notifications are lost: paydrop looks at the payouts in any
// case.
import { randomBytes } from 'node:crypto';
import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile, syncFolder } from '../../base/atomic-file.ts';
import type { Clock } from '../../base/clock.ts';
import { sentence } from '../../messages/messages.ts';
import type { WebhookKeys } from '../config/listeners.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';

/** As many as the hash that it keys. */
const KEY_BYTES = 32;
const KEY_FORM = /^[0-9a-f]{64}\n?$/;

/** The key of a workspace; the first caller creates it. Throws `ConfigUnusable` for a file without a key. */
export async function openCallbackKey(root: string): Promise<Uint8Array> {
  const path = join(root, 'callback.key');
  const standing = await readKey(path);
  if (standing !== null) return standing;
  await create(root, path);
  const made = await readKey(path);
  if (made === null) throw new ConfigUnusable(sentence('callbackKey.gone', { path }));
  return made;
}

async function readKey(path: string): Promise<Uint8Array | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new ConfigUnusable(sentence('config.key.unreadable', { path }), { cause: error });
  });
  if (text === null) return null;
  if (KEY_FORM.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new ConfigUnusable(sentence('callbackKey.noKey', { path }));
}

/** Of two processes that create one at the same moment, the first wins: a link replaces nothing, and appears with its whole content. */
async function create(root: string, path: string): Promise<void> {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  await publishFile(own, [`${randomBytes(KEY_BYTES).toString('hex')}\n`]);
  try {
    await link(own, path);
    await syncFolder(root);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await unlink(own);
  }
}

// Whether the service's notifications reach this process. Only then does polling slow down to its longest pause. With a wrong address, or a proxy
// that is down, payments must not end later than they would without notifications.

export type Hearing = {
  /** A notification with the service's signature has come. */
  heard(): void;
  isTrusted(): boolean;
  /** How many have come to this process. */
  times(): number;
  /** A notification has come to another process on the ledger. */
  heardElsewhere(): void;
};

/** A workspace that pays a few times a day is unsure again between its batches, and sure with the first notification of each. */
const TRUST_MS = 3_600_000;

export function openHearing(clock: Clock): Hearing {
  let heardAt = -Infinity;
  let times = 0;
  const heardElsewhere = (): void => {
    heardAt = clock.monotonic();
  };
  return {
    heard: () => {
      times += 1;
      heardElsewhere();
    },
    times: () => times,
    heardElsewhere,
    isTrusted: () => clock.monotonic() - heardAt < TRUST_MS,
  };
}

// The keys at this moment. They are the one thing that changes while a process runs: every caller and listener reads them again each time, so
// that a rotated key is used from the next call on.

export class LiveKeys implements WebhookKeys {
  #keys: Required<WebhookKeys>;

  constructor(keys: Required<WebhookKeys>) {
    this.#keys = keys;
  }

  /** The key of the calls, which also signs the notifications. */
  get apiKey(): string {
    return this.#keys.apiKey;
  }

  get other(): Required<WebhookKeys>['other'] {
    return this.#keys.other;
  }

  change(keys: Required<WebhookKeys>): void {
    this.#keys = keys;
  }
}
