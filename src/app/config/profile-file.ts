// A profile in its YAML file, and the rules that it becomes. A rule that nobody can mean is refused when it is read, not when it would matter.
import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { braceExpand } from 'minimatch';
import { z } from 'zod';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { NAME_ORDERS, SPLIT_RULES } from '../../contract/words.ts';
import { hasFormOfIban, isIban } from '../../rows/cell.ts';
import { DELIMITERS, ENCODINGS } from '../../rows/form.ts';
import { IGNORABLE, PURPOSE_ELEMENTS, USUAL_MESSAGE } from '../../rows/format.ts';
import { HEADER_WITHIN_ROWS } from '../../rows/header.ts';
import { AMOUNT_COLUMNS, canonicalOf, foldHeader } from '../../rows/known-columns.ts';
import type { Profile } from '../../rows/profile.ts';
import { ROW_ANSWERS, type RowAnswer } from '../../rows/row.ts';
import { SCALES } from '../../rows/units.ts';
import { ConfigUnusable, parseYaml, readTyped, says, saysOf } from './yaml-file.ts';
import { type PolicyOverrides, policyOverrides } from './policy.ts';

// A pattern of file names in the config or in a profile. A few braces may stand for millions of names, so a pattern is measured before it is used.

const LENGTH_MOST = 1000;

/** The most names that the braces of one pattern may stand for. */
const NAMES_MOST = 100;

const WRITE_SHORTER = sentence('config.write.shorter', { most: LENGTH_MOST, names: NAMES_MOST });

export const filePattern = z
  .string()
  .min(1)
  .superRefine((pattern, context) => {
    if (!isModest(pattern)) context.addIssue({ ...saysOf(WRITE_SHORTER), input: pattern });
  });

function isModest(pattern: string): boolean {
  if (pattern.length > LENGTH_MOST) return false;
  return braceExpand(pattern, { braceExpandMax: NAMES_MOST + 1 }).length <= NAMES_MOST;
}

/** A profile, the files that it is for, and their policy. */
export type FileProfile = {
  readonly profile: Profile;
  /** Patterns of file names; a match with one is enough. */
  readonly files: readonly string[];
  /** The folder of the file, as the end of its path; null for any. */
  readonly folder: string | null;
  readonly policy: PolicyOverrides;
  /** True when the file's folder has changed that policy. */
  readonly isFolderPolicy?: boolean;
  /** Who proposed it at the page; null for one that the config's owner wrote. */
  readonly author: string | null;
  /** Who has confirmed it, and when (ISO), so that it reads everybody's files; null for one that nobody had to confirm. */
  readonly confirmed: { readonly by: string; readonly at: string } | null;
  /** The YAML text, which is kept beside each file that was read by it. */
  readonly text: string;
};

/** The value in `columns` for a column that is ignored. */
export const IGNORE = 'ignore';

/** These tell one payment from another. */
const NEVER_CONSTANT: readonly string[] = [...AMOUNT_COLUMNS, 'reference'];

/** Where the money goes: a profile that named an account would send the files of others there. */
const ACCOUNTS = ['bankAccountNumber', 'cardNumber', 'msisdn', 'email'].map((field) => `delivery.${field}`);

/** Only the row itself says it, in its own words. */
export function isOwnOfRow(canonical: string): boolean {
  return NEVER_CONSTANT.includes(canonical) || ACCOUNTS.includes(canonical);
}

const column = z.string().transform((text, context) => {
  if (text === IGNORE) return null;
  const canonical = canonicalOf(text);
  if (canonical !== null && !canonical.startsWith('payout.')) return canonical;
  return refused(context, text, sentence('config.profile.noColumn', { text, ignore: IGNORE }));
});

const constants = z.record(z.string(), z.string()).transform((record, context) => {
  const entries = Object.entries(record).map(([name, value]) => [canonicalOf(name), value, name] as const);
  for (const [canonical, , name] of entries)
    if (canonical === null || canonical.startsWith('payout.') || isOwnOfRow(canonical))
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
    if (canonical === null || isOwnOfRow(canonical))
      return refused(context, name, sentence('config.profile.noValues', { name }));
    const folded = foldedMap(words);
    if (folded === null) return refused(context, name, sentence('config.profile.valuesTwice', { name }));
    found.set(canonical, folded);
  }
  return found;
});

