// Reports every file and folder that is created below a folder, at once, and without the platform's recursive watch, which Linux lacks.
import { readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

export type NewPaths = { readonly close: () => void };

/** Calls `onPath` with paths relative to `root`. What stands there already is not told, only watched. */
export function watchNewPaths(root: string, onPath: (path: string) => void): NewPaths {
  const watchers = new Map<string, FSWatcher>();
  const known = new Set<string>();
  const look = (folder: string, tell: boolean): void => {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!known.has(path)) {
        known.add(path);
        if (tell) onPath(path);
      }
      if (entry.isDirectory()) follow(path, tell);
    }
  };
  const follow = (folder: string, tell: boolean): void => {
    if (watchers.has(folder)) return;
    try {
      watchers.set(
        folder,
        watch(join(root, folder), (_event, name) => {
          // A rewritten answer comes to be once more.
          if (name !== null) known.delete(folder === '' ? name : `${folder}/${name}`);
          look(folder, true);
        }),
      );
    } catch (error) {
      // Moved to the archive between our look and now.
      if (!isGone(error)) throw error;
    }
    look(folder, tell);
  };
  follow('', false);
  return {
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
