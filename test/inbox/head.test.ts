// The head of a batch follows its commits, says nothing where it cannot be read, follows nothing that a stranger put in its place, and is not written over by
// a ledger that does not hold it.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { BatchFolderFault } from '../../src/inbox/batch-note.ts';
import { Heads, headOf, removeHead } from '../../src/inbox/head.ts';
import { openWorkspace, processingFolder, type Workspace } from '../../src/inbox/workspace.ts';

const BATCH = '20261130-0123abcd';
const LEDGER = crypto.randomUUID();
const seal = (to: number | null) => ({ to, hash: String(to).padEnd(43, 'x') });

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

/** The heads of a process whose history holds these. */
function headsOf(held: readonly (number | null)[], id = LEDGER) {
  const asked: (number | null)[] = [];
  const holds = (_: string, { to, hash }: { readonly to: number | null; readonly hash: string }) => {
    asked.push(to);
    return Promise.resolve(held.some((each) => each === to && seal(each).hash === hash));
  };
  const heads = new Heads(workspace, { id, history: { holds } });
  const write = async (...all: readonly (number | null)[]) => {
    for (const to of all) heads.note(BATCH, seal(to));
    await heads.settled();
    return headOf(workspace, BATCH);
  };
  return { write, asked };
}

it('is the last one that was noted, as private as the rest', async () => {
  expect(await headOf(workspace, BATCH)).toBeNull();
  const { write } = headsOf([]);
  expect(await write(1_000_000, 7)).toEqual({ ledger: LEDGER, ...seal(7) });
  expect(await write(8)).toEqual({ ledger: LEDGER, ...seal(8) });
  expect(await write(null)).toEqual({ ledger: LEDGER, ...seal(null) });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ ledger: LEDGER, ...seal(null) });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('is taken over by a process whose history holds it, which asks for that once', async () => {
  await headsOf([]).write(3);
  const { write, asked } = headsOf([3]);
  expect(await write(4)).toEqual({ ledger: LEDGER, ...seal(4) });
  expect(await write(5)).toEqual({ ledger: LEDGER, ...seal(5) });
  expect(asked).toEqual([3]);
});

it('stays where a ledger does not hold it, however much that one commits, until a rebuild takes it away', async () => {
  await headsOf([]).write(9);
  const older = headsOf([1, 2]);
  expect(await older.write(3)).toEqual({ ledger: LEDGER, ...seal(9) });
  expect(await older.write(4)).toEqual({ ledger: LEDGER, ...seal(9) });
  await removeHead(workspace, BATCH);
  expect(await headOf(workspace, BATCH)).toBeNull();
  expect(await older.write(5)).toEqual({ ledger: LEDGER, ...seal(5) });
});

it('gives way to that of another ledger, of which the manifest tells', async () => {
  await headsOf([]).write(9);
  const other = crypto.randomUUID();
  expect(await headsOf([], other).write(1)).toEqual({ ledger: other, ...seal(1) });
});

it.each(['', '{', '{"ledger":"a"}', '\0'.repeat(256), '[]'])(
  '%j says nothing, and makes room',
  async (text) => {
    await writeFile(path, text);
    expect(await headOf(workspace, BATCH)).toBeNull();
    expect(await headsOf([]).write(1)).toEqual({ ledger: LEDGER, ...seal(1) });
  },
);

it('that another process wrote since is asked for anew, and stays where that one is not held', async () => {
  const [one, other] = [headsOf([1, 2]), headsOf([1])];
  expect(await one.write(1)).toEqual({ ledger: LEDGER, ...seal(1) });
  expect(await other.write(2)).toEqual({ ledger: LEDGER, ...seal(2) });
  // What another process wrote since is asked for again: this one may have gone back since then.
  expect(await headsOf([]).write(7)).toEqual({ ledger: LEDGER, ...seal(2) });
  expect(await other.write(3)).toEqual({ ledger: LEDGER, ...seal(3) });
  expect(await one.write(4)).toEqual({ ledger: LEDGER, ...seal(3) });
});

it('follows no link, waits for no pipe, and stays where it cannot be read', async () => {
  const elsewhere = join(root, 'elsewhere');
  await writeFile(elsewhere, 'mine');
  await symlink(elsewhere, path);
  const { write } = headsOf([]);
  await expect(write(1)).rejects.toThrow(BatchFolderFault);
  expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  await rm(path);
  execFileSync('mkfifo', [path]);
  await expect(write(2)).rejects.toThrow(BatchFolderFault);
  await rm(processingFolder(workspace, BATCH), { recursive: true });
  expect(await write(3)).toBeNull();
});
