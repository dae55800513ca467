// Every column that means something to us: its canonical name, the headers that stand for it, and what it is called for people.
import { joinWords, LANGUAGES, sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { HEADER_ALIASES, LOCAL_BANK_CODE_HEADERS, PAYEE, PAYER } from './header-aliases.ts';
import { editDistance } from '../base/plain-text.ts';
import { readCurrency, type WrittenCurrency } from './read-amount.ts';

/** Letters that Unicode does not take apart, although people write them both ways. */
const LIGATURES = Object.entries({
  ...{ œ: 'oe', æ: 'ae', ß: 'ss' },
  // Arabic: teh marbuta as heh, alef maksura as yeh, and the tatweel that only stretches a word.
  ...{ '\u0629': '\u0647', '\u0649': '\u064a', '\u0640': '' },
});
const HAS_LIGATURE = /[œæß\u0629\u0649\u0640]/;

/** No header and no word of a column is longer: what is, is only compared with itself. */
const CHARACTERS_MOST = 100;

/** As people read it, without case, accents, spaces and punctuation: `N° de compte` → `ndecompte`, `Net à payer` → `netapayer`, `Vendor #` → `vendorno`. Folding twice changes nothing. */
export function foldHeader(header: string): string {
  if (header.length > CHARACTERS_MOST) return header;
  const plain = header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/#\s*$/, 'no')
    .replace(/[^\p{L}\p{N}]/gu, '');
  // Most headers have none.
  if (!HAS_LIGATURE.test(plain)) return plain;
  return LIGATURES.reduce((text, [joined, apart]) => text.replaceAll(joined, apart), plain);
}

// The fields that the interface names, in its own spelling, so that a header typed in another case still reaches the service as it expects.

/** Party fields (interface: Party), and the names of individuals, whose record the interface does not show. */
const PARTY_FIELDS = [
  'registeredName',
  'registrationNumber',
  'firstName',
  'lastName',
  'address',
  'city',
  'countryIsoCode',
  'msisdn',
  'email',
] as const;

/** `deliveryMethodInfo` (interface: deliveryMethodInfo fields). */
export const DELIVERY_INFO_FIELDS = [
  'bankAccountHolderFullName',
  'bankAccountNumber',
  'bankAccountSwiftCode',
  'msisdn',
  'email',
  'cardNumber',
] as const;

/** The columns of our own answers, which come back when a result or rejected file is dropped again. */
const PAYOUT_COLUMNS = [
  ...['row', 'outcome', 'status', 'statusCode', 'reason', 'errorCode', 'error', 'externalId'],
  ...['transferId', 'quotationId', 'sourceCurrency', 'sendAmount', 'feeAmount'],
  ...['destinationCurrency', 'receiveAmount', 'rate'],
  ...['createdAt', 'confirmedAt', 'finalAt', 'attempts', 'batch', 'sandbox', 'outcome.fr', 'outcome.es'],
] as const;

/** A column that an answer adds. One that is not in the list would be taken for a column of the owner's own when the answer is dropped again. */
export type PayoutColumn = `payout.${(typeof PAYOUT_COLUMNS)[number]}`;

/** A profile's own headers, folded → canonical name, or null for a column that it ignores; they win over a layout's and over ours. */
export type HeaderAliases = ReadonlyMap<string, string | null>;

// Folded header → canonical column, built once from the canonical names themselves and the aliases.

export const AMOUNT_COLUMNS = ['amount', 'sourceAmount', 'destinationAmount'] as const;

/** The columns that are not fields of a party or of the delivery. */
export const PLAIN_COLUMNS = [
  'reference',
  'payoutCorridorId',
  'destinationCountryIsoCode',
  'targetCurrency',
  'transactionMode',
  'deliveryMethod',
  'bankName',
  'sourceCurrency',
  'sourceAmount',
  'destinationAmount',
  'amount',
  'currency',
  'purposeOfRemittance',
  'documentReferenceNumber',
  'attachment',
  'executionDate',
] as const;

/** A receiver's name of whatever kind: validation makes it `registeredName` for a business, and splits or passes it for an individual. */
export const RECEIVER_NAME = 'receiver.name';

const CANONICAL_NAMES: readonly string[] = [
  ...PLAIN_COLUMNS,
  RECEIVER_NAME,
  ...PARTY_FIELDS.flatMap((field) => [`sender.${field}`, `receiver.${field}`]),
  ...DELIVERY_INFO_FIELDS.map((field) => `delivery.${field}`),
  ...PAYOUT_COLUMNS.map((field) => `payout.${field}`),
];

// What each column is called for people, in a header that paydrop reads back as that column.

const HEADERS: Readonly<Record<string, Words>> = {
  reference: sentence('plainHeaders.reference'),
  payoutCorridorId: sameWords('Corridor'),
  destinationCountryIsoCode: sentence('plainHeaders.destinationCountryIsoCode'),
  targetCurrency: sentence('plainHeaders.targetCurrency'),
  transactionMode: sentence('plainHeaders.transactionMode'),
  deliveryMethod: sentence('plainHeaders.deliveryMethod'),
  bankName: sentence('plainHeaders.bankName'),
  sourceCurrency: sentence('plainHeaders.sourceCurrency'),
  sourceAmount: sentence('plainHeaders.sourceAmount'),
  destinationAmount: sentence('plainHeaders.destinationAmount'),
  amount: sentence('plainHeaders.amount'),
  currency: sentence('plainHeaders.currency'),
  purposeOfRemittance: sentence('plainHeaders.purposeOfRemittance'),
  documentReferenceNumber: sentence('plainHeaders.documentReferenceNumber'),
  attachment: sentence('plainHeaders.attachment'),
  executionDate: sentence('plainHeaders.executionDate'),
  'receiver.name': sentence('plainHeaders.headers.beneficiary'),
  'receiver.registeredName': sentence('plainHeaders.headers.company'),
  'receiver.registrationNumber': sentence('plainHeaders.headers.registrationNumber'),
  'receiver.firstName': sentence('plainHeaders.headers.firstName'),
  'receiver.lastName': sentence('plainHeaders.headers.lastName'),
  'receiver.address': sentence('plainHeaders.headers.address'),
  'receiver.city': sentence('plainHeaders.headers.city'),
  'receiver.countryIsoCode': sentence('plainHeaders.headers.beneficiaryCountry'),
  'receiver.msisdn': sentence('plainHeaders.headers.beneficiaryPhone'),
  'receiver.email': sentence('plainHeaders.headers.beneficiaryEmail'),
  'delivery.bankAccountHolderFullName': sentence('plainHeaders.headers.accountHolder'),
  'delivery.bankAccountNumber': sentence('plainHeaders.headers.accountNumber'),
  'delivery.bankAccountSwiftCode': sentence('plainHeaders.headers.swiftCode'),
  'delivery.msisdn': sentence('plainHeaders.headers.walletNumber'),
  'delivery.email': sentence('plainHeaders.headers.walletEmail'),
  'delivery.cardNumber': sentence('plainHeaders.headers.cardNumber'),
  'sender.registeredName': sentence('plainHeaders.sender.registeredName'),
  'sender.registrationNumber': sentence('plainHeaders.sender.registrationNumber'),
  'sender.firstName': sentence('plainHeaders.sender.firstName'),
  'sender.lastName': sentence('plainHeaders.sender.lastName'),
  'sender.address': sentence('plainHeaders.sender.address'),
  'sender.city': sentence('plainHeaders.sender.city'),
  'sender.countryIsoCode': sentence('plainHeaders.sender.countryIsoCode'),
  'sender.msisdn': sentence('plainHeaders.sender.msisdn'),
  'sender.email': sentence('plainHeaders.sender.email'),
};

const namesOf = (words: Words) => LANGUAGES.map((language) => words[language]);

/** Folded header → canonical name, the canonical names among the headers. */
export const KNOWN_COLUMNS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(HEADER_ALIASES).flatMap(([canonical, headers]) =>
    headers.map((header): [string, string] => [foldHeader(header), canonical]),
  ),
  ...CANONICAL_NAMES.map((name): [string, string] => [foldHeader(name), name]),
  // A file speaks of receivers: a column is the sender's only by these very words.
  ...Object.entries(HEADERS).flatMap(([canonical, words]) =>
    canonical.startsWith('sender.')
      ? namesOf(words).map((header): [string, string] => [foldHeader(header), canonical])
      : [],
  ),
]);