/** A column that is joined from two others, or takes its value from another. */
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

/** What a person has said of columns that mean nothing else; `(empty)` stands for an empty cell. */
const rowAnswers = z
  .record(z.string(), z.record(z.string(), z.enum(ROW_ANSWERS)))
  .transform((record, context) => {
    const entries = Object.entries(record).map(([header, words]) => [header, foldedMap(words)] as const);
    const twice = entries.find(([, words]) => words === null);
    if (twice !== undefined)
      return refused(context, twice[0], sentence('config.profile.valuesTwice', { name: twice[0] }));
    const found = Object.fromEntries(entries.map(([header, words]) => [header, words ?? new Map()]));
    return (
      foldedMap<ReadonlyMap<string, RowAnswer>>(found) ??
      refused(context, '', sentence('config.profile.headersTwice'))
    );
  });

const OF_RECEIVERS =
  /^(?:receiver|delivery)\.|^(?:bankName|destinationCountryIsoCode|attachment|transactionMode|deliveryMethod|payoutCorridorId|targetCurrency|purposeOfRemittance)$/;

/** Whether a list of receivers may say it: what is the payment's own, as its amount, it may not. */
export function isOfReceiver(canonical: string | null): boolean {
  return canonical !== null && OF_RECEIVERS.test(canonical);
}

const receivers = z
  .strictObject({ by: z.string().min(1), list: z.record(z.string(), z.record(z.string(), z.string())) })
  .transform(({ by, list }, context) => {
    const found = new Map<string, ReadonlyMap<string, string>>();
    for (const [key, entry] of Object.entries(list)) {
      const said = Object.entries(entry).map(([name, value]) => [canonicalOf(name) ?? name, value] as const);
      const odd = said.find(([canonical]) => !isOfReceiver(canonical));
      if (odd !== undefined)
        return refused(context, odd[0], sentence('config.profile.notTaken', { text: odd[0] }));
      const iban = said.find(
        ([canonical, value]) =>
          canonical === 'delivery.bankAccountNumber' && hasFormOfIban(value) && !isIban(value),
      );
      if (iban !== undefined)
        return refused(context, iban[1], sentence('mapPayment.iban', { iban: iban[1] }));
      found.set(key.trim(), new Map(said));
    }
    const columns = new Set([...found.values()].flatMap((entry) => [...entry.keys()]));
    return { by: foldHeader(by), list: found, columns };
  })
  .nullable();

const columns = z.record(z.string(), column).transform((record, context) => {
  return foldedMap(record) ?? refused(context, '', sentence('config.profile.headersTwice'));
});

const delimiter = z
  .enum([...DELIMITERS, 'tab', 'auto'])
  .transform((text) => (text === 'tab' ? '\t' : text))
  .prefault('auto');

/** For payment messages: the ids that may serve as a payment's reference, or name its document. */
const MESSAGE_IDS = ['MsgId', 'PmtInfId', 'EndToEndId', 'InstrId', 'UETR', 'RfrdDocInf', 'debtor'] as const;

/** At least one of a payment's own ids: a reference that all payments of a message share identifies none. */
const OWN_IDS: readonly string[] = ['EndToEndId', 'InstrId', 'UETR'];

