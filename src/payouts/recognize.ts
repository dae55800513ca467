// What the cells of a column look like, for a person to confirm: a guess is only ever proposed, nothing is paid by it.
import { readSigned } from '../rows/read-amount.ts';
import { readCurrency } from '../rows/currency-signs.ts';
import { toCountryCode } from './country.ts';
import { toDeliveryMethod, toPurpose } from './plain-words.ts';

type Looks = (text: string) => boolean;

const isAmount: Looks = (text) => 'amount' in readSigned(text, '.') || 'amount' in readSigned(text, ',');
const isCountry: Looks = (text) => toCountryCode(text) !== null;
const isCurrency: Looks = (text) => readCurrency(text) !== null;
const isTelephone: Looks = (text) => /^(?:\+|00)[\d\s().-]{8,}$/.test(text);
const isEmail: Looks = (text) => /^\S+@\S+\.\S+$/.test(text);
const isDocument: Looks = (text) => /\.(?:pdf|png|jpe?g)$/i.test(text);
const isSwiftCode: Looks = (text) => /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(text);
const isCard: Looks = (text) => /^\d{16,19}$/.test(text.replace(/[\s-]/g, ''));
const isAccount: Looks = (text) =>
  /^[A-Z]{0,2}[\d\s-]{8,34}$/i.test(text) && /\d{6}/.test(text.replace(/[\s-]/g, ''));
const isName: Looks = (text) => /^\p{L}[^\d@]*\s[^\d@]*\p{L}\.?$/u.test(text);

/** What the cells of a column must look like, where anything can be said of it. */
const LOOKS: ReadonlyMap<string, Looks> = new Map([
  ...['amount', 'sourceAmount', 'destinationAmount'].map((name) => [name, isAmount] as const),
  ...['destinationCountryIsoCode', 'receiver.countryIsoCode', 'sender.countryIsoCode'].map(
    (name) => [name, isCountry] as const,
  ),
  ...['currency', 'sourceCurrency', 'targetCurrency'].map((name) => [name, isCurrency] as const),
  ['deliveryMethod', (text) => toDeliveryMethod(text) !== null],
  ['purposeOfRemittance', (text) => toPurpose(text) !== null || /^[A-Z]+(?:_[A-Z]+)+$/.test(text)],
  ['attachment', isDocument],
  ['receiver.email', isEmail],
  ['delivery.email', isEmail],
]);

/** In this order: what few things look like comes before what many do. A reference is never guessed: a number that comes back every month is none. */
const GUESSES: readonly (readonly [string, Looks])[] = [
  ['receiver.email', isEmail],
  ['attachment', isDocument],
  ['delivery.bankAccountSwiftCode', isSwiftCode],
  ['destinationCountryIsoCode', isCountry],
  ['currency', isCurrency],
  ['deliveryMethod', (text) => toDeliveryMethod(text) !== null],
  ['purposeOfRemittance', (text) => toPurpose(text) !== null],
  ['delivery.msisdn', isTelephone],
  ['delivery.cardNumber', isCard],
  ['delivery.bankAccountNumber', isAccount],
  ['amount', isAmount],
  ['receiver.name', isName],
];

/** A guess needs nearly every cell; one that is empty says nothing. */
const SHARE_LEAST = 0.9;

/** Even when every cell looks like it, another meaning may look the same. */
const GUESS_MOST = 0.8;

export type Guess = { readonly canonical: string; readonly confidence: number };

/** What a column without a known header may be, unless it is taken already; null when nothing fits. */
export function guessColumn(cells: readonly string[], taken: ReadonlySet<string>): Guess | null {
  for (const [canonical, looks] of GUESSES) {
    const share = canonical === 'amount' && !mayBeAmounts(cells) ? 0 : shareOf(cells, looks);
    if (share >= SHARE_LEAST && !isTaken(canonical, taken))
      return { canonical, confidence: round(share * GUESS_MOST) };
  }
  return null;
}

/** How far the cells bear out what the header says, from 0 to 1; 1 where cells can say nothing against it. */
export function confirmColumn(cells: readonly string[], canonical: string): number {
  const looks = LOOKS.get(canonical);
  return looks === undefined || cells.length === 0 ? 1 : round(shareOf(cells, looks));
}

/** Numbers that count the rows, or that are all small, are no amounts of money. */
function mayBeAmounts(cells: readonly string[]): boolean {
  const plain = cells.map((cell) => cell.trim());
  if (plain.some((cell) => !/^\d+$/.test(cell))) return true;
  const counts = plain.every(
    (cell, index) => index === 0 || BigInt(cell) === BigInt(plain[index - 1] ?? '0') + 1n,
  );
  return !counts && plain.some((cell) => cell.length > 2);
}

/** One meaning excludes another that is said in its place. */
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