/** A prefixed column whose field the interface does not list: the field keeps the header's own spelling. */
const PREFIXED = /^\s*(sender|receiver|delivery|payout)\s*\.\s*(\S(?:.*\S)?)\s*$/i;

/** No header is longer; a longer text is data or garbage. A search for words at its end would take time with the square of its length. */
const HEADER_CHARS_MAX = 200;

/** The canonical name of a header that means the same whatever stands beside it, or null. */
export function canonicalOf(header: string): string | null {
  if (header.length > HEADER_CHARS_MAX) return null;
  const bare = withoutSuffix(header);
  const known = KNOWN_COLUMNS.get(foldHeader(header)) ?? KNOWN_COLUMNS.get(foldHeader(bare));
  if (known !== undefined) return known;
  const said = ofEither(bare) ?? ofPayee(bare);
  if (said !== null) return said;
  if (headerCorridor(header) !== null) return CORRIDOR;
  const [, prefix, field] = PREFIXED.exec(header) ?? [];
  return prefix === undefined || field === undefined ? null : `${prefix.toLowerCase()}.${field}`;
}

/** Words for an account that alone may be one of the books. */
const ACCOUNT_WORDS: ReadonlySet<string> = new Set(
  'account,acct,compte,cuenta,conta,konto,rib,bban'.split(','),
);

