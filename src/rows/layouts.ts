// By which headers a layout of the market is recognised, and what a header means in it: the table of them is `market-layouts.ts`. And the columns of any file by
// which it calls a row paid, or not to be paid.
import {
  APPROVED_CELLS,
  APPROVED_HEADERS,
  BLOCK_HEADERS,
  CREDIT_CELLS,
  DEDUCTION_HEADERS,
  KIND_HEADERS,
  PAID_CELLS,
  PAID_DAY_HEADERS,
  PAID_HEADERS,
  STATUS_HEADERS,
  STOPPED_CELLS,
  YES_CELLS,
} from './header-aliases.ts';
import { isEmail } from './cell.ts';
import { AMOUNT_COLUMNS, foldHeader, withoutSuffix } from './known-columns.ts';
import { type Layout, type LayoutId, LAYOUTS } from './market-layouts.ts';
import type { Row, Table } from './row.ts';

/** A layout as a file is held against it: its headers folded. */
type Folded = {
  readonly id: LayoutId;
  readonly knownBy: readonly (readonly string[])[];
  readonly columns: ReadonlyMap<string, string | null>;
};

const FOLDED: readonly Folded[] = Object.entries(LAYOUTS as Readonly<Record<LayoutId, Layout>>).map(
  ([id, { knownBy, columns }]) => ({
    id: id as LayoutId,
    knownBy: knownBy.map((each) => (typeof each === 'string' ? [each] : each).map(foldHeader)),
    columns: new Map(Object.entries(columns).map(([header, canonical]) => [foldHeader(header), canonical])),
  }),
);

export function layoutOf(id: LayoutId): Layout {
  return LAYOUTS[id];
}

/** The layout that these headers make up; null where they make up none. */
export function recogniseLayout(headers: readonly string[]): LayoutId | null {
  const present = new Set(headers.flatMap((header) => [foldHeader(header), foldBare(header)]));
  const found = FOLDED.find(({ knownBy }) =>
    knownBy.every((choices) => choices.some((choice) => present.has(choice))),
  );
  return found?.id ?? null;
}

/**
 * The meaning of a header in a layout: its canonical name, null where it is ignored; undefined where the layout does not know it.
 * @param others the headers beside it, one of which may be read instead.
 */
export function meaningIn(
  id: LayoutId,
  header: string,
  others: readonly string[] = [],
): string | null | undefined {
  const instead = layoutOf(id).instead?.[header.trim()];
  if (instead !== undefined && others.some((other) => foldHeader(other) === foldHeader(instead))) return null;
  const columns = FOLDED.find((layout) => layout.id === id)?.columns;
  const whole = columns?.get(foldHeader(header));
  return whole === undefined ? columns?.get(foldBare(header)) : whole;
}

/** Without a star or `(Optional)` behind it. */
function foldBare(header: string): string {
  return foldHeader(withoutSuffix(header));
}

// PayPal's files have no header at all, and pay by e-mail.

/** Whether rows without a header are those of PayPal's payouts: e-mail, amount, currency. */
export function looksLikePayPal(first: readonly (readonly string[])[]): boolean {
  const rows = first.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [start] = rows;
  if (start?.[0]?.trim() === 'PAYOUT_SUMMARY') return true;
  return (
    rows.length > 0 &&
    rows.every(([email = '', amount = '', currency = '']) => {
      return (
        isEmail(email.trim()) && /^\d[\d.,]*$/.test(amount.trim()) && /^[A-Za-z]{3}$/.test(currency.trim())
      );
    })
  );
}

// Only a column that says so tells a list of payments that were made from one of payments to make. A row that its file calls cancelled is not paid either.

function folded(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(foldHeader));
}

const STATUS_WORDS = folded([...PAID_CELLS, ...STOPPED_CELLS]);
const YES_WORDS = folded([...YES_CELLS, ...PAID_CELLS]);
const APPROVED_WORDS = folded([...YES_CELLS, ...APPROVED_CELLS]);
const CREDIT_WORDS = folded(CREDIT_CELLS);
const CHECKED = /^[✓✔☑]/u;

