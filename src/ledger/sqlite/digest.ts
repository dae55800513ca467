// A SHA-256 over a list of fields, each with its length before it: no two lists give the same text, so nothing can be moved from one field
// into the next unnoticed.
import { hash } from 'node:crypto';
import type { SQLOutputValue } from 'node:sqlite';

export type Field = SQLOutputValue | undefined;

/** As hex digits. Lengths are in UTF-16 units; a null has none. */
export function digestOf(fields: readonly Field[]): string {
  let text = '';
  for (const field of fields) text += withLength(field);
  return hash('sha256', text, 'hex');
}

function withLength(field: Field): string {
  if (field === null || field === undefined) return '-,';
  const text = String(field);
  return `${String(text.length)}:${text},`;
}
