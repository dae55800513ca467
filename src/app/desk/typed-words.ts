// The files of a command line: each must be there and be a file before anything starts.
import { stat } from 'node:fs/promises';

import { sentence } from '../../messages/messages.ts';
import { NAME_ORDERS } from '../../rows/cell.ts';
import { DELIMITERS, ENCODINGS } from '../../rows/form.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';

/** Throws `ConfigUnusable` for the first that is missing or a folder. */
export async function checkPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const stats = await stat(path).catch(() => null);
    if (stats === null) throw new ConfigUnusable(sentence('path.missing', { path }));
    if (stats.isDirectory()) throw new ConfigUnusable(sentence('path.folder', { path }));
    if (!stats.isFile()) throw new ConfigUnusable(sentence('path.noFile', { path }));
  }
}

// What a person may say of a file's form on the command line. It stands by itself, so that `--help` need not load what obeys it.

export const DELIMITER_CHOICES: readonly string[] = [...DELIMITERS.filter((each) => each !== '\t'), 'tab'];
export const ENCODING_CHOICES: readonly string[] = ENCODINGS;
export const NAME_ORDER_CHOICES: readonly string[] = NAME_ORDERS;
