// Ways in which a ledger gets lost between two runs: deleted, cut short, overwritten, or an older copy put back.
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, open, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

import type { Started } from './processes.ts';
import type { Dice } from './seeded.ts';

const FILES = ['ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm'] as const;

export const LOSSES = ['deleted', 'cut short', 'overwritten', 'not a database', 'older copy'] as const;
export type Loss = (typeof LOSSES)[number];

/** Copies the ledger as it stands; false when there is none yet. No process may be using it. */
export async function copyLedger(workspace: string, to: string): Promise<boolean> {
  if (!(await exists(join(workspace, FILES[0])))) return false;
  for (const name of FILES) {
    await rm(join(to, name), { force: true });
    if (await exists(join(workspace, name))) await copyFile(join(workspace, name), join(to, name));
  }
  return true;
}

/** The same in the midst of a go: its process stands still meanwhile, and then goes on. */
export function copyInMidst({ pid, signal }: Started, workspace: string, to: string): void {
  if (!existsSync(join(workspace, FILES[0]))) return;
  signal('SIGSTOP');
  try {
    while (/^\d+ \(.*\) [^TtZX]/.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8')));
    for (const name of FILES) {
      rmSync(join(to, name), { force: true });
      if (existsSync(join(workspace, name))) copyFileSync(join(workspace, name), join(to, name));
    }
  } catch (error) {
    // It has ended.
    if (!(error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))))
      throw error;
  } finally {
    signal('SIGCONT');
  }
}

/** Loses the ledger; an older copy is taken from `copies`. */
export async function loseLedger(workspace: string, loss: Loss, copies: string, dice: Dice): Promise<void> {
  const path = join(workspace, FILES[0]);
  if (!(await exists(path))) return;
  switch (loss) {
    case 'deleted':
      return removeLedger(workspace);
    case 'cut short':
      return truncate(path, Math.floor((await stat(path)).size * dice.roll()));
    case 'overwritten':
      return overwrite(path, dice);
    case 'not a database':
      return overwriteAt(path, 0, Buffer.from('This was a ledger once, and is a letter now.'));
    case 'older copy':
      await removeLedger(workspace);
      for (const name of FILES)
        if (await exists(join(copies, name))) await copyFile(join(copies, name), join(workspace, name));
  }
}

async function removeLedger(workspace: string): Promise<void> {
  for (const name of FILES) await rm(join(workspace, name), { force: true });
}

/** Moves the ledger aside, as a person does who was told to. */
export async function moveLedgerAside(workspace: string): Promise<void> {
  for (const name of FILES)
    if (await exists(join(workspace, name)))
      await rename(join(workspace, name), join(workspace, `${name}.aside`));
}

/** A block of noise somewhere behind the header, as a failing disk leaves it. */
async function overwrite(path: string, dice: Dice): Promise<void> {
  const { size } = await stat(path);
  const noise = Buffer.from(Array.from({ length: 4_096 }, () => dice.below(256)));
  await overwriteAt(path, Math.max(100, Math.floor(size * dice.roll()) - noise.length), noise);
}

async function overwriteAt(path: string, position: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, position);
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
