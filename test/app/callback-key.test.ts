// The key of the callback URLs: made once, for its owner alone, and the same after everything else was lost.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openCallbackKey } from '../../src/app/parts/webhooks.ts';
import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { sentence } from '../../src/messages/messages.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'callback-key-'));
});
afterEach(() => rm(root, { recursive: true }));

it('a key is made once, and found again', async () => {
  const key = await openCallbackKey(root);
  expect(key).toHaveLength(32);
  expect(await openCallbackKey(root)).toEqual(key);
  expect(await readdir(root)).toEqual(['callback.key']);
});

it('only its owner may read it', async () => {
  await openCallbackKey(root);
  expect((await stat(join(root, 'callback.key'))).mode & 0o777).toBe(0o600);
});

it('whoever asks at the same moment gets the same key', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => openCallbackKey(root)));
  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
});

it.each(['', 'secret', 'A'.repeat(64)])('a file that holds %j is refused in plain words', async (text) => {
  await writeFile(join(root, 'callback.key'), text);
  await expect(openCallbackKey(root)).rejects.toThrow(
    new ConfigUnusable(sentence('callbackKey.noKey', { path: join(root, 'callback.key') })),
  );
});
