// What the cells of a column look like, for a person to confirm: a guess is only ever proposed, nothing is paid by it.
import { BESIDE_NAMES, NAME_WORDS, NET_WORDS, NEVER_PAID, SUM_WORDS } from '../rows/header-aliases.ts';
import { isPayeeWord, isPayerWord } from '../rows/known-columns.ts';
import { isRivalHeader, saysToPay, saysWasPaid } from '../rows/rival-amounts.ts';
import { readCurrency, readSigned } from '../rows/read-amount.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { toCountryCode } from './read-parties.ts';
import { toDeliveryMethod, toPurpose, toTransactionMode } from './corridor.ts';

type Looks = (text: string) => boolean;

const isAmount: Looks = (text) => 'amount' in readSigned(text, '.') || 'amount' in readSigned(text, ',');
/** Countries have numeric codes too, but a number is nearly always something else. */
const isCountry: Looks = (text) => toCountryCode(text) !== null && !/\d/.test(text);
const isCurrency: Looks = (text) => readCurrency(text) !== null;
/** Instead of a currency, a cell may say which of the two sides an amount is on. */
const isSaidCurrency: Looks = (text) => isCurrency(text) || /^(?:source|target)$/i.test(text);
const isTelephone: Looks = (text) => /^(?:\+|00)[\d\s().-]{8,}$/.test(text);
const isEmail: Looks = (text) => /^\S+@\S+\.\S+$/.test(text);
const isDocument: Looks = (text) => /\.(?:pdf|png|jpe?g)$/i.test(text);
/** Many words have eight letters, few of them a country in the middle. */
const isSwiftCode: Looks = (text) =>
  /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(text) && isCountry(text.slice(4, 6));
const isCard: Looks = (text) => /^\d{16,19}$/.test(text.replace(/[\s-]/g, ''));
const isAccount: Looks = (text) => {
  const bare = text.replace(/[\s-]/g, '');
  return (/^\d{10,34}$/.test(bare) || /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/i.test(bare)) && !isDate(text);
};
/** A day, as a workbook or a program writes it, with or without a time. */
const isDate: Looks = (text) =>
  /^(?:19|20)\d{2}([-/. ]?)(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?:[T ].*|\d{4,6})?$/.test(text) ||
  /^(?:0?[1-9]|[12]\d|3[01])([-/. ])(?:0?[1-9]|1[0-2])\1(?:19|20)?\d{2}(?:[T ].*)?$/.test(text);
const isYear: Looks = (text) => /^(?:19|20)\d{2}$/.test(text);
const isName: Looks = (text) => /^\p{L}[^\d@]*\s[^\d@]*\p{L}\.?$/u.test(text);

/** What the cells of a column must look like, where a rule is possible. */
const LOOKS: ReadonlyMap<string, Looks> = new Map([
  ...['amount', 'sourceAmount', 'destinationAmount'].map((name) => [name, isAmount] as const),
  ...['destinationCountryIsoCode', 'receiver.countryIsoCode', 'sender.countryIsoCode'].map(
    (name) => [name, isCountry] as const,
  ),
  ['currency', isSaidCurrency],
  ...['sourceCurrency', 'targetCurrency'].map((name) => [name, isCurrency] as const),
  ['deliveryMethod', (text) => toDeliveryMethod(text) !== null],
  ['purposeOfRemittance', (text) => toPurpose(text) !== null || /^[A-Z]+(?:_[A-Z]+)+$/.test(text)],
  ['attachment', isDocument],
  ['receiver.email', isEmail],
  ['delivery.email', isEmail],
]);

/** What a column may be taken for: where its header has such a word and none of another kind, and its cells look like it. */
type Kind = { readonly canonical: string; readonly word: RegExp; readonly looks: Looks };

