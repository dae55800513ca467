// Text in its plain form, as far as a comparison asks: one person, one account or one number stays the same however it is typed.
/** Most text is plain except for its case. */
const IS_ASCII = /^[\x20-\x7e]*$/;

/** No sign below this range is composed of others, so such text is already in NFC. */
const MAY_BE_COMPOSED = /[\u0300-\uffff]/;

/** The text in NFC. A call to `normalize` for each cell would cost more than all other checks of a cell together. */
export function composed(text: string): string {
  return MAY_BE_COMPOSED.test(text) ? text.normalize('NFC') : text;
}

/** The one equality of ids, be they of a payment or of a message: two that are written alike but for the form of Unicode and the blanks around them are one id. */
export function idOf(written: string): string {
  return composed(written.trim());
}

/** Remembers the function's answers: a column repeats the same few words a million times. Longer texts are not remembered. */
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

/** For each function: a few dozen kilobytes. */
const REMEMBERED_MOST = 1_000;
const REMEMBERED_CHARS_MOST = 64;

/** NFKC, digits of every script as 0 to 9, no invisible characters, lower case. */
export function plainText(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, plainDigit)
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase();
}

/** A number with digits of every script, and signs of full width, as ASCII. */
export function plainDigits(text: string): string {
  return IS_ASCII.test(text) ? text : text.normalize('NFKC').replace(/\p{Nd}/gu, plainDigit);
}

/** The letters and digits alone, in plain form. */
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

/** True when one word mixes scripts that are never written together: a letter of one can pass for a letter of another. */
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

/** Maps to each Latin letter the letters without a decomposition, and letters of other scripts that look like it in at least one case. */
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

// The month for which something is paid, beside what it is paid for.

const MONTHS = [
  'january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|marz|juni|juli|oktober|dezember',
  'janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|janv|fevr?|avr|juil',
  'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|ene|abr|ago|dic',
].join('|');
const BEFORE_MONTH = 'of|for|the|month|pour|de|du|d|le|mois|del|la|mes|por';
const ENDS_WITH_MONTH = new RegExp(
  `^(?<what>.+?)(?: (?:${BEFORE_MONTH}))*(?: (?:${MONTHS})(?: 20\\d\\d)?| (?:0?[1-9]|1[0-2]) 20\\d\\d)$`,
);

/** `Salaire` of `Salaire du mois de novembre 2026` and of `Salaire 11/2026`; null where no month ends the text. */
export function withoutMonth(text: string): string | null {
  const words = text.split(/[^\p{L}\p{M}\p{N}()]+/u).filter((word) => word !== '');
  const plain = words.map((word) => word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase());
  const what = ENDS_WITH_MONTH.exec(plain.join(' '))?.groups?.['what'];
  return what === undefined ? null : words.slice(0, what.split(' ').length).join(' ');
}

// The distance between two words, to guess what a misspelt name was meant to be.

/** The word that a misspelt one probably means, ignoring case; null when none is near. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const [best] = words
    .map((word) => ({ word, distance: editDistance(written.toLowerCase(), word.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(written.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return best?.word ?? null;
}

/** No name is longer. A cell may have a million characters, and a comparison takes time in proportion to the product of both lengths. */
const LETTERS_MOST = 500;

/** Letters to insert, delete or change to turn one word into the other (Levenshtein). A text too long for a name counts as wholly different. */
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

/** The name of a document alone, at the end of a path of any system (basename); null where none stands there. */
export function documentName(path: string): string | null {
  return LAST_NAME.exec(path)?.groups?.['name'] ?? null;
}

const LAST_NAME = /(?:^|[\\/:])(?<name>[^\\/:.~%\p{Cc}][^\\/:%\p{Cc}]*\.(?:pdf|png|jpe?g))$/iu;

/** A word of a command as it is typed in a shell of POSIX, in quotes where it needs them. */
export function typedInShell(word: string): string {
  return /^[\p{L}\p{N}/=,:@._+-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
