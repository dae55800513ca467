// Folded header → canonical column, built once from the canonical names themselves and the aliases.
import { currencyDecimals } from '../base/currency.ts';
import { foldHeader } from './fold-header.ts';
import { HEADER_ALIASES } from './header-aliases.ts';
import { DELIVERY_INFO_FIELDS, PARTY_FIELDS, PAYOUT_COLUMNS } from './interface-fields.ts';

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

/** Folded header → canonical name, the canonical names among the headers. */
export const KNOWN_COLUMNS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(HEADER_ALIASES).flatMap(([canonical, lists]) =>
    lists.flat().map((alias): [string, string] => [foldHeader(alias), canonical]),
  ),
  ...CANONICAL_NAMES.map((name): [string, string] => [foldHeader(name), name]),
]);

/** A prefixed column whose field the interface does not list: the field keeps the header's own spelling. */
const PREFIXED = /^\s*(sender|receiver|delivery|payout)\s*\.\s*(\S(?:.*\S)?)\s*$/i;

/** No header is longer; a longer text is data or garbage, and not worth folding. */
const HEADER_CHARS_MAX = 200;

/** The canonical name of a header that means the same whatever stands beside it, or null. */
export function canonicalOf(header: string): string | null {
  if (header.length > HEADER_CHARS_MAX) return null;
  const known = KNOWN_COLUMNS.get(foldHeader(header)) ?? KNOWN_COLUMNS.get(foldHeader(withoutSuffix(header)));
  if (known !== undefined) return known;
  if (headerCorridor(header) !== null) return CORRIDOR;
  const [, prefix, field] = PREFIXED.exec(header) ?? [];
  return prefix === undefined || field === undefined ? null : `${prefix.toLowerCase()}.${field}`;
}

const CORRIDOR = 'payoutCorridorId';

/** The corridor that a header names for its whole column, as a template's does: `Corridor (chn-cny-b2c-alipay)`; null where it names none. */
export function headerCorridor(header: string): string | null {
  const [, name, id] = /^\s*([^()]+?)\s*\(([a-z\d]+(?:-[a-z\d]+)+)\)\s*$/.exec(header) ?? [];
  return name !== undefined && id !== undefined && KNOWN_COLUMNS.get(foldHeader(name)) === CORRIDOR
    ? id
    : null;
}

/** What forms put behind a name: a star, whether it must be filled in, the currency of its amounts. Anything else may change the meaning. */
const SUFFIX =
  /\s*(?:\*|\((?:optional|required|mandatory|facultatif|facultative|optionnel|obligatoire|opcional|obligatorio|obrigatório|[A-Z]{3})\))\s*$/iu;

function withoutSuffix(header: string): string {
  const bare = header.replace(SUFFIX, '').replace(SUFFIX, '');
  const currency = headerCurrency(header);
  // Three letters that are no currency may say anything: `Amount (net)`.
  return bare === header || (currency === null && /\([A-Za-z]{3}\)/.test(header)) ? header : bare;
}

/** The currency that a header names in parentheses, as in `Montant (XAF)`; null where it names none. */
export function headerCurrency(header: string): string | null {
  const [, code] = /\(([A-Z]{3})\)\s*\*?\s*$/.exec(header) ?? [];
  return code !== undefined && currencyDecimals(code) !== null ? code : null;
}

/** True for the columns that hold amounts. */
export function isAmountColumn(canonical: string | null): boolean {
  return AMOUNT_COLUMNS.some((name) => name === canonical);
}
