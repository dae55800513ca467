// The head of a batch is written over the one before, says nothing where it cannot be read, and follows nothing that a stranger put in its place.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { headOf, writeHead } from '../../src/inbox/head.ts';
import { openWorkspace, processingFolder, type Workspace } from '../../src/inbox/workspace.ts';

const BATCH = '20261130-0123abcd';
const HEAD = { ledger: crypto.randomUUID(), to: 7, hash: 'x'.repeat(43) };

let root: string;
let workspace: Workspace;
let path: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-head-'));
  workspace = await openWorkspace(join(root, 'ws'), {}, null);
  await mkdir(processingFolder(workspace, BATCH), { recursive: true });
  path = join(processingFolder(workspace, BATCH), 'head.json');
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('is the last one that was written, as private as the rest', async () => {
  expect(headOf(workspace, BATCH)).toBeNull();
  expect(writeHead(workspace, BATCH, { ...HEAD, to: 1_000_000, hash: 'y'.repeat(43) })).toBe(true);
  expect(writeHead(workspace, BATCH, { ...HEAD, to: null })).toBe(true);
  expect(headOf(workspace, BATCH)).toEqual({ ...HEAD, to: null });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ ...HEAD, to: null });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it.each(['', '{', '{"ledger":"a"}', '\0'.repeat(256), '[]'])(
  '%j says nothing, and makes room',
  async (text) => {
    await writeFile(path, text);
    expect(headOf(workspace, BATCH)).toBeNull();
    expect(writeHead(workspace, BATCH, HEAD)).toBe(true);
    expect(headOf(workspace, BATCH)).toEqual(HEAD);
  },
);

it('follows no link, waits for no pipe, and needs a folder', async () => {
  const elsewhere = join(root, 'elsewhere');
  await writeFile(elsewhere, 'mine');
  await symlink(elsewhere, path);
  expect([writeHead(workspace, BATCH, HEAD), headOf(workspace, BATCH)]).toEqual([false, null]);
  expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  await rm(path);
  execFileSync('mkfifo', [path]);
  expect([writeHead(workspace, BATCH, HEAD), headOf(workspace, BATCH)]).toEqual([false, null]);
  await rm(processingFolder(workspace, BATCH), { recursive: true });
  expect([writeHead(workspace, BATCH, HEAD), headOf(workspace, BATCH)]).toEqual([false, null]);
});
