// What earlier payments to the same name and account have for empty cells of rows to fix: seen first, with where each comes from, and then taken by one click.
import type { PayeeCell, PayeeCells } from '../contract/uploads.ts';
import { TYPED_MOST } from '../contract/words.ts';
import { query } from './api.ts';
import { useData } from './data.ts';
import type { GridColumn } from './grid.tsx';
import { t } from './language.ts';
import { Button, Note, When } from './parts.tsx';
import { Link } from './router.tsx';
import type { Typing } from './typing.ts';
import { Verified } from './verified-account.tsx';

type FromPayeesProps = {
  readonly id: string;
  readonly typing: Typing;
  readonly columns: readonly GridColumn[];
};

/** Nothing where nothing is known, or all of it was taken or typed over. */
export function FromPayees({ id, typing, columns }: FromPayeesProps) {
  const { data } = useData<PayeeCells>(`/uploads/${id}/payees`);
  const isTyped = ({ position, index }: PayeeCell): boolean =>
    typing.typed.some(({ row, column }) => row === position && column === index);
  const cells = (data?.data ?? [])
    .filter((cell) => !isTyped(cell))
    .slice(0, TYPED_MOST - typing.typed.length);
  if (cells.length === 0) return null;
  const rows = new Set(cells.map(({ position }) => position)).size;
  const titleOf = (index: number): string => columns.find((each) => each.index === index)?.title ?? '';
  return (
    <Note>
      <details open={cells.length <= OPEN_MOST}>
        <summary>{t('check.known', { n: cells.length, rows })}</summary>
        <ul>
          {cells.map((cell) => (
            <li key={`${String(cell.position)} ${String(cell.index)}`}>
              <Known cell={cell} title={titleOf(cell.index)} />
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

function Known({ cell: { row, text, from }, title }: { readonly cell: PayeeCell; readonly title: string }) {
  const { batch, file, row: of, acceptedAt, verified } = from;
  return (
    <span class="two-lines">
      <span>
        {t('check.at', { row, column: title })}: <b>{text}</b>
      </span>
      <small>
        <Link to={`/files/${batch}${query({ row: of })}`}>
          {file} · {t('row.title', { row: of })}
        </Link>{' '}
        · <When at={acceptedAt} />
      </small>
      {verified === null ? null : (
        <span>
          {t('held.account')}: <Verified verified={[verified]} />
        </span>
      )}
    </span>
  );
}
