// Text in its plain form, as far as a comparison asks: one person, one account or one number stays the same however it is typed.

/** NFKC, digits of every script as 0 to 9, nothing that cannot be seen, lower case. */
export function plainText(text: string): string {
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
  const folded = plainText(name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // N'Diaye is NDiaye, S.A.R.L. is SARL.
    .replace(/['’ʼ‘`´]/g, '')
    .replace(
      /(?<![\p{L}\p{N}])(?:\p{L}\.)+(?:\p{L}(?![\p{L}\p{N}]))?/gu,
      (initials) => `${initials.replaceAll('.', '')} `,
    );
  const latin = Array.from(folded, (letter) => LATIN.get(letter) ?? letter).join('');
  return latin.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
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
