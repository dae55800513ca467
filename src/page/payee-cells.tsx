// What earlier payments to the same name and account have for empty cells of rows to fix: seen first, with where each comes from, and then taken by one click.
import { useEffect, useState } from 'preact/hooks';

import type { PayeeCell, PayeeCells } from '../contract/uploads.ts';
import { TYPED_MOST } from '../contract/words.ts';
import { ask, query } from './api.ts';
import type { GridColumn } from './grid.tsx';
import { moment, t } from './language.ts';
import { Button, Note, When } from './parts.tsx';
import { Link } from './router.tsx';
import type { Typing } from './typing.ts';

type FromPayeesProps = {
  readonly id: string;
  /** How many cells of the file were corrected before. */
  readonly corrected: number;
  readonly typing: Typing;
  readonly columns: readonly GridColumn[];
};

/** Nothing where nothing is known, or all of it was taken or typed over. */
export function FromPayees({ id, corrected, typing, columns }: FromPayeesProps) {
  const [known, setKnown] = useState<readonly PayeeCell[]>([]);
  useEffect(() => {
    let isStill = true;
    // Asked once for each check: what the index cannot tell now is typed by hand.
    ask<PayeeCells>(`/uploads/${id}/payees`).then(
      ({ data }) => isStill && setKnown(data),
      () => undefined,
    );
    return () => {
      isStill = false;
    };
  }, [id]);
  const isTyped = ({ position, index }: PayeeCell): boolean =>
    typing.typed.some(({ row, column }) => row === position && column === index);
  const room = Math.max(0, TYPED_MOST - corrected - typing.typed.length);
  const cells = known.filter((cell) => !isTyped(cell)).slice(0, room);
  if (cells.length === 0) return null;
  const rows = Map.groupBy(cells, ({ position }) => position);
  const titleOf = (index: number): string => columns.find((each) => each.index === index)?.title ?? '';
  return (
    <Note>
      <details open={cells.length <= OPEN_MOST}>
        <summary>{t('check.known', { n: cells.length, rows: rows.size })}</summary>
        <ul>
          {[...rows].map(([position, ofRow]) => (
            <li key={position}>
              <Known cells={ofRow} titleOf={titleOf} />
            </li>
          ))}
        </ul>
      </details>
      <Button
        kind="main"
        onClick={() =>
          typing.type(...cells.map(({ position: row, index: column, text }) => ({ row, column, text })))
        }
      >
        {t('check.takeKnown')}
      </Button>
    </Note>
  );
}

/** More stand in the way of what comes below. */
const OPEN_MOST = 20;

type KnownProps = {
  /** Of one row, and so of one payment. */
  readonly cells: readonly PayeeCell[];
  readonly titleOf: (index: number) => string;
};

function Known({ cells, titleOf }: KnownProps) {
  const [first] = cells;
  if (first === undefined) return null;
  const { batch, file, row: of, acceptedAt, verified } = first.from;
  return (
    <span class="two-lines">
      {cells.map(({ row, index, text }) => (
        <span key={index}>
          {t('check.at', { row, column: titleOf(index) })}: <b>{text}</b>
        </span>
      ))}
      <small>
        <Link to={`/files/${batch}${query({ row: of })}`}>
          {file} · {t('row.title', { row: of })}
        </Link>{' '}
        · <When at={acceptedAt} />
      </small>
      {verified === null ? null : (
        <small>
          {t('check.onlyAccount', { at: moment(verified.at), by: verified.by, how: verified.how })}
        </small>
      )}
    </span>
  );
}
