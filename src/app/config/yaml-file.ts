// YAML that a person writes: every fault in it is reported with its line and column.
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

import { LANGUAGES, ToldError, type Words, joinWords, sameWords } from '../../base/language.ts';
import { type PlainKey, isPlainKey, sentence } from '../../messages/messages.ts';
import { decodeText } from '../../base/peoples-text.ts';
import { readNamedFile } from '../../base/plain-file.ts';
import { nearestKey } from './key-descriptions.ts';
import { starSlip, type YamlSlip, yamlSlip } from './yaml-slip.ts';

/** What a text at a path has to be beyond its form. The check throws `ConfigUnusable`, with words that name the key. */
export type TextCheck = readonly [path: string, check: (text: string) => unknown];

/** Parses and validates; `name` is the file's name in messages, and null for what was typed as options. Throws `ConfigUnusable`. */
export function parseYaml<T extends z.ZodType>(
  text: string,
  name: Words | null,
  schema: T,
  checks: readonly TextCheck[] = [],
): z.output<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) throw notYaml(name, fault.message, { cause: fault, slip: yamlSlip(text, fault) });
  const parsed = schema.safeParse(valueOf(document, name, text) ?? {}, { reportInput: true });
  if (parsed.success) {
    for (const each of checks) checkText(document, lines, each, name);
    return parsed.data;
  }
  const faults = parsed.error.issues
    .flatMap((issue) => pathsOf(issue).map((path) => faultAt(document, lines, { issue, path, name })))
    .sort((one, other) => one.at - other.at);
  const told = faults.map(({ words }) => words);
  throw new ConfigUnusable(joinWords(told, '\n'));
}

/** Of a slip that is none of the usual ones the parser's own words are told, in English, with their place. */
function notYaml(
  name: Words | null,
  fault: string,
  { cause, slip }: { readonly cause: unknown; readonly slip: YamlSlip | null },
): ConfigUnusable {
  if (slip === null)
    return new ConfigUnusable(sentence('yaml.unreadable', { name: name ?? TYPED, fault }), { cause });
  const where = sentence('yaml.place', { name: name ?? TYPED, line: slip.line, column: slip.column });
  return new ConfigUnusable(sentence('labelled', { label: where, words: slip.words }), { cause });
}

/** An alias without a target, or one that expands to far more than a person writes (billion laughs), shows only when it is followed. */
function valueOf(document: Document, name: Words | null, text: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const slip = message.startsWith('Unresolved alias') ? starSlip(text) : null;
    throw notYaml(name, message, { cause: error, slip });
  }
}

/** The schema tells the unknown keys of a section together; a person corrects them one by one. */
function pathsOf(issue: z.core.$ZodIssue): readonly (readonly string[])[] {
  const path = issue.path.map(String);
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
}

type ConfigIssue = {
  readonly issue: z.core.$ZodIssue;
  readonly path: readonly string[];
  readonly name: Words | null;
};

/** `at`: where in the text, as far as that is known. */
function faultAt(
  document: Document,
  lines: LineCounter,
  { issue, path, name }: ConfigIssue,
): { readonly at: number; readonly words: Words } {
  const what = path.length === 0 ? sentence('yaml.file') : sameWords(path.join('.'));
  const fault = sentence('yaml.fault', { what, words: wordsOf(issue, path) });
  const { at, where } = placeOf(document, lines, path, name);
  return { at, words: where === null ? fault : sentence('labelled', { label: where, words: fault }) };
}

function checkText(
  document: Document,
  lines: LineCounter,
  [key, check]: TextCheck,
  name: Words | null,
): void {
  const path = key.split('.');
  const text = document.getIn(path);
  if (typeof text !== 'string') return;
  try {
    check(text);
  } catch (error) {
    const { where } = placeOf(document, lines, path, name);
    if (!(error instanceof ConfigUnusable) || where === null) throw error;
    throw new ConfigUnusable(sentence('labelled', { label: where, words: error.words }), { cause: error });
  }
}

type TextPlace = { readonly at: number; readonly where: Words | null };

