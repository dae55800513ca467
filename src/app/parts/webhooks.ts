// The key of the callback URLs, in a file of its own: it outlives the ledger, so that after a rebuild a repeated create still says the same and
// the notifications of transfers under way are still ours. Lost, it costs notifications and no more: their payouts are looked at in any case.
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

/** The key of a workspace; the first who asks makes it. Throws `ConfigUnusable` for a file that holds none. */
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
    throw new ConfigUnusable(sentence('callbackKey.unreadable', { path }), { cause: error });
  });
  if (text === null) return null;
  if (KEY_FORM.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new ConfigUnusable(sentence('callbackKey.noKey', { path }));
}

/** Of two processes that make one at the same moment, the first wins: a link replaces nothing, and appears with its whole content. */
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

// Whether the service's notifications reach this process. Only when some have is polling left to its longest pause: an address that is wrong, or a
// proxy that is down, must not be found out by payments whose end nobody hears of for longer than before.

export type Hearing = {
  /** A notification that was signed by the service has come. */
  heard(): void;
  isTrusted(): boolean;
  /** How many have come to this process. */
  times(): number;
  /** One has come to another process on the ledger. */
  heardElsewhere(): void;
};

/** A desk that pays a few times a day is unsure again between its batches, and sure with the first notification of each. */
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

// The keys as they are at this moment. They are the one thing that changes under a process that goes on: whoever calls or listens asks for
// them each time anew, so that a rotated key is used from the next call on.

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
