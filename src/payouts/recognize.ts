// What the cells of a column look like, for a person to confirm: a guess is only a proposal, and no payment rests on it.
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
const isSwiftCode: Looks = (text) => /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(text);
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

/** In this order: the narrow patterns precede the wide ones. A reference is never guessed: a number that returns every month is none. */
const GUESSES: readonly (readonly [string, Looks])[] = [
  ['receiver.email', isEmail],
  ['attachment', isDocument],
  ['delivery.bankAccountSwiftCode', isSwiftCode],
  ['destinationCountryIsoCode', isCountry],
  ['currency', isCurrency],
  ['deliveryMethod', (text) => toDeliveryMethod(text) !== null],
  ['purposeOfRemittance', (text) => toPurpose(text) !== null],
];

/** The destination of money is never guessed from cells: paydrop asks about a column that looks like it. */
const ASKED: readonly (readonly [string, Looks])[] = [
  ['delivery.msisdn', isTelephone],
  ['delivery.cardNumber', isCard],
  ['delivery.bankAccountNumber', isAccount],
];

/** A guess needs nearly every filled cell; an empty cell says nothing. */
const SHARE_LEAST = 0.9;

/** Even when every cell fits, another meaning may look the same. */
const GUESS_MOST = 0.8;

export type Guess = { readonly canonical: string; readonly confidence: number };

/** An unknown column: its header, folded, and its filled cells. */
export type Unknown = { readonly header: string; readonly cells: readonly string[] };

/** The columns that a person must decide about: the only one that fits, or several that may all fit. */
export type Question = { readonly canonical: string; readonly columns: readonly number[] };

export type Guessed = {
  /** By the column's position in the given list. */
  readonly guesses: ReadonlyMap<number, Guess>;
  readonly questions: readonly Question[];
};

/** What columns without a known header may mean, and what to ask about them; `taken` are the meanings that other columns have. */
export function guessColumns(columns: readonly Unknown[], taken: ReadonlySet<string>): Guessed {
  const guesses = new Map<number, Guess>();
  const now = new Set(taken);
  const isFree = ([canonical]: readonly [string, Looks]) => !isTaken(canonical, now);
  for (const [position, { cells }] of columns.entries()) {
    const found = GUESSES.filter(isFree).find(([, looks]) => shareOf(cells, looks) >= SHARE_LEAST);
    if (found === undefined) continue;
    const [canonical, looks] = found;
    now.add(canonical);
    guesses.set(position, { canonical, confidence: round(shareOf(cells, looks) * GUESS_MOST) });
  }
  const name = isTaken('receiver.name', now) ? null : likeliestName(columns, guesses);
  if (name !== null) guesses.set(name.position, { canonical: 'receiver.name', confidence: name.confidence });
  const left = [...columns.entries()].filter(([position]) => !guesses.has(position));
  const questions: Question[] = [];
  if (!isTaken('amount', now)) {
    const amounts = likeliestAmounts(left);
    const [only, ...others] = amounts;
    if (only !== undefined && others.length === 0)
      guesses.set(only, { canonical: 'amount', confidence: GUESS_MOST });
    else if (amounts.length > 0) questions.push({ canonical: 'amount', columns: amounts });
  }
  if (!ACCOUNTS.some((canonical) => now.has(canonical))) questions.push(...askedAbout(left));
  return { guesses, questions };
}

const ACCOUNTS = ASKED.map(([canonical]) => canonical);

/** Words about the payer: a column under them never describes the receiver. */
const PAYER =
  /payer|debtor|debit|debet|sender|source|ordering|initiat|ownaccount|fromaccount|auftrag|donneur|emetteur|ordenante/;

/** Header words for the people and firms that are paid, and for names of any kind. */
const PAYEE_WORDS =
  /^(?:supplier|vendor|beneficiar|beneficiai|payee|recipient|receiver|creditor|employee|staff|worker|contractor|fournisseur|destinataire|salarie|employe|creancier|proveedor|empleado|trabajador|acreedor|lieferant|empfanger|mitarbeiter|fornecedor|funcionario)/;
const NAME_WORDS: ReadonlySet<string> = new Set(['name', 'names', 'nom', 'noms', 'nombre', 'nome']);

/** Firms have digits and single words in their names, so under such a header fewer cells need to look like a name. */
const NAME_SHARE_LEAST = 0.6;

type NameColumn = { readonly position: number; readonly rank: number; readonly confidence: number };

