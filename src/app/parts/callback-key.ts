// The key of the callback URLs, in a file of its own: it outlives the ledger, so that after a rebuild a repeated create still says the same and
// the notifications of transfers under way are still ours. Lost, it costs notifications and no more: their payouts are looked at in any case.
import { randomBytes } from 'node:crypto';
import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile, syncFolder } from '../../base/atomic-file.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { sentence } from '../../messages/messages.ts';

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