/** `where`: null where the text has no name. */
function placeOf(
  document: Document,
  lines: LineCounter,
  path: readonly string[],
  name: Words | null,
): TextPlace {
  const node = document.getIn(path, true);
  const range =
    typeof node === 'object' && node !== null && 'range' in node
      ? (node.range as [number] | undefined)
      : undefined;
  if (range === undefined || name === null) return { at: range?.[0] ?? 0, where: name };
  const [at] = range;
  const { line, col: column } = lines.linePos(at);
  return { at, where: sentence('yaml.place', { name, line, column }) };
}

const TYPED = sentence('profile.command');

/** Keys that people write because other programs have them, and the right key for each. */
const INSTEAD: Readonly<Record<string, Words>> = {
  'service.apiKey': sentence('yaml.instead.apiKey'),
  'notify.email.password': sentence('yaml.instead.password'),
};

/** The name of a kind of value, as the person who writes it knows it. */
const KINDS: Readonly<Record<string, Words>> = {
  string: sentence('yaml.kind.text'),
  number: sentence('yaml.kind.number'),
  int: sentence('yaml.kind.whole'),
  boolean: sentence('yaml.kind.boolean'),
  array: sentence('yaml.kind.list'),
  object: sentence('yaml.kind.section'),
  record: sentence('yaml.kind.section'),
};

function wordsOf(issue: z.core.$ZodIssue, path: readonly string[]): Words {
  // If the schema has its own words for the fault, those are used.
  if (isPlainKey(issue.message)) return sentence(issue.message);
  switch (issue.code) {
    case 'custom':
      return isWords(issue.params?.['words']) ? issue.params['words'] : sameWords(issue.message);
    case 'unrecognized_keys':
      return INSTEAD[path.join('.')] ?? noSuchKey(nearestKey(path));
    case 'invalid_type':
      if (issue.input === undefined)
        return sentence('yaml.missing', { kind: KINDS[issue.expected] ?? sameWords(issue.expected) });
      return sentence('yaml.write', { kind: KINDS[issue.expected] ?? sameWords(issue.expected) });
    case 'invalid_value':
      return sentence('yaml.oneOf', { values: issue.values.map(String).join(', ') });
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? sentence('yaml.empty')
        : sentence('yaml.least', { least: String(issue.minimum) });
    case 'too_big':
      return sentence('yaml.most', { most: String(issue.maximum) });
    default:
      return sameWords(issue.message);
  }
}

function noSuchKey(nearest: string | null): Words {
  return nearest === null ? sentence('yaml.noSuchKey') : sentence('yaml.meant', { nearest });
}

function isWords(value: unknown): value is Words {
  return typeof value === 'object' && value !== null && LANGUAGES.every((language) => language in value);
}

// Text that a person wrote to configure paydrop, and that it cannot use.

/** A configuration that cannot be used; its words name the place and the remedy. */
export class ConfigUnusable extends ToldError {
  override readonly name = 'ConfigUnusable';
}

/** A schema's message about a value: the key of its sentence, which `parseYaml` puts into words. */
export function says(key: PlainKey): string {
  return key;
}

/** The same for a fault that names something. */
export function saysOf(words: Words): {
  readonly code: 'custom';
  readonly message: string;
  readonly params: { readonly words: Words };
} {
  return { code: 'custom', message: words.en, params: { words } };
}

// Files that people type for paydrop. A letter that is lost in reading would go out in every payment, and say nothing here.

/** The text of a file that an operator named. Throws `ConfigUnusable` where a letter of it cannot be read, and errors of the disk. */
export function readTyped(path: string): string {
  const text = decodeText(readNamedFile(path));
  if (typeof text === 'string') return text;
  throw new ConfigUnusable(sentence('config.lostLetter', { path, ...text }));
}

/** The same of a secret, which is shown nowhere. */
export function readTypedSecret(path: string): string {
  const text = decodeText(readNamedFile(path));
  if (typeof text === 'string') return text;
  throw new ConfigUnusable(sentence('config.lostSecret', { path }));
}
