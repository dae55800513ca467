// The words of the search: what of a payment or a file is looked for, in plain form, and what a query asks of them. One reading of text serves both sides.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { addDecimals, type DecimalText } from '../../base/decimal.ts';
import { plainDigits, plainSigns, plainWords } from '../../base/plain-text.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { accountKey, payeeKey } from '../../payouts/payment-keys.ts';
import type { Payout } from '../../payouts/payout.ts';
import { withForeign } from '../../payouts/progress.ts';
import { isAccount } from '../../payouts/shown-payee.ts';
import type { PaidEntry } from './payee-tables.ts';

/** Nobody types more of a word, and a cell may have a million characters. */
const SIGNS_MOST = 40;
const TEXT_MOST = 400;
const WORDS_OF_ROW_MOST = 80;
/** What a mask leaves of an account: no more of it is kept in a word that can be read. */
const END_SIGNS = 4;
/** No account is shorter; it may be typed in groups, as a bank prints it. */
const ACCOUNT_SIGNS_LEAST = 8;

/** The words of a name, a reference or a file's name. Chinese is written without gaps: each sign is a word. */
export function wordsOfText(text: string): readonly string[] {
  return plainWords(text.slice(0, TEXT_MOST)).flatMap((word) => {
    const cut = word.slice(0, SIGNS_MOST);
    return HAN.test(cut) ? (cut.match(HAN_OR_REST) ?? []) : [cut];
  });
}

const HAN = /\p{Script=Han}/u;
const HAN_OR_REST = /\p{Script=Han}|\P{Script=Han}+/gu;

/** A number is found with and without the zeros before it, and behind the letters with which it is written as one word: `INV00123` by 123. */
function* withNumbers(words: readonly string[]): Generator<string> {
  for (const word of words) {
    yield word;
    const [, number] = /^\p{L}*0*([1-9]\d*)$/u.exec(word) ?? [];
    if (number !== undefined && number !== word) yield number;
  }
}

