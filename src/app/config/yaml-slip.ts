// The slips of a hand that make a YAML file unreadable (a syntax error), in a person's words: the parser names the place where it could not go on, in
// English and in words of its own.
import type { YAMLParseError } from 'yaml';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';

export type YamlSlip = { readonly line: number; readonly column: number; readonly words: Words };

/** Null where it is none of the usual ones. */
export function yamlSlip(
  text: string,
  { code, linePos }: Pick<YAMLParseError, 'code' | 'linePos'>,
): YamlSlip | null {
  const open = unclosedBracket(text);
  if (open !== null && code !== 'TAB_AS_INDENT') return open;
  const [place] = linePos ?? [];
  if (place === undefined) return null;
  if (code === 'MISSING_CHAR') return unclosedQuote(text);
  const lines = text.split('\n');
  const rest = (lines[place.line - 1] ?? '').slice(place.col - 1);
  // The value goes on in the next line, which begins deeper than a key may.
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && !/:(?:\s|$)/.test(rest)) {
    const column = (lines[place.line] ?? '').search(/\S/) + 1;
    return { line: place.line + 1, column, words: sentence('yaml.slip.indent') };
  }
  const words = wordsOf(code, rest.charAt(0));
  return words === null ? null : { line: place.line, column: place.col, words };
}

/** Where the quote stands that was opened last. */
function unclosedQuote(text: string): YamlSlip | null {
  const at = text.search(/["'](?=[^"']*$)/);
  if (at < 0) return null;
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return { line: before.length, column, words: sentence('yaml.slip.quote') };
}

/** Of a value that begins with a star, as patterns of file names do: it is read as a reference to another place. */
export function starSlip(text: string): YamlSlip | null {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => STAR.test(each));
  if (line < 0) return null;
  const column = (lines[line] ?? '').indexOf('*') + 1;
  return { line: line + 1, column, words: sentence('yaml.slip.sign', { sign: '*' }) };
}

const STAR = /^[^#"']*(?::|-|\[|,)\s*\*\S/;

function wordsOf(code: YAMLParseError['code'], sign: string): Words | null {
  switch (code) {
    case 'TAB_AS_INDENT':
      return sentence('yaml.slip.tab');
    case 'DUPLICATE_KEY':
      return sentence('yaml.slip.twice');
    case 'BLOCK_AS_IMPLICIT_KEY':
      return sentence('yaml.slip.colons');
    case 'BAD_INDENT':
      return sentence('yaml.slip.indent');
    case 'BAD_SCALAR_START':
      return sentence('yaml.slip.sign', { sign });
    default:
      return null;
  }
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The first bracket that nothing closes; signs in quotes and comments do not count. */
function unclosedBracket(text: string): YamlSlip | null {
  const open: { readonly sign: string; readonly line: number; readonly column: number }[] = [];
  for (const [index, line] of text.split('\n').entries())
    for (const { sign, column } of signsOf(line)) {
      if (sign in CLOSING) open.push({ sign, line: index + 1, column });
      else if (CLOSING[open.at(-1)?.sign ?? ''] === sign) open.pop();
    }
  const [first] = open;
  if (first === undefined) return null;
  const words = sentence('yaml.slip.bracket', { open: first.sign, close: CLOSING[first.sign] ?? '' });
  return { line: first.line, column: first.column, words };
}

/** A bracket inside a plain word is part of it. */
function signsOf(line: string): readonly { readonly sign: string; readonly column: number }[] {
  const bare = line
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => ' '.repeat(quoted.length))
    .replace(/(^|\s)#.*$/, '$1');
  return [...bare.matchAll(/(?<=^|[\s:,[{-])[{[]|[}\]]/g)].map(({ 0: sign, index }) => ({
    sign,
    column: index + 1,
  }));
}
