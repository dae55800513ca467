// The head of a batch: where its last commit stands in the history of the ledger, in one small file beside the batch's own. It follows each commit once that
// has reached the disk, and is not synced itself: after a power cut it may lag, and then it only knows less. A ledger whose history does not hold it is an
// older copy, also one from the midst of a go.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { folderNow } from './manifest.ts';
import type { Workspace } from './workspace.ts';

const NAME = 'head.json';

const schema = z.object({ ledger: z.string(), to: z.int().nullable(), hash: z.string() });
/** The id of the ledger, and in its history the last group of the batch: the last row that it tells of, and its hash. */
type BatchHead = Readonly<z.output<typeof schema>>;

/** As long in every commit, so that one write replaces all of it. */
const BYTES = 256;

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** Nothing waits for a pipe or follows a link that stands there. */
const PLAIN = O_NOFOLLOW | O_NONBLOCK;

/** False where the batch has no folder, or the disk does not take it: the one before stays, which knows less and says nothing wrong. */
export function writeHead(workspace: Workspace, batch: string, head: BatchHead): boolean {
  const folder = folderNow(workspace, batch);
  if (folder === null) return false;
  const text = JSON.stringify(head).padEnd(BYTES - 1);
  try {
    return inFile(folder, O_WRONLY | O_CREAT, (file) => writeSync(file, `${text}\n`, 0)) === BYTES;
  } catch {
    return false;
  }
}

/** Null where there is none, or none that can be read: nothing is known then. */
export function headOf(workspace: Workspace, batch: string): BatchHead | null {
  const folder = folderNow(workspace, batch);
  if (folder === null) return null;
  const bytes = Buffer.alloc(BYTES);
  try {
    const read = inFile(folder, O_RDONLY, (file) => readSync(file, bytes, 0, BYTES, 0));
    return schema.parse(JSON.parse(bytes.toString('utf8', 0, read)));
  } catch {
    return null;
  }
}

function inFile<T>(folder: string, flags: number, work: (file: number) => T): T {
  const file = openSync(join(folder, NAME), flags | PLAIN, 0o600);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
