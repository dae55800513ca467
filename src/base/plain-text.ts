// Text in its plain form, as far as a comparison asks: one person, one account or one number stays the same however it is typed.
/** Most text is plain but for its case. */
const IS_ASCII = /^[\x20-\x7e]*$/;

/** Below it no sign is composed of others, so that the text stands in NFC as it is. */
const MAY_BE_COMPOSED = /[\u0300-\uffff]/;

/** NFC. Asking Unicode about each cell of a file would cost more than all else that is asked of it. */
export function composed(text: string): string {
  return MAY_BE_COMPOSED.test(text) ? text.normalize('NFC') : text;
}

/** The function, with its answers kept: a column says the same few words a million times. Longer texts are no words, and are not kept. */
export function remembering<T>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const answered = answer(text);
    if (text.length > REMEMBERED_CHARS_MOST) return answered;
    if (known.size === REMEMBERED_MOST) known.clear();
    known.set(text, answered);
    return answered;
  };
}

/** Of each function: a few dozen kilobytes. */
const REMEMBERED_MOST = 1_000;
const REMEMBERED_CHARS_MOST = 64;

/** NFKC, digits of every script as 0 to 9, nothing that cannot be seen, lower case. */
export function plainText(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, plainDigit)
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase();
}

/** Letters and digits alone, in their plain form. */
export function plainSigns(text: string): string {
  return plainText(text).replace(/[^\p{L}\p{N}]/gu, '');
}

/** The words of a name in their order, without case, accents and punctuation; letters that only look like Latin ones are read as those. */
export function plainWords(name: string): readonly string[] {
  if (IS_PLAIN_NAME.test(name)) return wordsIn(name.toLowerCase(), /[^a-z0-9]+/);
  const folded = plainText(name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // N'Diaye is NDiaye, S.A.R.L. is SARL.
    .replace(/['’ʼ‘`´]/g, '')
    .replace(
      /(?<![\p{L}\p{N}])(?:\p{L}\.)+(?:\p{L}(?![\p{L}\p{N}]))?/gu,
      (initials) => `${initials.replaceAll('.', '')} `,
    );
  const latin = IS_ASCII.test(folded)
    ? folded
    : Array.from(folded, (letter) => LATIN.get(letter) ?? letter).join('');
  return wordsIn(latin, /[^\p{L}\p{N}]+/u);
}

/** ASCII without the signs that join two words into one. */
const IS_PLAIN_NAME = /^[\x20-\x26\x28-\x2d\x2f-\x5f\x61-\x7e]*$/;

function wordsIn(text: string, between: RegExp): readonly string[] {
  return text.split(between).filter((word) => word !== '');
}

/** True when one word takes letters from scripts that are never written together: a letter of one of them passes for a letter of another. */
export function mixesScripts(text: string): boolean {
  const words = text.normalize('NFKC').split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.some((word) => APART.filter((script) => script.test(word)).length > 1);
}

const APART = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];

/** Under each Latin letter those without a decomposition, and those of other scripts that look like it in at least one case. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  ae: 'æ',
  b: 'вβ',
  c: 'с',
  d: 'đðԁ',
  e: 'еε',
  g: 'ɡ',
  h: 'нһηħ',
  i: 'ıіι',
  j: 'ј',
  k: 'кκ',
  l: 'łӏ',
  m: 'мμ',
  n: 'ν',
  o: 'øоο',
  oe: 'œ',
  p: 'рρ',
  q: 'ԛ',
  s: 'ѕ',
  ss: 'ß',
  t: 'тτŧ',
  th: 'þ',
  u: 'υ',
  w: 'ԝ',
  x: 'хχ',
  y: 'уүγ',
  z: 'ζ',
};

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([latin, letters]) =>
    Array.from(letters, (letter) => [letter, latin] as const),
  ),
);

/** The ten digits of a script stand in a row, from nought to nine. */
const DIGITS_OF_A_SCRIPT = 10;

function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % DIGITS_OF_A_SCRIPT);
}

// How far one word is from another, to guess what a misspelt name was meant to be.

/** The word that a misspelt one was probably meant to be, upper and lower case being the same; null when none is near. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const [best] = words
    .map((word) => ({ word, distance: editDistance(written.toLowerCase(), word.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(written.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return best?.word ?? null;
}

/** Longer than any name that somebody misspells; a cell may have a million characters, and comparing takes as long as both lengths multiplied. */
const LETTERS_MOST = 500;

/** Letters to insert, delete or change, from one word to the other (Levenshtein); of what is too long for a name, as if no letter agreed. */
export function editDistance(from: string, to: string): number {
  if (from.length > LETTERS_MOST || to.length > LETTERS_MOST) return Math.max(from.length, to.length);
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const change = (row[j] ?? 0) + (to[j] === from[i] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
