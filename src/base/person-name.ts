// The name with which a person signs a decision, and whether two names may belong to one person: nobody may approve his own file by writing his
// name another way.
import { userInfo } from 'node:os';
import { getuid } from 'node:process';

import { mixesScripts, plainWords } from './plain-text.ts';

/** A longer text is no name: somebody pasted it. */
const LENGTH_MOST = 100;

/** The name as it is stored: one printable line, each word in one script. Null for a text that is no name, or stands for a system user. */
export function readPersonName(text: string): string | null {
  const name = oneLine(text, LENGTH_MOST);
  if (name === null || plainWords(name).length === 0 || mixesScripts(name)) return null;
  return plainWords(name).join(' ').startsWith(SYSTEM_USER.trimEnd()) ? null : name;
}

/** One line of printable characters that a person wrote; null when the text is empty, too long, or has other characters. */
export function oneLine(text: string, lengthMost: number): string | null {
  const line = text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  // Control and format characters could end a line of a log, or reverse the text that follows.
  return line === '' || line.length > lengthMost || /\p{C}/u.test(line) ? null : line;
}

const SYSTEM_USER = 'system user ';

/** How a system user is listed among the people who brought a file. */
export function asSystemUser(user: string): string {
  return SYSTEM_USER + user;
}

export function isSystemUser(name: string): boolean {
  return name.startsWith(SYSTEM_USER);
}

/** The system user that such a name stands for; null for a person's name. */
export function systemUserIn(name: string): string | null {
  return isSystemUser(name) ? name.slice(SYSTEM_USER.length) : null;
}

/** The system user that runs this process; its number where the machine has no name for it, as in a container. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(getuid?.() ?? '');
  }
}

/** True when both are the same name; the order of the words does not matter. */
export function isSameName(a: string, b: string): boolean {
  const inOrder = (name: string): string => [...plainWords(name)].sort().join(' ');
  return inOrder(a) === inOrder(b);
}

/**
 * True when both may name one person: each word of the shorter name stands in the longer one, in any order, whole or as an initial. So a middle
 * name, initials, a title or a number does not make another person.
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

/** True when each word matches a different one of the others. */
function standsIn([word, ...rest]: readonly string[], others: readonly string[]): boolean {
  if (word === undefined) return true;
  return others.some(
    (other, at) =>
      isSameWord(word, other) && standsIn(rest, [...others.slice(0, at), ...others.slice(at + 1)]),
  );
}

/** In Han and similar scripts one sign may be a whole name, so it never counts as an initial. */
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

/** Whether this person is one of those who are named, under any spelling; a system user is nobody. */
export function isAmongPeople(names: readonly string[], by: string): boolean {
  return names.some((name) => !isSystemUser(name) && isSamePerson(name, by));
}
