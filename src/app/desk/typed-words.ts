// Arguments of the command line: files, which must exist and be files before anything starts, rows, and what is said of a file's columns.
import { stat } from 'node:fs/promises';

import type { Words } from '../../base/language.ts';
import type { Records } from '../parts.ts';
import type { SaidOfFile } from './try-profile.ts';
import { sentence } from '../../messages/messages.ts';
import { SPLIT_RULES } from '../../contract/words.ts';
import { DELIMITERS, ENCODINGS } from '../../rows/form.ts';
import { SCALES } from '../../rows/units.ts';

/** Throws `ConfigUnusable` for the first one that is missing or a folder. */
export async function checkPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const fault = await faultOf(path);
    if (fault === null) continue;
    // Imported only here, so that `--help` does not load the reader of the config.
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

// The rows of a command line, as screens print them.

/**
 * The rows of a batch that a list such as `3,7-9` names; `unknown`: the parts that name none; null when there is no such batch. A row's own name
 * takes precedence over a range.
 */
export async function namedRows(
  { ledger }: Pick<Records, 'ledger'>,
  batch: string,
  list: string,
): Promise<{ readonly rows: ReadonlySet<string>; readonly unknown: readonly string[] } | null> {
  if ((await ledger.batch(batch)) === null) return null;
  const { batchRows } = await import('../../ledger/batch-rows.ts');
  const parts = new Set(list.split(',').map((part) => part.trim()));
  const ranges = [...parts].flatMap(rangeOf);
  const rows = new Set<string>();
  const found = new Set<string>();
  for await (const { row } of batchRows(ledger, batch)) {
    const named = parts.has(row) ? [row] : ranges.filter(({ holds }) => holds(row)).map(({ part }) => part);
    if (named.length > 0) rows.add(row);
    for (const part of named) found.add(part);
  }
  return { rows, unknown: [...parts].filter((part) => !found.has(part)) };
}

function rangeOf(
  part: string,
): readonly { readonly part: string; readonly holds: (row: string) => boolean }[] {
  const { from, to } = /^(?<from>\d+)\s*[-–]\s*(?<to>\d+)$/.exec(part)?.groups ?? {};
  if (from === undefined || to === undefined) return [];
  const holds = (row: string): boolean =>
    /^\d+$/.test(row) && Number(row) >= Number(from) && Number(row) <= Number(to);
  return [{ part, holds }];
}

// What a person may say on the command line about a file's form. It is separate, so that `--help` need not load the code that applies it.

export const DELIMITER_CHOICES: readonly string[] = [...DELIMITERS.filter((each) => each !== '\t'), 'tab'];
export const ENCODING_CHOICES: readonly string[] = ENCODINGS;
export const SCALE_CHOICES = SCALES;

// How the columns of a file are read, as it is typed: `this=that`, once for each.

export type TypedOfFile = Omit<SaidOfFile, 'columns' | 'constants' | 'values' | 'split' | 'same'> & {
  /** `Header=column`, each. */
  readonly column: readonly string[];
  /** `column=value`, each. */
  readonly constant: readonly string[];
  /** `word=value`, each. */
  readonly value: readonly string[];
  /** `Header=column,column,rule`, each. */
  readonly split: readonly string[];
  /** `column=other column`, each. */
  readonly same: readonly string[];
};

/** Throws `ConfigUnusable`. */
export async function saidOf({
  column,
  constant,
  value,
  split,
  same,
  ...form
}: TypedOfFile): Promise<SaidOfFile> {
  const { ConfigUnusable } = await import('../config/yaml-file.ts');
  const parted = (text: string, at: number): readonly [string, string] => {
    if (at > 0 && at < text.length - 1) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    throw new ConfigUnusable(sentence('profile.noEquals', { text }));
  };
  // A header and a word may contain the sign, a column of ours does not.
  const atLast = (text: string) => parted(text, text.lastIndexOf('='));
  const atFirst = (text: string) => parted(text, text.indexOf('='));
  const splits = split.map(atLast).map(([header, parts]) => {
    const [first = '', second = '', by, ...more] = parts.split(',').map((part) => part.trim());
    if (by !== undefined && more.length === 0) return [header, { into: [first, second], by }] as const;
    throw new ConfigUnusable(sentence('profile.splitHow', { header, rules: SPLIT_RULES.join(', ') }));
  });
  return {
    ...form,
    columns: Object.fromEntries(column.map(atLast)),
    constants: Object.fromEntries(constant.map(atFirst)),
    values: value.map(atLast),
    split: Object.fromEntries(splits),
    same: Object.fromEntries(same.map(atFirst)),
  };
}