/** In this order: what few things look like comes before what many do. A reference is never guessed: a number that comes back every month is none. */
const GUESSES: readonly Kind[] = [
  { canonical: 'receiver.email', word: /^(?:e?mails?|courriel|correo)$/, looks: isEmail },
  {
    canonical: 'attachment',
    word: /^(?:file|document|facture|invoice|fichier|scan|justificati[fv]|piece|adjunto|comprobante|anexo|datei|beleg)/,
    looks: isDocument,
  },
  { canonical: 'delivery.bankAccountSwiftCode', word: /swift|^bic/, looks: isSwiftCode },
  {
    canonical: 'destinationCountryIsoCode',
    word: /^(?:country|pays|pais|land|destination|destino)$/,
    looks: isCountry,
  },
  {
    canonical: 'currency',
    word: /^(?:currency|ccy|cur|devise|monnaie|moneda|divisa|moeda|wahrung)/,
    looks: isCurrency,
  },
  {
    canonical: 'deliveryMethod',
    word: /^(?:method|methode|metodo|mode|moyen|medio|forma|channel|canal|delivery)/,
    looks: (text) => toDeliveryMethod(text) !== null,
  },
  {
    canonical: 'purposeOfRemittance',
    word: /^(?:purpose|reason|motif|motivo|objet|finalid|zweck)/,
    looks: (text) => toPurpose(text) !== null,
  },
];

/** Said of somebody else than who is paid, or of something that only looks the same. */
const OF_OTHERS =
  /^(?:approv|approb|valid|manager|request|prepar|author|auteur|contact|agent|origin|birth|naissance|nacimiento|national|citizen|contract|contrat)/;

/** Where money goes is never guessed from what cells look like: a column that looks like it is asked about. */
const ASKED: readonly (readonly [string, Looks])[] = [
  ['delivery.msisdn', isTelephone],
  ['delivery.cardNumber', isCard],
  ['delivery.bankAccountNumber', isAccount],
];

/** A guess needs nearly every filled cell; an empty cell says nothing. */
const SHARE_LEAST = 0.9;

/** Even when every cell fits, another meaning may look the same. */
const GUESS_MOST = 0.8;

type Guess = { readonly canonical: string; readonly confidence: number };

/** A column of which nothing is known: its header as `plainWords` gives it, and its filled cells. */
type Unknown = { readonly header: string; readonly cells: readonly string[] };

/** The columns that a person must decide about: the only one that fits, or several that may all fit. */
export type Question = { readonly canonical: string; readonly columns: readonly number[] };

type Guessed = {
  /** By the column's position in the given list. */
  readonly guesses: ReadonlyMap<number, Guess>;
  readonly questions: readonly Question[];
};

/**
 * What columns without a known header may be, and what has to be asked about them; `taken` are the meanings that others have.
 * @param isForeign whether no header of the file has a word that paydrop knows. Only then cells alone are evidence: a header that can be read, and does not
 * say that it is a column of names or countries, says that it is none, whatever its cells look like.
 */
export function guessColumns(
  columns: readonly Unknown[],
  taken: ReadonlySet<string>,
  isForeign: boolean,
): Guessed {
  const guesses = new Map<number, Guess>();
  const now = new Set(taken);
  for (const { canonical, word, looks } of GUESSES.filter((kind) => !isTaken(kind.canonical, now))) {
    const fitting = [...columns.entries()].filter(
      ([position, { header, cells }]) =>
        !guesses.has(position) &&
        shareOf(cells, looks) >= SHARE_LEAST &&
        (isForeign || (header.split(' ').some((each) => word.test(each)) && !isOfOthers(header))),
    );
    // Of two that fit equally well neither is taken.
    const [only] = fitting;
    if (only === undefined || fitting.length > 1) continue;
    now.add(canonical);
    guesses.set(only[0], { canonical, confidence: round(shareOf(only[1].cells, looks) * GUESS_MOST) });
  }
  const open = () => [...columns.entries()].filter(([position]) => !guesses.has(position));
  const questions: Question[] = [];
  if (!isTaken('receiver.name', now)) {
    const [name, ...others] = likeliestNames(open(), isForeign);
    if (name !== undefined && others.length === 0)
      guesses.set(name.position, { canonical: 'receiver.name', confidence: name.confidence });
    else if (name !== undefined)
      questions.push({
        canonical: 'receiver.name',
        columns: [name, ...others].map(({ position }) => position),
      });
  }
  if (!isTaken('amount', now)) {
    const { columns: amounts, isSure } = likeliestAmounts(open(), isForeign);
    const [only, ...others] = amounts;
    if (only !== undefined && others.length === 0 && isSure)
      guesses.set(only, { canonical: 'amount', confidence: GUESS_MOST });
    else if (amounts.length > 0) questions.push({ canonical: 'amount', columns: amounts });
  }
  if (!ACCOUNTS.some((canonical) => now.has(canonical))) questions.push(...askedAbout(open()));
  return { guesses, questions };
}

