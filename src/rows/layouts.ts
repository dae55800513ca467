// By which headers a layout of the market is recognised, and what a header means in it: the table of them is `market-layouts.ts`. And the columns of any file by
// which it calls a row paid, or not to be paid.
import {
  APPROVED_HEADERS,
  NO_CELLS,
  PAID_CELLS,
  PAID_DAY_HEADERS,
  PAID_HEADERS,
  STATUS_HEADERS,
  STOPPED_CELLS,
  YES_CELLS,
} from './header-aliases.ts';
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

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Whether rows without a header are those of PayPal's payouts: e-mail, amount, currency. */
export function looksLikePayPal(first: readonly (readonly string[])[]): boolean {
  const rows = first.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [start] = rows;
  if (start?.[0]?.trim() === 'PAYOUT_SUMMARY') return true;
  return (
    rows.length > 0 &&
    rows.every(([email = '', amount = '', currency = '']) => {
      return (
        EMAIL.test(email.trim()) && /^\d[\d.,]*$/.test(amount.trim()) && /^[A-Za-z]{3}$/.test(currency.trim())
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
const NO_WORDS = folded(NO_CELLS);

/** Headers, and which of their cells say that the row is paid, or is not to be paid. */
const SAID_BY = [
  { headers: folded(STATUS_HEADERS), isSaid: (cell: string) => STATUS_WORDS.has(foldHeader(cell)) },
  {
    headers: folded(PAID_HEADERS),
    isSaid: (cell: string) => /^[✓✔☑]/u.test(cell) || YES_WORDS.has(foldHeader(cell)),
  },
  { headers: folded(PAID_DAY_HEADERS), isSaid: (cell: string) => /\d/.test(cell) },
  { headers: folded(APPROVED_HEADERS), isSaid: (cell: string) => NO_WORDS.has(foldHeader(cell)) },
];

const PAID_SUMS = folded(PAID_HEADERS);

/** What an amount is called, folded, from which the part that was paid is taken off. */
const REST = /reste|restant|remaining|outstanding|solde|saldo|balance|pendiente/;

/** Whether a column can say of a row that it is paid, or is not to be paid. */
export function saysPaid(header: string): boolean {
  return SAID_BY.some(({ headers }) => headers.has(foldHeader(header)));
}

function isAmount(canonical: string | null): boolean {
  return AMOUNT_COLUMNS.some((name) => name === canonical);
}

/** How to tell the rows that the file itself calls paid, or not to be paid, in a column of which paydrop takes nothing; null where no column says it of any. */
export function paidInFile({ unknown, columns: all, layout }: Table): ((row: Row) => boolean) | null {
  const paidBy = layout === undefined || layout === null ? undefined : layoutOf(layout).paidBy;
  const isRest = all.some(({ canonical, header }) => isAmount(canonical) && REST.test(foldHeader(header)));
  const said = unknown.flatMap(({ header, index }) => {
    const isSaid = SAID_BY.find(({ headers }) => headers.has(foldHeader(header)))?.isSaid;
    if (isSaid === undefined) return [];
    // A sum that was paid is not taken off yet: somebody has to look how much is left.
    const isSum = (cell: string): boolean =>
      !isRest && PAID_SUMS.has(foldHeader(header)) && /[1-9]/.test(cell);
    return [{ index, isSaid: (cell: string) => isSaid(cell) || isSum(cell) }];
  });
  const delivered = all.find(
    ({ header }) => paidBy !== undefined && foldHeader(header) === foldHeader(paidBy),
  );
  // Any digit but zero was delivered.
  if (delivered !== undefined) said.push({ index: delivered.index, isSaid: (cell) => /[1-9]/.test(cell) });
  if (said.length === 0) return null;
  return ({ cells }) => said.some(({ index, isSaid }) => isSaid((cells[index] ?? '').trim()));
}
