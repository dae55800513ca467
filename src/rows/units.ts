// Amounts that a file writes in cents, in thousands or in millions: read as they stand they would pay a hundredfold, or a thousandth. A header or a title that
// says so is taken at its word only once a person has seen three of the amounts.
import { type DecimalText, toDecimalText } from '../base/decimal.ts';
import { NET_WORDS, plainWords, SUM_WORDS } from './header-aliases.ts';

/** What an amount is multiplied by, in decimal text; a power of ten. */
export const SCALES = ['0.001', '0.01', '1', '1000', '100000', '1000000', '10000000', '1000000000'] as const;
export type Scale = (typeof SCALES)[number];

export type Unit = { readonly word: string; readonly scale: Scale };

const EXPONENTS: Readonly<Record<Scale, number>> = {
  '0.001': -3,
  '0.01': -2,
  '1': 0,
  '1000': 3,
  '100000': 5,
  '1000000': 6,
  '10000000': 7,
  '1000000000': 9,
};

/** The amount in whole units of its currency: only its point moves. Null for one of too many digits. */
export function scaledBy(amount: DecimalText, scale: Scale): DecimalText | null {
  return scale === '1' ? amount : toDecimalText(`${amount}e${String(EXPONENTS[scale])}`);
}

/** Words in English, French, Spanish, German, Portuguese, Dutch and Italian, as `plainWords` gives them. */
const WORDS: readonly (readonly [Scale, string])[] = [
  [
    '0.01',
    'cents|cent|cts|centimes|centime|centavos|centavo|centimos|centimo|centesimi|pence|penny|paise|paisa|kobo|pesewas?|fen|groszy|minor units?|minor|subunits?|smallest units?|eurocents?|unites? mineures?',
  ],
  [
    '1000',
    'milliers?|thousands?|mille|miles|millares|milhares|tausend|tausender|tsd|duizend|duizenden|migliaia|x ?1000|1000s|000s?',
  ],
  ['100000', 'lakhs?|lacs?'],
  ['10000000', 'crores?'],
  ['1000000', 'millions?|millones|milhoes|millionen|mio|mln|miljoen|milioni|x ?1000000|000 ?000s?'],
  ['1000000000', 'milliards?|billions?|mrd|miliardi|milliarden|miljard'],
];

const CURRENCY = '(?:f ?cfa|fcfa|cfa|xaf|xof|eur|euros?|usd|cny|ngn|dollars?|francs?)';

/** Letters that are a unit before a currency, or alone behind the name of an amount: `K FCFA`, `kEUR`, `TEUR`, `M FCFA`. */
const LETTERS: readonly (readonly [Scale, RegExp])[] = [
  ['1000', new RegExp(`\\b[kt] ?${CURRENCY}\\b|\\bkf\\b|\\bk$`)],
  ['1000000', new RegExp(`\\bm ?${CURRENCY}\\b|\\bm$`)],
  ['1000000000', new RegExp(`\\bmd ?${CURRENCY}\\b`)],
];

const PATTERNS = WORDS.map(([scale, words]) => [scale, new RegExp(`\\b(?:${words})\\b`)] as const);

/** `pour cent`, `per thousand`: a rate. */
const RATE = /\b(?:per|pour|por|pro) (?:cent|mille|mil|thousand|hundred)\b|\bpercent\b/;

/** The unit that the header of an amount names besides its currency; null for one that names none, or that is no amount's. */
export function unitOfHeader(header: string): Unit | null {
  const words = plainWords(header);
  if (RATE.test(words) || !isAmount(words)) return null;
  return found([...PATTERNS, ...LETTERS], words);
}

function isAmount(words: string): boolean {
  return words
    .split(' ')
    .some((word) => NET_WORDS.has(word) || SUM_WORDS.some((start) => word.startsWith(start)));
}

function found(patterns: readonly (readonly [Scale, RegExp])[], words: string): Unit | null {
  for (const [scale, pattern] of patterns) {
    const [word] = pattern.exec(words) ?? [];
    if (word !== undefined) return { word: word.trim(), scale };
  }
  return null;
}

const IN_TITLES = WORDS.map(
  ([scale, words]) =>
    [
      scale,
      new RegExp(
        `\\b(?:en|in|em|im|unite|unit|units|unidad|unidade|einheit|expressed in|exprimes en) (?:${words})\\b|^(?:${words}) (?:de |of |d )?${CURRENCY}\\b`,
      ),
    ] as const,
);
const LETTERS_IN_TITLES = LETTERS.map(
  ([scale, { source }]) => [scale, new RegExp(source.replace(/\|\\b[km]\$$/, ''))] as const,
);

/** The unit that a line above or below the table names for its amounts: `Montants en milliers de FCFA`. */
export function unitOfTitle(text: string): Unit | null {
  return found([...IN_TITLES, ...LETTERS_IN_TITLES], plainWords(text));
}
