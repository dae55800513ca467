// A profile as it stands in its YAML file, and what it becomes. Everything that cannot be meant is refused when it is read, not when it would matter.
import { z } from 'zod';

import type { Words } from '../../base/language.ts';
import { DELIMITERS, ENCODINGS } from '../../rows/form.ts';
import { AMOUNT_COLUMNS, canonicalOf, foldHeader } from '../../rows/known-columns.ts';
import type { Profile } from '../../rows/profile.ts';
import { SPLIT_RULES } from '../../rows/cell.ts';
import { filePattern } from './file-pattern.ts';
import { policyOverrides, type PolicyOverrides } from './policy.ts';
import { parseYaml } from './yaml-file.ts';
import { sentence } from '../../messages/messages.ts';
import { saysOf } from './config-unusable.ts';

/** A profile, the files that it is for, and how they are treated. */
export type FileProfile = {
  readonly profile: Profile;
  /** Patterns of file names; one is enough. */
  readonly files: readonly string[];
  /** The folder that the file lies in, as the end of its path; null for any. */
  readonly folder: string | null;
  readonly policy: PolicyOverrides;
  /** True when the file's folder has changed that policy. */
  readonly isFolderPolicy?: boolean;
  /** The YAML itself, which is kept beside each file that was read by it. */
  readonly text: string;
};

/** What `columns` says of a column that is not to be looked at. */
export const IGNORE = 'ignore';

/** What tells one payment from another is the row's own to say. */
const NEVER_CONSTANT: readonly string[] = [...AMOUNT_COLUMNS, 'reference'];

const column = z.string().transform((text, context) => {
  if (text === IGNORE) return null;
  const canonical = canonicalOf(text);
  if (canonical !== null && !canonical.startsWith('payout.')) return canonical;
  return refused(context, text, sentence('config.profile.noColumn', { text, ignore: IGNORE }));
});

const constants = z.record(z.string(), z.string()).transform((record, context) => {
  const entries = Object.entries(record).map(([name, value]) => [canonicalOf(name), value, name] as const);
  for (const [canonical, , name] of entries)
    if (canonical === null || canonical.startsWith('payout.') || NEVER_CONSTANT.includes(canonical))
      return refused(context, name, constantFault(name, canonical));
  return new Map(entries.map(([canonical, value]) => [canonical ?? '', value]));
});

function constantFault(name: string, canonical: string | null): Words {
  if (canonical === null) return sentence('config.profile.noConstant', { name });
  return sentence('config.profile.eachOwn', { canonical });
}

const values = z.record(z.string(), z.record(z.string(), z.string())).transform((record, context) => {
  const found = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, words] of Object.entries(record)) {
    const canonical = canonicalOf(name);
    if (canonical === null || NEVER_CONSTANT.includes(canonical))
      return refused(context, name, sentence('config.profile.noValues', { name }));
    const folded = foldedMap(words);
    if (folded === null) return refused(context, name, sentence('config.profile.valuesTwice', { name }));
    found.set(canonical, folded);
  }
  return found;
});

/** A column that two others may be made of, or that another may speak for. */
const said = z.string().transform((text, context) => {
  const canonical = canonicalOf(text);
  if (canonical !== null && !canonical.startsWith('payout.') && !NEVER_CONSTANT.includes(canonical))
    return canonical;
  return refused(context, text, sentence('config.profile.notTaken', { text }));
});

const split = z
  .record(z.string(), z.strictObject({ into: z.tuple([said, said]), by: z.enum(SPLIT_RULES) }))
  .transform((record, context) => {
    const into = Object.values(record).flatMap((each) => each.into);
    if (new Set(into).size < into.length) return refused(context, '', sentence('config.profile.splitTwice'));
    return foldedMap(record) ?? refused(context, '', sentence('config.profile.headersTwice'));
  });

const same = z.record(z.string(), said).transform((record, context) => {
  const found = new Map<string, string>();
  for (const [name, other] of Object.entries(record)) {
    const canonical = canonicalOf(name);
    if (canonical === null || canonical.startsWith('payout.') || NEVER_CONSTANT.includes(canonical))
      return refused(context, name, sentence('config.profile.notTaken', { text: name }));
    found.set(canonical, other);
  }
  const chained = [...found].find(([canonical, other]) => canonical === other || found.has(other));
  if (chained !== undefined)
    return refused(context, chained[0], sentence('config.profile.chained', { column: chained[1] }));
  return found;
});

const columns = z.record(z.string(), column).transform((record, context) => {
  return foldedMap(record) ?? refused(context, '', sentence('config.profile.headersTwice'));
});

const delimiter = z
  .enum([...DELIMITERS, 'tab', 'auto'])
  .transform((text) => (text === 'tab' ? '\t' : text))
  .prefault('auto');

const schema = z.strictObject({
  files: z.union([filePattern, z.array(filePattern).min(1)]).prefault('*'),
  folder: z.string().min(1).nullable().default(null),
  columns: columns.prefault({}),
  constants: constants.prefault({}),
  values: values.prefault({}),
  split: split.prefault({}),
  same: same.prefault({}),
  delimiter,
  encoding: z.enum([...ENCODINGS, 'auto']).default('auto'),
  decimalMark: z.enum(['.', ',', 'auto']).default('auto'),
  sheet: z.string().min(1).nullable().default(null),
  layout: z.array(z.string()).min(1).nullable().default(null),
  policy: policyOverrides.prefault({}),
});

/** Reads a profile; `name` is what people call it, `place` what messages call its file. Throws `ConfigUnusable`. */
export function parseProfile(text: string, name: string, place: Words): FileProfile {
  const { files, folder, policy, ...rest } = parseYaml(text, place, schema);
  const patterns = typeof files === 'string' ? [files] : files;
  return { profile: { name, ...rest }, files: patterns, folder, policy, text };
}

function foldedMap<T>(record: Readonly<Record<string, T>>): ReadonlyMap<string, T> | null {
  const folded = new Map(Object.entries(record).map(([name, value]) => [foldHeader(name), value]));
  return folded.size === Object.keys(record).length ? folded : null;
}

function refused(context: z.core.$RefinementCtx, input: unknown, words: Words): never {
  context.issues.push({ ...saysOf(words), input });
  return z.NEVER;
}
