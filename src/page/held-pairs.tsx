// Held rows, one below the other, each above the payment that made paydrop ask: what differs between the two is marked.
import type { ComponentChildren } from 'preact';

import type { HeldRow } from '../contract/decisions.ts';
import type { Listing } from './data.ts';
import { t, withCurrency } from './language.ts';
import { When } from './parts.tsx';
import { Link } from './router.tsx';
import { RowTag } from './row-tag.tsx';
import { type TableColumn, ListTable } from './table.tsx';

type Chosen = {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (rows: ReadonlySet<string>) => void;
};

export const keyOfHeld = ({ row }: HeldRow): string => row.row;

/** @param words what is said of all of them; `batch`: their own. */
export function HeldPairs({
  listing,
  words,
  batch,
  ...choice
}: Chosen & { readonly listing: Listing<HeldRow>; readonly words: string; readonly batch: string }) {
  const hasWhy = (listing.rows ?? []).some((held) => whyOf(held, words) !== null);
  return (
    <ListTable
      listing={listing}
      columns={[...columnsOf(batch, choice), ...(hasWhy ? [whyColumn(words)] : [])]}
      keyOf={keyOfHeld}
      empty={t('held.none')}
    />
  );
}

/** The row itself, and below it what it meets. */
function Pair({
  own,
  met,
  differs = false,
}: {
  readonly own: ComponentChildren;
  readonly met: ComponentChildren;
  readonly differs?: boolean;
}) {
  return (
    <span class="pair">
      <span>{differs ? <mark>{own}</mark> : own}</span>
      {met === null ? null : <span class="soft">{differs ? <mark>{met}</mark> : met}</span>}
    </span>
  );
}

function columnsOf(batch: string, { chosen, choose }: Chosen): readonly TableColumn<HeldRow>[] {
  const turn = (row: string): void =>
    choose(new Set(chosen.has(row) ? [...chosen].filter((each) => each !== row) : [...chosen, row]));
  const differs = ({ met }: HeldRow, name: NonNullable<HeldRow['met']>['differs'][number]): boolean =>
    met?.differs.includes(name) === true;
  return [
    {
      name: t('check.row'),
      isHead: true,
      value: ({ row: { row }, met }) => (
        <Pair
          own={
            <label class="check">
              <input
                type="checkbox"
                aria-label={t('held.choose', { row })}
                checked={chosen.has(row)}
                onChange={() => turn(row)}
              />
              {row}
            </label>
          }
          met={met && <MetLink batch={batch} met={met} />}
        />
      ),
    },
    {
      name: t('batch.reference'),
      value: (held) => (
        <Pair
          own={held.row['reference'] ?? '–'}
          met={held.met && (held.met.row['reference'] ?? '–')}
          differs={differs(held, 'reference')}
        />
      ),
    },
    {
      name: t('batch.receiver'),
      value: (held) => (
        <Pair
          own={held.row.receiver}
          met={held.met && held.met.row.receiver}
          differs={differs(held, 'receiver')}
        />
      ),
    },
    {
      name: t('held.account'),
      value: (held) => (
        <Pair
          own={<span class="account">{held.row.account}</span>}
          met={held.met && <span class="account">{held.met.row.account}</span>}
          differs={differs(held, 'account')}
        />
      ),
    },
    {
      name: t('files.amount'),
      isNumber: true,
      value: (held) => (
        <Pair
          own={askedOf(held.row)}
          met={held.met && askedOf(held.met.row)}
          differs={differs(held, 'amount')}
        />
      ),
    },
    {
      name: t('batch.outcome'),
      value: ({ row, met }) => <Pair own={<RowTag row={row} />} met={met && <RowTag row={met.row} />} />,
    },
  ];
}

function MetLink({
  batch,
  met: { batch: other, file, acceptedAt, row },
}: {
  readonly batch: string;
  readonly met: NonNullable<HeldRow['met']>;
}) {
  const to = `/files/${other}?find=${encodeURIComponent(row.row)}`;
  return (
    <>
      {t('held.meets')}{' '}
      <Link to={to}>
        {other === batch ? t('held.rowHere', { row: row.row }) : t('held.rowOf', { row: row.row, file })}
      </Link>
      {other === batch ? null : (
        <>
          {' · '}
          <When at={acceptedAt} />
        </>
      )}
    </>
  );
}

const askedOf = (row: HeldRow['row']): string => withCurrency(row['askedAmount'], row['askedCurrency']);

function whyColumn(words: string): TableColumn<HeldRow> {
  return { name: t('batch.why'), value: (held) => <span class="soft">{whyOf(held, words)}</span> };
}

/** What all of them have in common stands above them; the payment that a row meets, beside it. */
function whyOf({ row: { reason }, met }: HeldRow, words: string): string | null {
  return met !== null || reason === words ? null : reason;
}