/** `NIB/IBAN`, `IBAN or account`: two names of one column. */
function ofEither(header: string): string | null {
  const names = header.split(/(?<!\s)\s*\/\s*|(?<!\s)\s+(?:or|ou|o|oder)\s+/i);
  const parts = names.map(foldHeader);
  if (parts.length < 2) return null;
  const known = new Set(
    names.map((name) => KNOWN_COLUMNS.get(foldHeader(name)) ?? ofPayee(name) ?? undefined),
  );
  if (known.size === 2 && known.has(ACCOUNT) && parts.some((part) => ACCOUNT_WORDS.has(part)))
    known.delete(undefined);
  return known.size === 1 ? ([...known][0] ?? null) : null;
}

const ACCOUNT = 'delivery.bankAccountNumber';

const BETWEEN = /(?<!\p{L})(?:of|the|du|de|la|des|del|do|da|der)(?!\p{L})/giu;

/** What a column may say of the payee; not a country or a card, which may be the bank's and the house's, and not a number of the payer's own. */
const OF_PAYEE = /^(?:delivery\.(?!cardNumber$)|bankName$|receiver\.(?!countryIsoCode$|registrationNumber$))/;

function plain(header: string): string {
  return header.normalize('NFD').replace(/\p{M}/gu, '');
}

/** What a header says without the word for the payee: of `MSISDN bénéficiaire` and `Employee bank` the first and the last word. */
export function withoutPayee(header: string): string {
  return isPayeeWord(header) ? plain(header).replace(PAYEE, ' ').replace(BETWEEN, ' ') : header;
}

function ofPayee(header: string): string | null {
  const known = isPayeeWord(header) ? KNOWN_COLUMNS.get(foldHeader(withoutPayee(header))) : undefined;
  return known !== undefined && OF_PAYEE.test(known) ? known : null;
}

/** Whether a header speaks of who is paid. */
export function isPayeeWord(header: string): boolean {
  return plain(header).search(PAYEE) >= 0;
}

/** Whether a header speaks of who pays: what stands there is never the receiver's. */
export function isPayerWord(header: string): boolean {
  return PAYER.test(foldHeader(header));
}

const CORRIDOR = 'payoutCorridorId';

/** The corridor that a header names for its whole column, as a template's does: `Corridor (chn-cny-b2c-alipay)`; null where it names none. */
export function headerCorridor(header: string): string | null {
  if (header.length > HEADER_CHARS_MAX) return null;
  const [, name, id] = /^([^()]+)\(([a-z\d]+(?:-[a-z\d]+)+)\)$/.exec(header.trim()) ?? [];
  return name !== undefined && id !== undefined && KNOWN_COLUMNS.get(foldHeader(name)) === CORRIDOR
    ? id
    : null;
}

/** What forms put behind a name: a star, whether it must be filled in, or `(T)` for the text of a code. Anything else may change the meaning. */
const SUFFIX =
  /(?<!\s)\s*(?:\*|\((?:t|optional|required|mandatory|facultatif|facultative|optionnel|obligatoire|opcional|obligatorio|obrigatório)\))\s*$/iu;