/** Headers, and which of their cells say that the row is paid, or is not to be paid. */
const SAID_BY = [
  { headers: folded(STATUS_HEADERS), isSaid: (cell: string) => STATUS_WORDS.has(foldHeader(cell)) },
  {
    headers: folded(PAID_HEADERS),
    isSaid: (cell: string) => CHECKED.test(cell) || YES_WORDS.has(foldHeader(cell)),
  },
  { headers: folded(PAID_DAY_HEADERS), isSaid: (cell: string) => /\d/.test(cell) },
  { headers: folded(BLOCK_HEADERS), isSaid: (cell: string) => /[\p{L}\p{N}]/u.test(cell) },
  { headers: folded(KIND_HEADERS), isSaid: (cell: string) => CREDIT_WORDS.has(foldHeader(cell)) },
  // A day is that of the approval.
  {
    headers: folded(APPROVED_HEADERS),
    isSaid: (cell: string) =>
      !CHECKED.test(cell) && !/\d\d/.test(cell) && !APPROVED_WORDS.has(foldHeader(cell)),
  },
];

/** What people write into remarks. */
const ORDER =
  /\b(?:ne (?:pas|plus) (?:payer|r[ée]gler|virer)|do not pay|don['’]t pay|(?:no|n[ãa]o) pagar|d[ée]j[àa] (?:pay|r[ée]gl|vers|vir[ée])|already paid|ya (?:fue )?pagad|j[áa] (?:foi )?pag[ao]|paiement (?:bloqu|suspendu))|已付|勿付|不要付款|暂停付款/iu;

const PAID_SUMS = folded(PAID_HEADERS);
const DEDUCTIONS = folded(DEDUCTION_HEADERS);

/** What an amount is called, folded, from which the part that was paid is taken off. */
const REST = /reste|restant|remaining|outstanding|solde|saldo|balance|pendiente/;
/** What is called so has everything taken off. */
const NET = /net|liquid|apayer|avirer|payable|apagar/;

/** Whether a column can say of a row that it is paid, or is not to be paid. */
export function saysPaid(header: string): boolean {
  return SAID_BY.some(({ headers }) => headers.has(foldHeader(header)));
}

function isAmount(canonical: string | null): boolean {
  return AMOUNT_COLUMNS.some((name) => name === canonical);
}

/** How to tell the rows that the file itself calls paid, or not to be paid, in a column of which paydrop takes nothing; null where no column could say it of any. */
export function paidInFile({ unknown, columns: all, layout, blank }: Table): ((row: Row) => boolean) | null {
  const paidBy = layout === undefined || layout === null ? undefined : layoutOf(layout).paidBy;
  const called = (words: RegExp) =>
    all.some(({ canonical, header }) => isAmount(canonical) && words.test(foldHeader(header)));
  const [isRest, isNet] = [called(REST), called(NET)];
  // A sum that was paid or deducted may not be taken off yet: somebody has to look how much is left.
  const isSumOf = (header: string) =>
    !isRest && (PAID_SUMS.has(header) || (!isNet && DEDUCTIONS.has(header)));
  const said = unknown.flatMap(({ header, index }) => {
    const folded = foldHeader(header);
    const isSaid = SAID_BY.find(({ headers }) => headers.has(folded))?.isSaid;
    const isSum = isSumOf(folded);
    // A column that nobody has filled is one that nobody uses.
    if ((isSaid === undefined && !isSum) || blank?.has(index) === true) return [];
    return [{ index, isSaid: (cell: string) => isSaid?.(cell) === true || (isSum && /[1-9]/.test(cell)) }];
  });
  const delivered = all.find(
    ({ header }) => paidBy !== undefined && foldHeader(header) === foldHeader(paidBy),
  );
  // Any digit but zero was delivered.
  if (delivered !== undefined) said.push({ index: delivered.index, isSaid: (cell) => /[1-9]/.test(cell) });
  if (unknown.length + said.length === 0) return null;
  const ordered = unknown.map(({ index }) => ({ index, isSaid: (cell: string) => ORDER.test(cell) }));
  const asked = [...said, ...ordered];
  return ({ cells }) => asked.some(({ index, isSaid }) => isSaid((cells[index] ?? '').trim()));
}
