// What no list of payments says: who is paid how, from which balance, for what. A proposal asks for exactly these, all at once and with the words that may be
// written, so that a file whose columns are understood is payable after one answer.
import type { Words } from '../../base/language.ts';
import { sameWords } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { asksOf } from '../../payouts/ask-what-all-require.ts';
import { corridorChoices, findCorridor, PURPOSE_WORDS } from '../../payouts/corridor.ts';
import { fitsWord } from '../../payouts/recognize.ts';
import type { Rejection, RejectionCode } from '../../payouts/rejection.ts';
import { RowReader } from '../../payouts/row-reader.ts';
import { plainWords } from '../../rows/header-aliases.ts';
import { isSaid, type Row, type Table } from '../../rows/row.ts';
import { LISTED_PURPOSES, type PayoutCorridor } from '../../service/wire.ts';

/** What is to be said once for all rows. */
export type AskedOnce = {
  /** The canonical name. */
  readonly column: string;
  /** What may be written, in words; none where a person says it in words of their own. */
  readonly choices: readonly Words[];
  /** What each of the choices means, in their order; none where they say it themselves. */
  readonly meanings: readonly Words[];
  /** The choice that the file makes likely; null where it makes none. */
  readonly likely: Words | null;
};

/** Of a row with no other faults the columns are read rightly: what it lacks, somebody adds; and an IBAN with a wrong check digit stands in a column of IBANs. */
const LACKING: readonly RejectionCode[] = [
  'corridor_missing',
  'corridor_ambiguous',
  'purpose_missing',
  'amount_currency_missing',
  'source_currency_missing',
  'receiver_field_missing',
  'delivery_field_missing',
  'sender_missing',
  'attachment_missing',
  'attachment_not_found',
  'iban_wrong',
];

export function isLacking(code: RejectionCode): boolean {
  return LACKING.includes(code);
}

/** What the rows lack whichever of their remaining corridors they take. */
type Lacking = {
  /** Those that some row with a fault may take still. */
  readonly left: readonly PayoutCorridor[];
  /** By canonical name, what every one of those of some row requires and the row does not say. */
  readonly columns: ReadonlySet<string>;
  /** Whether some row has nothing wrong with it: what is said for all rows would be said of that one too. */
  readonly isAnySound: boolean;
};

/** Rows whose corridor is open are each held against several; the first of them tell enough. */
const HELD_AGAINST_MOST = 100;

/** A row of the file, and what is wrong with it. */
type TriedRow = { readonly row: Row; readonly rejections: readonly Rejection[] };

/** Takes every row of a trial. A corridor that the columns of accounts, or the kind of the file, make unlikely counts only where none else is left. */
export function startLacking(table: Table, corridors: readonly PayoutCorridor[]) {
  const fitting = new Set(fitsKind(table, fittingAccounts(table, corridors)));
  const left = new Set<PayoutCorridor>();
  const columns = new Set<string>();
  let held = 0;
  let isAnySound = false;
  /** Of a row whose corridor is open, whether each that it may take is a bank transfer. */
  const take = ({ row, rejections }: TriedRow): boolean => {
    isAnySound ||= rejections.length === 0;
    if (rejections.length === 0) return false;
    for (const { code, canonical } of rejections)
      if (isLacking(code) && canonical !== undefined) columns.add(canonical);
    const found = findCorridor(new RowReader(table, row), corridors);
    const likely = found.left.filter((corridor) => fitting.has(corridor));
    const open = likely.length > 0 ? likely : found.left;
    for (const corridor of found.corridor === null ? open : [found.corridor]) left.add(corridor);
    if (open.length === 0) return false;
    const isToBanks = open.every(({ deliveryMethod }) => deliveryMethod === 'bankTransfer');
    if (held >= HELD_AGAINST_MOST) return isToBanks;
    held += 1;
    const [first = [], ...others] = open.map((corridor) =>
      asksOf(table, row, corridor).map(({ canonical = '' }) => canonical),
    );
    for (const column of first) if (others.every((each) => each.includes(column))) columns.add(column);
    return isToBanks;
  };
  const lacking = (): Lacking => ({ left: [...left], columns, isAnySound });
  return { take, lacking };
}

