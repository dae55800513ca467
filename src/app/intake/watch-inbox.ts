// Tells that something happens in the inbox, so that nobody waits for the next look. Only a hint: what it misses the look finds.
import { watch as watchFiles } from 'chokidar';

import type { Log } from '../../base/log.ts';

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