function isOfOthers(header: string): boolean {
  return isPayerWord(header) || header.split(' ').some((word) => OF_OTHERS.test(word));
}

const ACCOUNTS = ASKED.map(([canonical]) => canonical);

/** Firms have digits and single words in their names, so under such a header fewer cells need look like one. */
const NAME_SHARE_LEAST = 0.6;

type NameColumn = { readonly position: number; readonly rank: number; readonly confidence: number };

/** The column under whose header the names of those who are paid stand; under headers that nobody can read, those whose cells are names. */
function likeliestNames(
  columns: readonly (readonly [number, Unknown])[],
  isForeign: boolean,
): readonly NameColumn[] {
  const found = columns.flatMap(([position, { header, cells }]) => {
    const share = shareOf(cells, isName);
    const rank = nameRank(header, isForeign);
    const isOne = cells.length > 1 && new Set(cells.map((cell) => cell.trim())).size === 1;
    if (rank === null || isOne || share < (isForeign ? SHARE_LEAST : NAME_SHARE_LEAST)) return [];
    return [{ position, rank, confidence: round(share * GUESS_MOST) }];
  });
  const best = Math.min(...found.map(({ rank }) => rank));
  return found.filter(({ rank }) => rank === best);
}

/** 0 is the surest; null for a column of other names: of a city, a product, an approver. */
function nameRank(header: string, isForeign: boolean): number | null {
  if (isForeign) return 0;
  const words = header.split(' ');
  const isPayee = (word: string) => isPayeeWord(word) || word === 'tiers' || word === 'tercero';
  const isOnlyName = words.every((word) => isPayee(word) || NAME_WORDS.has(word) || BESIDE_NAMES.has(word));
  if (!isOnlyName || isPayerWord(header)) return null;
  if (words.some(isPayee)) return 0;
  return words.some((word) => NAME_WORDS.has(word)) ? 1 : null;
}

function askedAbout(left: readonly (readonly [number, Unknown])[]): readonly Question[] {
  return left.flatMap(([position, { header, cells }]) => {
    // One account in all rows is the payer's, or nobody's.
    const isOne = cells.length > 1 && new Set(cells.map((cell) => cell.trim())).size === 1;
    if (isOne || isPayerWord(header)) return [];
    const found = ASKED.find(([, looks]) => shareOf(cells, looks) >= SHARE_LEAST)?.[0];
    if (found === undefined) return [];
    const isAccountHeader = /account|compte|cuenta|conta|konto|iban|rib/.test(header);
    return [{ canonical: isAccountHeader ? 'delivery.bankAccountNumber' : found, columns: [position] }];
  });
}

/** What may stand beside such a word, and leaves it a sum that is to be paid. */
const BESIDE_SUMS =
  /^(?:of|the|in|to|be|due|a|en|de|du|le|la|el|del|do|da|zu|payer|pagar|paid|pay|virer|regler|verser|due|remaining|outstanding|hand|take|home|reste|restant|percibir|receber|invoice|facture|factura|fatura|bill|monthly|mensuel|local|currency|devise|moneda|total|net|fcfa)$/;

/** The positions of the columns that may be the amount, those that nothing tells apart, and whether the header leaves no doubt. */
function likeliestAmounts(
  left: readonly (readonly [number, Unknown])[],
  isForeign: boolean,
): { readonly columns: readonly number[]; readonly isSure: boolean } {
  const ranked = left.flatMap(([position, { header, cells }]) => {
    const mayBe = shareOf(cells, isAmount) >= SHARE_LEAST && mayBeAmounts(cells);
    const rank = mayBe && shareOf(cells, isTelephone) === 0 ? amountRank(header) : null;
    return rank === null ? [] : [{ position, rank, header }];
  });
  const alone = ranked.filter(({ rank }) => rank !== WHOLE);
  const best = Math.min(...alone.map(({ rank }) => rank));
  const likeliest = alone.filter(({ rank }) => rank === best);
  // Of a gross and a net only a header that says what is to be paid tells which.
  const rivals =
    best === TO_PAY ? [] : ranked.filter((each) => each.rank > best && isRivalHeader(each.header));
  return {
    columns: [...likeliest, ...(likeliest.length === 0 ? [] : rivals)].map(({ position }) => position),
    isSure: isForeign || best < UNSURE,
  };
}