/** `(XAF)`, `[USD]`, `en FCFA`, `XAF`: the last word, or what stands in brackets behind it; in one word with its name as in `amount_usd` and `amountUSD`. */
const CURRENCY_SUFFIX =
  /(?<!\s)\s*(?:[([]\s*(?<within>[^()[\]]{1,8}?)\s*[)\]]|\s(?:en\s|in\s)?(?<bare>F ?CFA|[A-Z]{3})|[_-](?<snake>fcfa|[A-Za-z]{3})|(?<=\p{Ll})(?<camel>F?CFA|[A-Z][A-Za-z]{2}))\s*$/u;

/** The name that a header has without what forms and programs put behind it. */
export function withoutSuffix(header: string): string {
  if (header.length > HEADER_CHARS_MAX) return header;
  const bare = header.replace(SUFFIX, '').replace(SUFFIX, '');
  return headerCurrency(header) === null ? bare : bare.replace(CURRENCY_SUFFIX, '');
}

/** The currency that a header names behind its name, as in `Montant (XAF)`, `Montant FCFA` or `amount_xaf`; null where it names none. */
export function headerCurrency(header: string): WrittenCurrency | null {
  if (header.length > HEADER_CHARS_MAX) return null;
  const bare = header.replace(SUFFIX, '').replace(SUFFIX, '');
  const found = CURRENCY_SUFFIX.exec(bare)?.groups ?? {};
  const joined = (found['snake'] ?? found['camel'])?.toUpperCase();
  const named = joined ?? found['within'] ?? found['bare'] ?? '';
  // Signs such as `F` and `$` may stand for something else in a header.
  if (!/^(?:[A-Z]{3}|F ?CFA)$/.test(named)) return null;
  const name = KNOWN_COLUMNS.get(foldHeader(bare.replace(CURRENCY_SUFFIX, ''))) ?? null;
  // In one word with anything but an amount, three letters may say anything.
  return joined === undefined || isAmountColumn(name) ? readCurrency(named) : null;
}

const LOCAL_BANK_CODES: ReadonlySet<string> = new Set(LOCAL_BANK_CODE_HEADERS.map(foldHeader));

/** True for a code by which the banks of one country know each other. */
export function isLocalBankCode(header: string): boolean {
  return LOCAL_BANK_CODES.has(foldHeader(withoutSuffix(header)));
}

export function isAmountColumn(canonical: string | null): boolean {
  return AMOUNT_COLUMNS.some((name) => name === canonical);
}

/** The header of a column for people; its canonical name where it has no other. */
export function plainHeader(canonical: string): Words {
  return (Object.hasOwn(HEADERS, canonical) ? HEADERS[canonical] : undefined) ?? sameWords(canonical);
}

/** `Card number, or Account number with SWIFT code`: groups of columns, one of which is enough. */
export function waysWords(groups: readonly (readonly Words[])[]): Words {
  const each = groups.map((group) => joinWords(group, sentence('list.with')));
  return joinWords(each, sentence('list.orElse'));
}

/** Shorter words stand in too many headers. */
const WORD_LEAST = 4;
const plainName = (header: string) => ({
  words: header.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
  folded: foldHeader(header),
});

/** By column, its headers for people. */
const PLAIN_NAMES = Object.entries(HEADERS).map(
  ([canonical, words]) => [canonical, namesOf(words).map(plainName)] as const,
);

/** The column whose header has all words of this one, or one letter in five otherwise; null when that is none, or several. */
export function nearColumn(header: string): string | null {
  const { words, folded } = plainName(header);
  if (folded.length < WORD_LEAST) return null;
  const isNear = (own: ReturnType<typeof plainName>): boolean =>
    words.every((word) => word.length >= WORD_LEAST && own.words.some((each) => each === word)) ||
    (Math.abs(own.folded.length - folded.length) * 5 <= folded.length &&
      editDistance(own.folded, folded) * 5 <= folded.length);
  const [near, other] = PLAIN_NAMES.filter(([, names]) => names.some(isNear));
  return other === undefined ? (near?.[0] ?? null) : null;
}

/** With the interface's name behind it: `First name (receiver.firstName)`. */
export function namedHeader(canonical: string): Words {
  const counted = plainHeader(canonical);
  return counted.en === canonical
    ? sameWords(canonical)
    : sentence('annotated', { words: counted, note: canonical });
}

/** `Corridor (chn-cny-b2c-alipay)`: a header that says of all its rows what their empty cells leave out. */
export function corridorHeader(id: string): string {
  return `Corridor (${id})`;
}
