// The files of a command line: each must be there and be a file before anything starts.
import { stat } from 'node:fs/promises';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { NAME_ORDERS } from '../../rows/cell.ts';
import { DELIMITERS, ENCODINGS } from '../../rows/form.ts';

/** Throws `ConfigUnusable` for the first that is missing or a folder. */
export async function checkPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const fault = await faultOf(path);
    if (fault === null) continue;
    // Only now: what reads a config is loaded by nobody who merely asks for help.
    const { ConfigUnusable } = await import('../config/yaml-file.ts');
    throw new ConfigUnusable(fault);
  }
}

async function faultOf(path: string): Promise<Words | null> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) return sentence('path.missing', { path });
  if (stats.isDirectory()) return sentence('path.folder', { path });
  return stats.isFile() ? null : sentence('path.noFile', { path });
}

// What a person may say of a file's form on the command line. It stands by itself, so that `--help` need not load what obeys it.

export const DELIMITER_CHOICES: readonly string[] = [...DELIMITERS.filter((each) => each !== '\t'), 'tab'];
export const ENCODING_CHOICES: readonly string[] = ENCODINGS;
export const NAME_ORDER_CHOICES: readonly string[] = NAME_ORDERS;