/** By the codes of the faults in the rows, and what these lack. */
export function askedOnce(
  codes: ReadonlySet<string>,
  table: Table,
  corridors: readonly PayoutCorridor[],
  lacking: Lacking = { left: fittingAccounts(table, corridors), columns: new Set(), isAnySound: false },
): readonly AskedOnce[] {
  const kind = kindOf(table);
  const asks: AskedOnce[] = [];
  if (codes.has('corridor_missing') || codes.has('corridor_ambiguous'))
    asks.push(...howAsks(table, fittingAccounts(table, corridors), kind));
  asks.push(...balanceAsks(codes, table, lacking));
  if (codes.has('purpose_missing')) {
    const choices = LISTED_PURPOSES.map((purpose) => PURPOSE_WORDS[purpose]);
    const likely = kind === 'staff' ? PURPOSE_WORDS.SALARY_PAYMENT : null;
    asks.push({ column: 'purposeOfRemittance', choices, meanings: [], likely });
  }
  const own = { choices: [], meanings: [], likely: null };
  return [...asks, ...ofAllPersons(codes, table, lacking).map((column) => ({ column, ...own }))];
}

/** The staff of one country may live in one city, and one document may list the wages of all; of suppliers each has its own. */
function ofAllPersons(
  codes: ReadonlySet<string>,
  table: Table,
  { left, columns, isAnySound }: Lacking,
): readonly string[] {
  if (isAnySound) return [];
  const countries = new Set(left.map(({ destinationCountryIsoCode }) => destinationCountryIsoCode));
  if (countries.size !== 1 || !left.every(({ transactionMode }) => transactionMode.endsWith('C'))) return [];
  const isAsked = (column: string) => !isSaid(table, column);
  return [
    ...(columns.has('receiver.city') ? ['receiver.city'] : []),
    ...(codes.has('attachment_missing') ? ['attachment'] : []),
  ].filter(isAsked);
}

/** What is said of each receiver, in columns or in a list that names receivers as the column `by` does. */
export type OwnOfReceivers = { readonly columns: readonly string[]; readonly by: string };

const OWN: readonly string[] = ['receiver.address', 'receiver.city', 'delivery.bankAccountSwiftCode'];

/** @param asks what is said once instead. */
export function ownOfReceivers(
  table: Table,
  { columns }: Lacking,
  asks: readonly AskedOnce[],
): OwnOfReceivers | null {
  const name = table.columns.find(({ canonical }) =>
    /^receiver\.(?:registeredN|n)ame$/.test(canonical ?? ''),
  );
  const own = OWN.filter((column) => columns.has(column) && !isSaid(table, column));
  const left = own.filter((column) => !asks.some((ask) => ask.column === column));
  if (name === undefined || left.length === 0 || table.message !== undefined) return null;
  return { columns: left, by: name.header.trim() };
}

/** In which currency the amounts are; and from which balance they are paid, where an amount may be what arrives: not only once the first is said. */
function balanceAsks(codes: ReadonlySet<string>, table: Table, { left }: Lacking): readonly AskedOnce[] {
  const isCurrencyOpen = codes.has('amount_currency_missing');
  const isChosen = left.some(({ sourceCurrencies }) => sourceCurrencies.length > 1);
  const isBalanceOpen =
    codes.has('source_currency_missing') ||
    (!isSaid(table, 'sourceCurrency') && (isCurrencyOpen ? isChosen : isOpenBalance(codes, table)));
  const balances = sorted(left.flatMap(({ sourceCurrencies }) => sourceCurrencies));
  return [
    ...(isCurrencyOpen ? [currencyAsk(left, balances)] : []),
    ...(isBalanceOpen
      ? [{ column: 'sourceCurrency', choices: balances.map(sameWords), meanings: [], likely: null }]
      : []),
  ];
}

