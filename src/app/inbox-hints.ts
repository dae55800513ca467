// Tells that something happens in the inbox, so that nobody waits for the next look. Only a hint: what it misses the look finds.
import { watch as watchFiles } from 'chokidar';

import type { Log } from '../base/log.ts';

export type InboxHints = {
  /** Resolves at the next change. */
  readonly next: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export function inboxHints(inbox: string, log: Log): InboxHints {
  let wake = (): void => undefined;
  let next = new Promise<void>((resolve) => (wake = resolve));
  const watcher = watchFiles(inbox, { ignoreInitial: true, followSymlinks: false, persistent: true });
  watcher.on('all', () => {
    wake();
    next = new Promise<void>((resolve) => (wake = resolve));
  });
  // A folder that vanishes, or too many of them to watch: the looks go on.
  watcher.on('error', (error) =>
    log.warn('inbox cannot be watched', { reason: error instanceof Error ? error.name : 'unknown' }),
  );
  return { next: () => next, close: () => watcher.close() };
}
