// A pause, beside the file: a ledger that is made anew must not let a daemon go on with what a person had stopped. Where pause and resume meet, or
// are cut short, the mark rather stays than goes: "resume" lifts one that nobody meant.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { processingFolder, type Workspace } from '../../../inbox/workspace.ts';

const NAME = '.paused.json';

/** Durable when it resolves. A batch that is archived at this moment needs none. */
export async function keepPause(workspace: Workspace, batch: string): Promise<void> {
  await publishFile(markOf(workspace, batch), ['{}']).catch(unlessGone);
}

/** To be called before the ledger lifts it. */
export async function forgetPause(workspace: Workspace, batch: string): Promise<void> {
  await rm(markOf(workspace, batch), { force: true, recursive: true });
}

/** What has ended, and lies in the archive, is paused no more. */
export function isPauseKept(workspace: Workspace, batch: string): boolean {
  return existsSync(markOf(workspace, batch));
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function markOf(workspace: Workspace, batch: string): string {
  return join(processingFolder(workspace, batch), NAME);
}
