// YAML that a person writes: whatever is wrong with it is told with its line and column.
import { LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';

import { ConfigUnusable } from './config-unusable.ts';

/** Parses and validates; `name` is what messages call the file. Throws `ConfigUnusable`. */
export function parseYaml<T extends z.ZodType>(text: string, name: string, schema: T): z.output<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) throw new ConfigUnusable(`${name}: ${fault.message}`);
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  throw new ConfigUnusable(
    parsed.error.issues.map((issue) => faultAt(document, lines, issue, name)).join('\n'),
  );
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
  return `${where}: ${path.join('.') || 'the file'}: ${issue.message}.`;
}
