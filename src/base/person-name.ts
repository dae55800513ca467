// The name with which a person signs a decision, and whether two names may be one person's: nobody is a second pair of eyes for himself by
// writing his own name another way.
import { userInfo } from 'node:os';
import { getuid } from 'node:process';

import { mixesScripts, plainWords } from './plain-text.ts';

/** Longer names are texts that somebody pasted. */
const LENGTH_MOST = 100;

/** The name as it is kept: one line that can be printed anywhere, each word in one script. Null for what is no name. */
export function readPersonName(text: string): string | null {
  const name = oneLine(text, LENGTH_MOST);
  return name === null || plainWords(name).length === 0 || mixesScripts(name) ? null : name;
}

/** Text that a person wrote as one line of printable characters; null when it is empty, too long, or holds others. */
export function oneLine(text: string, lengthMost: number): string | null {
  const line = text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  // Control and format characters could end a line of a log, or turn the text round that follows.
  return line === '' || line.length > lengthMost || /\p{C}/u.test(line) ? null : line;
}

const SYSTEM_USER = 'system user ';

/** Under what a user of this machine stands among those who brought a file. */
export function asSystemUser(user: string): string {
  return SYSTEM_USER + user;
}

export function isSystemUser(name: string): boolean {
  return name.startsWith(SYSTEM_USER);
}

/** The user of this machine that such a name stands for; null for a person's name. */
export function systemUserIn(name: string): string | null {
  return isSystemUser(name) ? name.slice(SYSTEM_USER.length) : null;
}

/** The user that runs this very process; its number where the machine has no name for it, as in a container. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(getuid?.() ?? '');
  }
}

/** True when both are the same name, in whatever order its words stand. */
export function isSameName(a: string, b: string): boolean {
  const inOrder = (name: string): string => [...plainWords(name)].sort().join(' ');
  return inOrder(a) === inOrder(b);
}

/**
 * True when both may be the same person's: each word of the shorter name stands in the longer one, in any order, whole or as its first letter.
 * A middle name, initials, titles behind it or numbers make nobody another person.
 */
export function isSamePerson(a: string, b: string): boolean {
  const [one, two] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.length - y.length);
  if (one === undefined || two === undefined) return false;
  return standsIn(one, two) || runsTogether(one.join(''), two) || runsTogether(two.join(''), one);
}

function wordsOf(name: string): readonly string[] {
  const words = plainWords(name);
  const letters = words.map((word) => word.replace(/\p{N}/gu, '')).filter((word) => word !== '');
  return letters.length > 0 ? letters : words;
}

/** Each word finds one of its own among the others. */
function standsIn([word, ...rest]: readonly string[], others: readonly string[]): boolean {
  if (word === undefined) return true;
  return others.some(
    (other, at) =>
      isSameWord(word, other) && standsIn(rest, [...others.slice(0, at), ...others.slice(at + 1)]),
  );
}

/** Han and the like write a whole name in one sign, which is no initial. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return /^\p{Script=Latin}$/u.test(short) && long.startsWith(short);
}

/** True when the text is these words without spaces, in any order. */
function runsTogether(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return text === '';
  return words.some(
    (word, at) =>
      text.startsWith(word) &&
      runsTogether(text.slice(word.length), [...words.slice(0, at), ...words.slice(at + 1)]),
  );
}