function messageIdsIn(text: string): readonly string[] {
  return [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

function isOfMessageIds(text: string): boolean {
  return messageIdsIn(text).every((name) => MESSAGE_IDS.some((known) => known === name));
}

const messageReference = z
  .string()
  .transform((text) => (/^\w+$/.test(text) ? `{${text}}` : text))
  .refine((text) => isOfMessageIds(text) && messageIdsIn(text).some((name) => OWN_IDS.includes(name)), {
    error: says('config.profile.reference'),
  });

const messageDocuments = z
  .string()
  .refine((text) => isOfMessageIds(text) && messageIdsIn(text).length > 0 && !/[/\\]/.test(text), {
    error: says('config.profile.documents'),
  });

/** Of the interface, as far as an account leads there. */
const ACCOUNT_METHODS = ['bankTransfer', 'alipay', 'wechat', 'unionpayCard'] as const;

/** What the scheme of an account means in the messages of one program. */
const accountSchemes = z
  .record(z.string(), z.enum(ACCOUNT_METHODS))
  .transform(
    (record) =>
      new Map<string, string>(
        Object.entries(record).map(([name, method]) => [name.trim().toUpperCase(), method]),
      ),
  );
const scale = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.enum(SCALES))
  .nullable()
  .default(null);

const schema = z.strictObject({
  files: z.union([filePattern, z.array(filePattern).min(1)]).prefault('*'),
  folder: z.string().min(1).nullable().default(null),
  columns: columns.prefault({}),
  constants: constants.prefault({}),
  values: values.prefault({}),
  split: split.prefault({}),
  same: same.prefault({}),
  says: rowAnswers.prefault({}),
  scale,
  receivers: receivers.default(null),
  delimiter,
  encoding: z.enum([...ENCODINGS, 'auto']).default('auto'),
  decimalMark: z.enum(['.', ',', 'auto']).default('auto'),
  sheet: z.string().min(1).nullable().default(null),
  header: z.union([z.enum(['auto', 'none']), z.int().min(1).max(HEADER_WITHIN_ROWS)]).default('auto'),
  layout: z.array(z.string()).min(1).nullable().default(null),
  reference: messageReference.default(USUAL_MESSAGE.reference),
  personNames: z.enum(NAME_ORDERS).nullable().default(USUAL_MESSAGE.personNames),
  ignored: z.array(z.enum(IGNORABLE)).default([]),
  accountSchemes: accountSchemes.prefault({}),
  documents: messageDocuments.nullable().default(USUAL_MESSAGE.documents),
  purposeFrom: z.enum(PURPOSE_ELEMENTS).nullable().default(USUAL_MESSAGE.purposeFrom),
  policy: policyOverrides.prefault({}),
  author: z.string().min(1).nullable().default(null),
  confirmed: z
    .strictObject({ by: z.string().min(1), at: z.iso.datetime() })
    .nullable()
    .default(null),
});

/** Reads a profile; `name` is its name for people, `place` its file's name in messages. Throws `ConfigUnusable`. */
export function parseProfile(text: string, name: string, place: Words | null): FileProfile {
  const { files, folder, policy, author, confirmed, ...read } = parseYaml(text, place, schema);
  const { reference, personNames, ignored, accountSchemes, documents, purposeFrom, ...rest } = read;
  const patterns = typeof files === 'string' ? [files] : files;
  const message = { reference, personNames, ignored, accountSchemes, documents, purposeFrom };
  return { profile: { name, ...rest, message }, files: patterns, folder, policy, author, confirmed, text };
}

function foldedMap<T>(record: Readonly<Record<string, T>>): ReadonlyMap<string, T> | null {
  const folded = new Map(Object.entries(record).map(([name, value]) => [foldHeader(name), value]));
  return folded.size === Object.keys(record).length ? folded : null;
}

function refused(context: z.core.$RefinementCtx, input: unknown, words: Words): never {
  context.issues.push({ ...saysOf(words), input });
  return z.NEVER;
}

// The profiles of a folder: one file each, with the profile's name.

export const PROFILE_EXTENSION = '.yaml';

/** All profiles of the folder, by name; none when there is no folder. Throws `ConfigUnusable`. */
export function loadProfiles(folder: string): readonly FileProfile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => extname(name) === PROFILE_EXTENSION && !name.startsWith('.'))
    .sort()
    .map((name) => loadProfile(join(folder, name)));
}

/** The folder below the profiles for those that makers propose at the page: each reads its author's own uploads alone until it is confirmed. */
export function proposedFolder(profilesPath: string): string {
  return join(profilesPath, 'proposed');
}

/** The proposals below the folder of the profiles. One without an author is nobody's, and reads nothing. Throws `ConfigUnusable`. */
export function loadProposals(profilesPath: string): readonly FileProfile[] {
  return loadProfiles(proposedFolder(profilesPath)).filter(({ author }) => author !== null);
}

function loadProfile(path: string): FileProfile {
  const name = basename(path, PROFILE_EXTENSION);
  try {
    return parseProfile(readTyped(path), name, sentence('config.profile.place', { path }));
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.profile.unreadable', { path }), { cause: error });
  }
}
