// What no list of payments says: who is paid how, from which balance, for what. A proposal asks for exactly these, all at once and with the words that may be
// written, so that a file whose columns are understood is payable after one answer.
import type { Words } from '../../base/language.ts';
import { sameWords } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { corridorChoices, PURPOSE_WORDS } from '../../payouts/corridor.ts';
import { fitsWord } from '../../payouts/recognize.ts';
import type { RejectionCode } from '../../payouts/rejection.ts';
import { plainWords } from '../../rows/header-aliases.ts';
import { isSaid, type Table } from '../../rows/row.ts';
import { LISTED_PURPOSES, type PayoutCorridor } from '../../service/wire.ts';

/** What is to be said once for all rows. */
export type AskedOnce = {
  /** The canonical name. */
  readonly column: string;
  /** What may be written, in words. */
  readonly choices: readonly Words[];
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

/** By the codes of the faults in the rows. */
export function askedOnce(
  codes: ReadonlySet<string>,
  table: Table,
  corridors: readonly PayoutCorridor[],
): readonly AskedOnce[] {
  const kind = kindOf(table);
  const left = fitting(table, corridors);
  const asks: AskedOnce[] = [];
  if (codes.has('corridor_missing') || codes.has('corridor_ambiguous'))
    asks.push(...howAsks(table, left, kind));
  if (codes.has('amount_currency_missing')) {
    const received = left.map(({ targetCurrency }) => targetCurrency);
    asks.push(plainAsk('currency', [...left.flatMap((each) => each.sourceCurrencies), ...received]));
  }
  // The balance follows from an amount in its currency.
  else if (codes.has('source_currency_missing') || isOpenBalance(codes, table))
    asks.push(
      plainAsk(
        'sourceCurrency',
        left.flatMap((each) => each.sourceCurrencies),
      ),
    );
  if (codes.has('purpose_missing')) {
    const choices = LISTED_PURPOSES.map((purpose) => PURPOSE_WORDS[purpose]);
    const likely = kind === 'staff' ? PURPOSE_WORDS.SALARY_PAYMENT : null;
    asks.push({ column: 'purposeOfRemittance', choices, likely });
  }
  return asks;
}

/** While the corridor is open, nobody knows yet on which side of it an amount without any currency is. */
function isOpenBalance(codes: ReadonlySet<string>, table: Table): boolean {
  const isOpen = codes.has('corridor_missing') || codes.has('corridor_ambiguous');
  return isOpen && !isSaid(table, 'sourceCurrency') && !isSaid(table, 'sourceAmount');
}

function plainAsk(column: string, values: readonly string[]): AskedOnce {
  return { column, choices: [...new Set(values)].sort().map(sameWords), likely: null };
}

const HOW = ['destinationCountryIsoCode', 'transactionMode', 'deliveryMethod'] as const;

/** The columns that tell the remaining corridors apart, and of which the file says nothing. */
function howAsks(table: Table, left: readonly PayoutCorridor[], kind: FileKind): readonly AskedOnce[] {
  const asks = HOW.filter((chooser) => !isSaid(table, chooser)).flatMap((column) => {
    const choices = corridorChoices(column, left);
    const [only, ...others] = choices;
    if (only === undefined || (others.length === 0 && column !== 'destinationCountryIsoCode')) return [];
    return [{ column, choices, likely: others.length === 0 ? only : likelyOf(column, kind) }];
  });
  if (asks.length > 0) return asks;
  return [{ column: 'payoutCorridorId', choices: corridorChoices('payoutCorridorId', left), likely: null }];
}

function likelyOf(column: string, kind: FileKind): Words | null {
  if (column !== 'transactionMode' || kind === null) return null;
  return sentence(kind === 'staff' ? 'corridor.mode.B2C' : 'corridor.mode.B2B');
}

/** Those that the account columns of the file, and what is said of all its rows, leave. */
function fitting(table: Table, corridors: readonly PayoutCorridor[]): readonly PayoutCorridor[] {
  const enabled = corridors.filter(({ isEnabled }) => isEnabled);
  const said = HOW.flatMap((column) => table.meaning?.constants.get(column) ?? []);
  const named = enabled.filter((corridor) => said.every((word) => fitsWord(corridor, word)));
  const payable = (named.length > 0 ? named : enabled).filter(({ requiredDeliveryMethodFields }) => {
    const groups = requiredDeliveryMethodFields.filter((group) => group.length > 0);
    return groups.length === 0 || groups.some((group) => group.some((field) => isAccountSaid(table, field)));
  });
  return payable.length > 0 ? payable : named.length > 0 ? named : enabled;
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
