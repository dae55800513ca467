// Where a command may write what it was asked for: never over a file that somebody may have filled in or passed on.
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { sentence } from '../../messages/messages.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';

/** Throws `ConfigUnusable`. */
export async function assertPlace(path: string, mayReplace: boolean): Promise<void> {
  const [found, folder] = await Promise.all(
    [path, dirname(path)].map((each) => stat(each).catch(() => null)),
  );
  if (folder?.isDirectory() !== true)
    throw new ConfigUnusable(sentence('template.place.noFolder', { folder: dirname(path) }));
  if (found?.isDirectory() === true) throw new ConfigUnusable(sentence('template.place.folder', { path }));
  if (found?.isFile() === true && !mayReplace)
    throw new ConfigUnusable(sentence('template.place.exists', { path }));
}