/** The column whose header announces the payees' names, else the only column whose cells are names. */
function likeliestName(columns: readonly Unknown[], guesses: ReadonlyMap<number, Guess>): NameColumn | null {
  const named: NameColumn[] = [];
  const others: NameColumn[] = [];
  for (const [position, { header, cells }] of columns.entries()) {
    const words = header.split(' ');
    const share = shareOf(cells, isName);
    if (guesses.has(position) || PAYER.test(words.join(''))) continue;
    const rank = words.some((word) => PAYEE_WORDS.test(word)) ? 0 : 1;
    const isNamed = rank === 0 || words.some((word) => NAME_WORDS.has(word));
    const found = { position, rank, confidence: round(share * GUESS_MOST) };
    if (isNamed && share >= NAME_SHARE_LEAST) named.push(found);
    else if (share >= SHARE_LEAST) others.push(found);
  }
  named.sort((one, other) => one.rank - other.rank || other.confidence - one.confidence);
  return named[0] ?? (others.length === 1 ? (others[0] ?? null) : null);
}

function askedAbout(left: readonly (readonly [number, Unknown])[]): readonly Question[] {
  return left.flatMap(([position, { header, cells }]) => {
    // One account in all rows is the payer's, or nobody's.
    const isOne = cells.length > 1 && new Set(cells.map((cell) => cell.trim())).size === 1;
    if (isOne || PAYER.test(header.replaceAll(' ', ''))) return [];
    const found = ASKED.find(([, looks]) => shareOf(cells, looks) >= SHARE_LEAST);
    return found === undefined ? [] : [{ canonical: found[0], columns: [position] }];
  });
}

/** Headers of numbers that nobody pays, and of sums before a deduction or an addition. */
const NEVER_PAID: ReadonlySet<string> = new Set([
  ...[
    'id',
    'no',
    'nr',
    'num',
    'numero',
    'number',
    'code',
    'matricule',
    'ref',
    'lfd',
    'index',
    'phone',
    'tel',
    'zip',
    'postal',
  ],
  ...[
    'year',
    'annee',
    'ano',
    'anio',
    'jahr',
    'date',
    'fecha',
    'datum',
    'hour',
    'hours',
    'heures',
    'horas',
    'stunden',
    'age',
    'per',
  ],
  ...[
    'rate',
    'taux',
    'tasa',
    'percent',
    'pct',
    'qty',
    'quantity',
    'quantite',
    'gross',
    'brut',
    'bruto',
    'brutto',
    'basic',
    'base',
  ],
  ...[
    'tax',
    'vat',
    'iva',
    'tva',
    'mwst',
    'deductions',
    'deduction',
    'retenue',
    'retenues',
    'discount',
    'balance',
    'allowance',
    'limit',
  ],
]);

/** Header words of amounts: first what is left to pay, then sums of any kind. */
const NET_WORDS: ReadonlySet<string> = new Set(['net', 'neto', 'netto', 'liquido', 'payable', 'zahlbetrag']);
const NET_PHRASES = ['apayer', 'apagar', 'topay', 'inhand', 'takehome', 'aregler'];
const SUM_WORDS = [
  ...[
    'amount',
    'montant',
    'importe',
    'monto',
    'betrag',
    'valor',
    'total',
    'sum',
    'somme',
    'summe',
    'salary',
    'salaire',
    'salario',
  ],
  ...['spend', 'payment', 'paiement', 'pago', 'zahlung', 'cheque'],
];

/** The positions of the columns that may hold the amount and cannot be told apart. */
function likeliestAmounts(left: readonly (readonly [number, Unknown])[]): readonly number[] {
  const ranked = left.flatMap(([position, { header, cells }]) => {
    const mayBe = shareOf(cells, isAmount) >= SHARE_LEAST && mayBeAmounts(cells);
    const rank = mayBe && shareOf(cells, isTelephone) === 0 ? amountRank(header) : null;
    return rank === null ? [] : [{ position, rank }];
  });
  const best = Math.min(...ranked.map(({ rank }) => rank));
  return ranked.filter(({ rank }) => rank === best).map(({ position }) => position);
}

/** 0 is the surest; null for a number that nobody pays. */
function amountRank(header: string): number | null {
  const words = header.split(' ');
  const joined = words.join('');
  if (words.some((word) => NET_WORDS.has(word)) || NET_PHRASES.some((phrase) => joined.includes(phrase)))
    return 0;
  if (words.some((word) => NEVER_PAID.has(word))) return null;
  return words.some((word) => SUM_WORDS.some((start) => word.startsWith(start))) ? 1 : 2;
}

/** How well the cells support the header, from 0 to 1; 1 where cells cannot contradict it. */
export function confirmColumn(cells: readonly string[], canonical: string): number {
  const looks = LOOKS.get(canonical);
  return looks === undefined || cells.length === 0 ? 1 : round(shareOf(cells, looks));
}

/** False for numbers that count the rows, that are all small, or that are days or years: they are no money. */
function mayBeAmounts(cells: readonly string[]): boolean {
  const plain = cells.map((cell) => cell.trim());
  if ([isDate, isYear].some((looks) => shareOf(plain, looks) >= SHARE_LEAST)) return false;
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