/** One word for an amount: 1234.50 is `1234d5`. */
function amountWord(amount: DecimalText): string {
  const [whole = '', part = ''] = amount.replace('-', '').split('.');
  const rest = part.replace(/0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `d${rest}`}`;
}

/** Only an index has it: whose file it is, so that a program with few files among many finds its own at once. */
export function ownerWord(name: string): string {
  return `${OWNER_MARK}${hash('sha256', name).slice(0, SIGNS_OF_OWNER)}`;
}

const SIGNS_OF_OWNER = 16;
/** No letter and no digit, so that no word that was typed has it. */
const OWNER_MARK = '\u{e000}';
const ACCOUNT_MARK = '\u{e001}';

/** Only an index has it: a whole account as a hash, as the tables of payees have one, because thousands of accounts share their end. */
function accountWord(account: string): string {
  return `${ACCOUNT_MARK}${hash('sha256', account).slice(0, SIGNS_OF_OWNER)}`;
}

/** A file by its name and the name of its batch. */
export function wordsOfFile({ id, fileName }: Pick<BatchRecord, 'id' | 'fileName'>): ReadonlySet<string> {
  return new Set(withNumbers([...wordsOfText(fileName), ...wordsOfText(id)]));
}

/** All that a payment is found by, but for its file. @param isErased not by who is paid. */
export function wordsOfRow(row: RowRecord, isErased = false): ReadonlySet<string> {
  const { payout, reference } = row;
  const told = new Set(withNumbers(wordsOfText(reference ?? '')));
  const add = (words: Iterable<string>): void => {
    for (const word of words) if (told.size < WORDS_OF_ROW_MOST) told.add(word);
  };
  if (payout === null) return told;
  if (!isErased) add(wordsOfPayee(payout));
  add(amountsOf(row, payout).map(amountWord));
  add([payout.sourceCurrency.toLowerCase(), payout.targetCurrency.toLowerCase()]);
  add(withNumbers(wordsOfText(payout.documentReferenceNumber ?? '')));
  add(withNumbers(wordsOfText(payout.document?.name ?? '')));
  return told;
}

/** Who is paid, by name and by what is paid to: its end, and all of it as a hash. */
export function wordsOfPayee(payout: Payout): ReadonlySet<string> {
  const names = Object.entries(payout.receivingParty).filter(([field]) => /name$/i.test(field));
  const accounts = accountsOf(payout).flatMap((account) => [endOf(account), accountWord(account)]);
  return new Set([...names.flatMap(([, value]) => wordsOfText(value)), ...accounts]);
}

/** What a payee got; null of a row that is not paid, and of one whose receiver has no name. */
export function paidBy({ payout, progress }: RowRecord): PaidEntry | null {
  const payee = payout === null || progress.stage !== 'paid' ? null : payeeKey(payout);
  if (payout === null || payee === null) return null;
  return {
    payee,
    account: accountKey(payout) ?? '',
    words: [...wordsOfPayee(payout)],
    currency: payout.targetCurrency,
    amount: progress.transfer?.receiveAmount ?? '0',
  };
}

const endOf = (account: string): string => account.slice(-END_SIGNS);

/** Where it is paid to, each in plain form. */
export function accountsOf({ deliveryMethodInfo }: Payout): readonly string[] {
  return Object.entries(deliveryMethodInfo)
    .filter(([field, value]) => isAccount(`delivery.${field}`) && value !== '')
    .map(([, value]) => plainSigns(value));
}

/** What it asks for, sends, debits and brings. */
function amountsOf({ progress }: RowRecord, { requested }: Payout): readonly DecimalText[] {
  const priced = withForeign(progress).transfer ?? progress.price;
  if (priced === null) return [requested.amount];
  const { sendAmount, feeAmount, receiveAmount } = priced;
  return [requested.amount, sendAmount, addDecimals(sendAmount, feeAmount), receiveAmount];
}

/** The ids of its transfers, ours and those of the service. They are found by all of their signs. */
export function idsOfRow({ progress }: RowRecord): readonly string[] {
  const { transfer } = withForeign(progress);
  return [
    ...progress.deadAttempts.map((dead) => dead.transfer),
    ...(transfer === null ? [] : [transfer]),
  ].flatMap(({ transferId, externalId }) => [transferId.toLowerCase(), externalId.toLowerCase()]);
}

// What is asked for.

/** `account`: a whole account, whose hash is the word; all of it is compared with the payment itself. */
export type Term = { readonly word: string; readonly isPrefix: boolean; readonly account?: string };
/** All of these words. */
type Phrase = readonly Term[];
/** One of these phrases. */
type Clause = readonly Phrase[];

export type SearchQuery = {
  /** Each has to fit. */
  readonly clauses: readonly Clause[];
  /** All of it may be an id of the service; null where it is several words. */
  readonly id: string | null;
};

/** Beyond these, words say nothing that those before them have not said. */
const WORDS_MOST = 12;

/** 1 268 750 · 1.268.750,50 · 1'268'750 · 1234.5 */
const WRITTEN_AMOUNT =
  /(?<![\p{L}\p{N}])(?:\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})+(?:[.,]\d{1,4})?|\d+[.,]\d{1,4})(?![\p{L}\p{N}])/gu;

/**
 * In their order, until one finds something: its words as they stand; all of it as one account, as a bank prints it; and numbers that may go on. None where
 * nothing is asked for.
 */
export function readQueries(text: string): readonly SearchQuery[] {
  const said = plainDigits(text.slice(0, TEXT_MOST));
  const [exact, begun] = [clausesOf(said, false), clausesOf(said, true)];
  if (exact.length === 0) return [];
  const whole = plainSigns(said);
  const isAccountLike = whole.length >= ACCOUNT_SIGNS_LEAST && ACCOUNT.test(whole);
  const id = /^\s*[\w-]{8,80}\s*$/.test(said) ? said.trim().toLowerCase() : null;
  return [
    { clauses: exact, id },
    ...(isAccountLike ? [{ clauses: [[[accountTerm(whole)]]], id: null }] : []),
    ...(isDeepStrictEqual(exact, begun) ? [] : [{ clauses: begun, id: null }]),
  ];
}

/** A number, behind the country's letters of an IBAN. */
const ACCOUNT = /^[a-z]{0,2}\d[a-z\d]*$/;

function clausesOf(said: string, isBegun: boolean): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const { 0: written } of said.matchAll(WRITTEN_AMOUNT)) {
    const asWords = wordsOfText(written).flatMap((word) => phraseOf(word, isBegun));
    clauses.push([...readings(written).map((amount) => [exactly(amountWord(amount))]), asWords]);
  }
  for (const word of wordsOfText(said.replace(WRITTEN_AMOUNT, ' '))) clauses.push(clauseOf(word, isBegun));
  return clauses.slice(0, WORDS_MOST);
}

const exactly = (word: string): Term => ({ word, isPrefix: false });
const accountTerm = (account: string): Term => ({ ...exactly(accountWord(account)), account });

/** `1.234` is a thousand and more, or one and a part. */
function readings(written: string): readonly DecimalText[] {
  const mark = /[.,](?=\d+$)/.exec(written)?.index ?? -1;
  const whole = written.replace(/\D/g, '');
  const isThousands = /^\d{1,3}(?:\D\d{3})+$/.test(written);
  const part = written.slice(mark + 1);
  const withPart = mark < 0 ? [] : [`${written.slice(0, mark).replace(/\D/g, '')}.${part}`];
  return isThousands ? [whole, ...withPart] : withPart;
}

function clauseOf(word: string, isBegun: boolean): Clause {
  const phrases = [phraseOf(word, isBegun)];
  const [, number] = /^0+([1-9]\d*)$/.exec(word) ?? [];
  if (number !== undefined) phrases.push([exactly(number)]);
  if (word.length >= ACCOUNT_SIGNS_LEAST && /^\d+$/.test(word)) phrases.push([accountTerm(word)]);
  return phrases;
}

/** A number is asked for as it is: with every one that begins so, an account by its end would stand among a thousand others. */
function phraseOf(word: string, isBegun: boolean): Phrase {
  return [{ word, isPrefix: !HAN.test(word) && (isBegun || !/^\d+$/.test(word)) }];
}

/** Whether it is what is asked for, by what it is now. Of an account fits the end that everybody sees, or all of it: whoever could try one digit more would learn the next. */
export function fits(query: SearchQuery, words: ReadonlySet<string>, accounts: readonly string[]): boolean {
  const isThere = ({ word, isPrefix, account }: Term): boolean => {
    if (account !== undefined) return accounts.includes(account);
    return words.has(word) || (isPrefix && [...words].some((each) => each.startsWith(word)));
  };
  return query.clauses.every((clause) => clause.some((phrase) => phrase.every(isThere)));
}
