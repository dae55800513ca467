// The embedded sandbox of a workspace: its state survives each run, so that an interrupted file can be resumed against it.
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { isProcessAlive } from '../../ledger/open-ledger.ts';
import { sentence } from '../../messages/messages.ts';
import { SandboxFileWrong } from '../../sandbox/faults.ts';
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../sandbox/start-sandbox.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';

/**
 * Starts it on a free port. Throws `ConfigUnusable` while another process has it open: two would overwrite each other's books.
 * @param sendsNothing then it is one without books, where another process has them.
 */
export async function openEmbeddedSandbox(
  root: string,
  clock: Clock,
  log: Log,
  sendsNothing: boolean,
): Promise<RunningSandbox> {
  const lockPath = join(root, 'sandbox.lock');
  if (!(await lock(lockPath))) {
    if (sendsNothing) return startTold({ clock, log });
    throw new ConfigUnusable(sentence('sandbox.inUse'));
  }
  try {
    const sandbox = await startTold({
      statePath: join(root, 'sandbox.state'),
      allowHttpCallbacks: true,
      clock,
      log,
    });
    return { ...sandbox, close: () => sandbox.close().finally(() => rm(lockPath, { force: true })) };
  } catch (error) {
    await rm(lockPath, { force: true });
    throw error;
  }
}

/** Throws `ConfigUnusable` if its state or its faults cannot be read. */
export async function startTold(options: SandboxOptions): Promise<RunningSandbox> {
  try {
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof SandboxFileWrong)) throw error;
    throw new ConfigUnusable(sentence('sandbox.fileWrong', error), { cause: error });
  }
}

/** False while another process has it. */
async function lock(path: string): Promise<boolean> {
  const holder = Number(await readFile(path, 'utf8').catch(() => '0'));
  // The lock of a killed process belongs to nobody.
  if (holder === 0 || !isProcessAlive(holder)) await rm(path, { force: true });
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return false;
  }
}
