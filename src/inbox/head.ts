// The head of a batch: where its last commit stands in the history of the ledger, in one small file beside the batch's own. It follows each commit that has
// reached the disk, and is not synced itself: after a kill or a power cut it may lag, and then it only knows less. A ledger whose history does not hold it is
// an older copy, also one from the midst of a go; such a ledger never writes over it, only a rebuild takes it away.
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { syncFolder } from '../base/atomic-file.ts';
import { systemClock } from '../base/clock.ts';
import { sentence } from '../messages/messages.ts';
import { readNoteText } from './batch-note.ts';
import { folderNow } from './manifest.ts';
import type { Workspace } from './workspace.ts';

const NOTE = { name: 'head.json', holds: sentence('manifest.holds') };

const schema = z.object({ ledger: z.string(), to: z.int().nullable(), hash: z.string() });
/** The id of the ledger, and in its history the last group of the batch: the last row that it tells of, and its hash. */
type BatchHead = Readonly<z.output<typeof schema>>;
type Seal = Omit<BatchHead, 'ledger'>;

/** As long in every commit, so that one write replaces all of it. */
const BYTES = 256;

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Nothing waits for a pipe or follows a link that stands there. */
const FLAGS = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/** Null where there is none, or none that was written whole: nothing is known then. Throws `BatchFolderFault` where it cannot be read. */
export async function headOf(workspace: Workspace, batch: string): Promise<BatchHead | null> {
  const folder = folderNow(workspace, batch);
  const text = folder === null ? null : await readNoteText(folder, NOTE);
  return text === null ? null : parsed(text);
}

function parsed(text: string): BatchHead | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** For a batch that is rebuilt: from here on its head is that of the ledger that does so. Durable, so that a power cut brings no old one back. */
export async function removeHead(workspace: Workspace, batch: string): Promise<void> {
  const path = pathOf(workspace, batch);
  if (path === null) return;
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

function pathOf(workspace: Workspace, batch: string): string | null {
  const folder = folderNow(workspace, batch);
  return folder === null ? null : join(folder, NOTE.name);
}

/** A head may lag so far behind the commits: none is written more often. */
const PAUSE_MS = 25;

/** The history in which heads stand. */
type Held = {
  readonly id: string;
  readonly history: { readonly holds: (batch: string, seal: Seal) => Promise<boolean> };
};

/** Writes the heads of a process: of each batch the last, one after the other, while the process goes on. */
export class Heads {
  readonly #workspace: Workspace;
  readonly #ledger: Held;
  readonly #toWrite = new Map<string, Seal>();
  /** By batch, the hash in the head that this process wrote last: another one may have written since. */
  readonly #written = new Map<string, string>();
  #working = Promise.resolve();
  #isWorking = false;
  #hurry = new AbortController();

  constructor(workspace: Workspace, ledger: Held) {
    this.#workspace = workspace;
    this.#ledger = ledger;
  }

  /** A commit about the batch has reached the disk. Never throws. */
  note(batch: string, seal: Seal): void {
    this.#toWrite.set(batch, seal);
    if (!this.#isWorking) this.#working = this.#work();
  }

  /** Resolves once all that was noted is written, or cannot be. */
  async settled(): Promise<void> {
    this.#hurry.abort();
    await this.#working;
    this.#hurry = new AbortController();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#toWrite.size > 0) {
      const noted = [...this.#toWrite];
      this.#toWrite.clear();
      // A disk that does not take it leaves the one before, which knows less and says nothing wrong.
      for (const [batch, seal] of noted)
        await this.#write(batch, seal).catch(() => this.#written.delete(batch));
      await systemClock.sleep(PAUSE_MS, this.#hurry.signal);
    }
    this.#isWorking = false;
  }

  async #write(batch: string, seal: Seal): Promise<void> {
    const path = pathOf(this.#workspace, batch);
    if (path === null || !(await this.#mayReplace(batch))) return;
    const text = JSON.stringify({
      ledger: this.#ledger.id,
      to: seal.to,
      hash: seal.hash,
    } satisfies BatchHead);
    const file = await open(path, FLAGS, 0o600);
    try {
      const { bytesWritten } = await file.write(`${text.padEnd(BYTES - 1)}\n`, 0);
      if (bytesWritten === BYTES) this.#written.set(batch, seal.hash);
    } finally {
      await file.close();
    }
  }

  /** A head of this very ledger that its history does not hold is the witness of what was lost. One that cannot be read stays. */
  async #mayReplace(batch: string): Promise<boolean> {
    const head = await headOf(this.#workspace, batch);
    if (head?.ledger !== this.#ledger.id || head.hash === this.#written.get(batch)) return true;
    return this.#ledger.history.holds(batch, head);
  }
}
