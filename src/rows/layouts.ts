// By which headers a layout of the market is recognised, and what a header means in it: the table of them is `market-layouts.ts`.
import { isEmail } from './cell.ts';
import { foldHeader, type HeaderAliases, withoutSuffix } from './known-columns.ts';
import { type Layout, type LayoutId, LAYOUTS } from './market-layouts.ts';

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

/** The layout of this name; null where a file has none. */
export function layoutOf(id: LayoutId | null | undefined): Layout | null {
  return id === null || id === undefined ? null : LAYOUTS[id];
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
 * What a person says of a header, else what the layout does: its canonical name, null where it is ignored; undefined where neither knows it.
 * @param others the headers beside it, one of which a layout may read instead.
 */
export function decidedMeaning(
  header: string,
  {
    layout: id,
    aliases,
  }: { readonly layout: LayoutId | null | undefined; readonly aliases?: HeaderAliases | undefined },
  others: readonly string[] = [],
): string | null | undefined {
  const stated = aliases?.get(foldHeader(header));
  const layout = layoutOf(id);
  if (stated !== undefined || layout === null) return stated;
  const instead = layout.instead?.[header.trim()];
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
