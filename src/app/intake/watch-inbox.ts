// Notices activity in the inbox, so that nobody waits for the next look. It is only a hint: the look finds what it misses.
import { stat } from 'node:fs/promises';

import { watch as watchFiles } from 'chokidar';

import type { Words } from '../../base/language.ts';
import type { Log } from '../../base/log.ts';
import { lookForStop, stopAwayWords, stopFileWords } from '../../inbox/stop-file.ts';
import { missingFolder, type Workspace } from '../../inbox/workspace.ts';
import { sentence } from '../../messages/messages.ts';

/** Calls `onChange` at every change; returns the function that stops that. */
export function watchInbox(inbox: string, log: Log, onChange: () => void): () => Promise<void> {
  const watcher = watchFiles(inbox, { ignoreInitial: true, followSymlinks: false, persistent: true });
  watcher.on('all', onChange);
  // A folder has vanished, or there are too many to watch: the looks continue.
  watcher.on('error', (error) =>
    log.warn('inbox cannot be watched', { reason: error instanceof Error ? error.name : 'unknown' }),
  );
  return () => watcher.close();
}

// An inbox that cannot be read, or is on another disk than at the start, is not an empty inbox: most likely a share is not mounted.

type PresenceLook<T> = { readonly fault: Words } | { readonly fault: null; readonly seen: T };

type Folders = Pick<Workspace, 'root' | 'inbox' | 'outbox' | 'archive' | 'refused'>;

export class InboxPresence {
  readonly #workspace: Folders;
  #device: number | null = null;

  constructor(workspace: Folders) {
    this.#workspace = workspace;
  }

  /** The fault in words; null when the inbox is there. The first disk on which it is seen is the right one. */
  async fault(): Promise<Words | null> {
    const { inbox } = this.#workspace;
    const found = await stat(inbox).catch(() => null);
    if (found?.isDirectory() !== true) return this.#stopWords() ?? goneWords(inbox);
    this.#device ??= found.dev;
    if (found.dev !== this.#device) return this.#stopWords() ?? movedWords(inbox);
    // What is taken could not be answered, or put away.
    const missing = await missingFolder(this.#workspace);
    if (missing !== null) return sentence('inboxPresence.folder', { folder: missing });
    // Without this look, a STOP might go unseen before the inbox goes away, if no batch is in progress.
    orNull(() => lookForStop(this.#workspace));
    return null;
  }

  /** The result of a look at the inbox, or its fault; also if the inbox disappears during the look. */
  async look<T>(look: () => Promise<T>): Promise<PresenceLook<T>> {
    const missing = await this.fault();
    if (missing !== null) return { fault: missing };
    try {
      return { fault: null, seen: await look() };
    } catch (error) {
      const fault = await this.fault();
      if (fault === null) throw error;
      return { fault };
    }
  }

  /** A share that answers with an error shows no STOP now, but may have shown one. */
  #stopWords(): Words | null {
    return orNull(() => stopFileWords(this.#workspace)) ?? orNull(() => stopAwayWords(this.#workspace));
  }
}

/** A process that pays looks for STOP again, and does not pay when that fails. */
function orNull<T>(look: () => T | null): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

function goneWords(inbox: string): Words {
  return sentence('inboxPresence.gone', { inbox });
}

function movedWords(inbox: string): Words {
  return sentence('inboxPresence.moved', { inbox });
}
