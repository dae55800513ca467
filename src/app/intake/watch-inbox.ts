// Tells that something happens in the inbox, so that nobody waits for the next look. Only a hint: what it misses the look finds.
import { stat } from 'node:fs/promises';

import { watch as watchFiles } from 'chokidar';

import type { Words } from '../../base/language.ts';
import type { Log } from '../../base/log.ts';
import { lookForStop, stopAwayWords, stopFileWords } from '../../inbox/stop-file.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import { sentence } from '../../messages/messages.ts';

/** Calls `onChange` at every change; gives what ends that. */
export function watchInbox(inbox: string, log: Log, onChange: () => void): () => Promise<void> {
  const watcher = watchFiles(inbox, { ignoreInitial: true, followSymlinks: false, persistent: true });
  watcher.on('all', onChange);
  // A folder that vanishes, or too many of them to watch: the looks go on.
  watcher.on('error', (error) =>
    log.warn('inbox cannot be watched', { reason: error instanceof Error ? error.name : 'unknown' }),
  );
  return () => watcher.close();
}

// An inbox that cannot be read, or that lies on another disk than when we started, is no inbox without work: most likely a share is not mounted.

type PresenceLook<T> = { readonly fault: Words } | { readonly fault: null; readonly seen: T };

export class InboxPresence {
  readonly #workspace: Pick<Workspace, 'root' | 'inbox'>;
  #device: number | null = null;

  constructor(workspace: Pick<Workspace, 'root' | 'inbox'>) {
    this.#workspace = workspace;
  }

  /** What is wrong with it, in words; null when it is there. The disk on which it is seen first is the right one. */
  async fault(): Promise<Words | null> {
    const { inbox } = this.#workspace;
    const found = await stat(inbox).catch(() => null);
    if (found?.isDirectory() !== true) return this.#stopWords() ?? goneWords(inbox);
    this.#device ??= found.dev;
    if (found.dev !== this.#device) return this.#stopWords() ?? movedWords(inbox);
    // Nothing may be under way for now that would look for it before the inbox goes away.
    orNull(() => lookForStop(this.#workspace));
    return null;
  }

  /** What a look at it saw, or what is wrong with it; also where it is taken away in the midst of the look. */
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

  /** A share that answers with an error shows no STOP, but may have shown one. */
  #stopWords(): Words | null {
    return orNull(() => stopFileWords(this.#workspace)) ?? orNull(() => stopAwayWords(this.#workspace));
  }
}

/** Whoever pays looks for STOP again, and does not pay when that fails. */
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