function currencyAsk(left: readonly PayoutCorridor[], sent: readonly string[]): AskedOnce {
  const received = sorted(left.map(({ targetCurrency }) => targetCurrency));
  const choices = sorted([...received, ...sent]);
  const meaningOf = (currency: string) => {
    if (!sent.includes(currency)) return sentence('asked.received');
    return sentence(received.includes(currency) ? 'asked.either' : 'asked.sent');
  };
  return {
    ...{ column: 'currency', choices: choices.map(sameWords), likely: null },
    meanings: choices.map(meaningOf),
  };
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** While the corridor is open, nobody knows yet on which side of it an amount without any currency is. */
function isOpenBalance(codes: ReadonlySet<string>, table: Table): boolean {
  const isOpen = codes.has('corridor_missing') || codes.has('corridor_ambiguous');
  return isOpen && !isSaid(table, 'sourceAmount');
}

const HOW = ['destinationCountryIsoCode', 'transactionMode', 'deliveryMethod'] as const;

/** The columns that tell the remaining corridors apart, and of which the file says nothing. */
function howAsks(table: Table, left: readonly PayoutCorridor[], kind: FileKind): readonly AskedOnce[] {
  const asks = HOW.filter((chooser) => !isSaid(table, chooser)).flatMap((column) => {
    const choices = corridorChoices(column, left);
    const [only, ...others] = choices;
    if (only === undefined || (others.length === 0 && column !== 'destinationCountryIsoCode')) return [];
    return [{ column, choices, meanings: [], likely: others.length === 0 ? only : likelyOf(column, kind) }];
  });
  if (asks.length > 0) return asks;
  const choices = corridorChoices('payoutCorridorId', left);
  return [{ column: 'payoutCorridorId', choices, meanings: [], likely: null }];
}

function likelyOf(column: string, kind: FileKind): Words | null {
  if (column !== 'transactionMode' || kind === null) return null;
  return sentence(kind === 'staff' ? 'corridor.mode.B2C' : 'corridor.mode.B2B');
}

/** Those that the account columns of the file, and what is said of all its rows, leave. */
function fittingAccounts(table: Table, corridors: readonly PayoutCorridor[]): readonly PayoutCorridor[] {
  const enabled = corridors.filter(({ isEnabled }) => isEnabled);
  const said = HOW.flatMap((column) => table.meaning?.constants.get(column) ?? []);
  const named = enabled.filter((corridor) => said.every((word) => fitsWord(corridor, word)));
  const payable = (named.length > 0 ? named : enabled).filter(({ requiredDeliveryMethodFields }) => {
    const groups = requiredDeliveryMethodFields.filter((group) => group.length > 0);
    return groups.length === 0 || groups.some((group) => group.some((field) => isAccountSaid(table, field)));
  });
  return payable.length > 0 ? payable : named.length > 0 ? named : enabled;
}

/** Those of the mode that the kind of the file makes likely, where the file says no mode. */
function fitsKind(table: Table, corridors: readonly PayoutCorridor[]): readonly PayoutCorridor[] {
  const kind = isSaid(table, 'transactionMode') ? null : kindOf(table);
  const mode = kind === 'staff' ? 'B2C' : 'B2B';
  const likely = kind === null ? [] : corridors.filter(({ transactionMode }) => transactionMode === mode);
  return likely.length > 0 ? likely : corridors;
}

/** Which field says where the money goes; the others say whose it is, and at which bank. */
function isAccountSaid(table: Table, field: string): boolean {
  return /^(?:bankAccountNumber|msisdn|email|cardNumber)$/.test(field) && isSaid(table, `delivery.${field}`);
}

type FileKind = 'staff' | 'suppliers' | null;

const STAFF =
  /\b(?:matricule|salari\w*|salair\w*|salary|salaries|paie|payroll|employee\w*|employes?|staff|cnps|cnss|net pay|nomina|empleado\w*|nettolohn|mitarbeiter)\b/;
const SUPPLIERS =
  /\b(?:fournisseur\w*|supplier\w*|vendor\w*|creditor\w*|factures?|invoices?|proveedor\w*|lieferant\w*|raison sociale)\b/;

/** Whom the file pays, where its headers or its name say so. */
function kindOf({ columns, fileName = '' }: Table): FileKind {
  const texts = [...columns.map(({ header }) => header), fileName].map(plainWords).join(' ; ');
  const [isStaff, isSuppliers] = [STAFF.test(texts), SUPPLIERS.test(texts)];
  return isStaff === isSuppliers ? null : isStaff ? 'staff' : 'suppliers';
}