const TO_PAY = 0;
/** The rank of a number whose header says nothing of money, or something beside it: `Payment run`, `Salary grade`. */
const UNSURE = 3;
/** That of a sum before something comes off, which is never taken alone. */
const WHOLE = 4;

/** `TO_PAY` is the surest; null for a number that nobody pays. */
function amountRank(header: string): number | null {
  const words = header.split(' ');
  const isNet = (word: string) => NET_WORDS.has(word);
  // `montants`, `betrages`, `amountusd`; not `totaldem`.
  const isSum = (word: string) =>
    SUM_WORDS.some((start) => {
      const rest = word.startsWith(start) ? word.slice(start.length) : null;
      return rest !== null && (rest.length < 3 || isCurrency(rest.toUpperCase()));
    });
  const isBeside = (word: string) => BESIDE_SUMS.test(word) || isCurrency(word.toUpperCase());
  const isPlain = words.every((word) => isNet(word) || isSum(word) || isBeside(word));
  if (saysWasPaid(header)) return UNSURE;
  if (saysToPay(header)) return isPlain ? TO_PAY : UNSURE;
  if (words.some(isNet)) return isPlain ? 1 : UNSURE;
  if (words.some((word) => NEVER_PAID.has(word))) return isRivalHeader(header) ? WHOLE : null;
  return isPlain && words.some(isSum) ? 2 : UNSURE;
}

/** How well the cells support the header, from 0 to 1; 1 where cells cannot contradict it. */
export function confirmColumn(cells: readonly string[], canonical: string): number {
  const looks = LOOKS.get(canonical);
  return looks === undefined || cells.length === 0 ? 1 : round(shareOf(cells, looks));
}

/** Numbers that count the rows, that are all small or begin with a zero, or that are days, years or accounts, are no amounts of money. */
function mayBeAmounts(cells: readonly string[]): boolean {
  const plain = cells.map((cell) => cell.trim());
  if ([isDate, isYear, isAccount].some((looks) => shareOf(plain, looks) >= SHARE_LEAST)) return false;
  if (plain.some((cell) => /^0\d/.test(cell))) return false;
  if (plain.some((cell) => !/^\d+$/.test(cell))) return true;
  const counts = plain.every(
    (cell, index) => index === 0 || BigInt(cell) === BigInt(plain[index - 1] ?? '0') + 1n,
  );
  return !(counts && plain.length > 1) && plain.some((cell) => cell.length > 2);
}

/** A meaning excludes another that would say the same. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  amount: ['sourceAmount', 'destinationAmount'],
  currency: ['sourceCurrency', 'targetCurrency'],
  'receiver.name': [
    'receiver.registeredName',
    'receiver.firstName',
    'receiver.lastName',
    'receiver.fullName',
  ],
};

function isTaken(canonical: string, taken: ReadonlySet<string>): boolean {
  return [canonical, ...(INSTEAD[canonical] ?? [])].some((name) => taken.has(name));
}

function shareOf(cells: readonly string[], looks: Looks): number {
  return cells.length === 0 ? 0 : cells.filter((cell) => looks(cell.trim())).length / cells.length;
}

function round(share: number): number {
  return Math.round(share * 100) / 100;
}

type Named = Pick<PayoutCorridor, 'id' | 'destinationCountryIsoCode' | 'transactionMode' | 'deliveryMethod'>;

/** Whether a person's word means this corridor: a country or a method by any of its names, or a part of the corridor's id. */
export function fitsWord(corridor: Named, word: string): boolean {
  const { id, destinationCountryIsoCode, transactionMode, deliveryMethod } = corridor;
  return (
    id.includes(word.toLowerCase()) ||
    (isCountry(word) && toCountryCode(word) === destinationCountryIsoCode) ||
    toDeliveryMethod(word) === deliveryMethod ||
    toTransactionMode(word) === transactionMode
  );
}
