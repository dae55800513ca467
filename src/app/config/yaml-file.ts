// YAML that a person writes: whatever is wrong with it is told with its line and column.
import { LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';

import { ConfigUnusable } from './config-unusable.ts';
import { nearestKey } from './key-descriptions.ts';

/** Parses and validates; `name` is what messages call the file. Throws `ConfigUnusable`. */
export function parseYaml<T extends z.ZodType>(text: string, name: string, schema: T): z.output<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) throw new ConfigUnusable(`${name}: ${fault.message}`);
  const parsed = schema.safeParse(valueOf(document, name) ?? {});
  if (parsed.success) return parsed.data;
  throw new ConfigUnusable(
    parsed.error.issues.map((issue) => faultAt(document, lines, issue, name)).join('\n'),
  );
}

/** Aliases that stand for nothing, or for far more than a person writes, are seen only when they are followed. */
function valueOf(document: Document, name: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigUnusable(`${name}: ${reason}`, { cause: error });
  }
}

function faultAt(document: Document, lines: LineCounter, issue: z.core.$ZodIssue, name: string): string {
  const key = issue.code === 'unrecognized_keys' ? [issue.keys[0] ?? ''] : [];
  const path = [...issue.path, ...key].map(String);
  const node = document.getIn(path, true);
  const range =
    typeof node === 'object' && node !== null && 'range' in node
      ? (node.range as [number] | undefined)
      : undefined;
  const place = range === undefined ? null : lines.linePos(range[0]);
  const where = place === null ? name : `${name}, line ${String(place.line)}, column ${String(place.col)}`;
  return `${where}: ${path.join('.') || 'the file'}: ${wordsOf(issue, path)}.`;
}

/** Keys that people write because other programs have them, and what to write here. */
const INSTEAD: Readonly<Record<string, string>> = {
  'service.apiKey':
    'the key never stands in the config: put it into a file and name that in service.apiKeyFile',
  'notify.email.password':
    'the password never stands in the config: put it into a file and name that in notify.email.passwordFile',
};

/** What a kind of value is called where a person writes it. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a section with keys of its own',
  record: 'a section with keys of its own',
};

function wordsOf(issue: z.core.$ZodIssue, path: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    const instead = INSTEAD[path.join('.')];
    if (instead !== undefined) return instead;
    const nearest = nearestKey(path);
    return `there is no such key${nearest === null ? '' : `; did you mean "${nearest}"`}`;
  }
  // A schema that has words of its own for it keeps them.
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return `write ${KINDS[issue.expected] ?? issue.expected}`;
  return issue.message;
}
