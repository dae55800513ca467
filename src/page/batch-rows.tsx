// The rows of one file, by what became of them: whom each pays, what it costs, and why it was not paid.
import type { Row, FileStatus } from '../contract/files.ts';
import { query } from './api.ts';
import { useListing } from './data.ts';
import { t, withCurrency } from './language.ts';
import { OutcomeFilter } from './outcome-bar.tsx';
import { Link, setFilters, usePlace } from './router.tsx';
import { RowDrawer } from './row-drawer.tsx';
import { RowTag } from './row-tag.tsx';
import { ListTable, Search, type TableColumn } from './table.tsx';

/** Why it is not paid, and the way to the buttons that decide about it. While the whole file waits, each row would repeat that, and of a paid one the state says it. */
function Why({
  row: { outcome, reason, errorCode },
  isWaiting,
}: {
  readonly row: Row;
  readonly isWaiting: boolean;
}) {
  if ((isWaiting && outcome === 'pending') || (outcome === 'paid' && errorCode === '')) return null;
  return (
    <>
      <span class="soft">{reason}</span>{' '}
      {outcome === 'held' ? (
        <Link to={`/held?code=${encodeURIComponent(errorCode)}`}>{t('held.decide')}</Link>
      ) : null}
    </>
  );
}

const sumOf = (name: string, currency: string) => (row: Row) => withCurrency(row[name], row[currency]);

const COLUMNS = (place: (row: string) => string, isWaiting: boolean): readonly TableColumn<Row>[] => [
  { name: t('check.row'), isNumber: true, value: ({ row }) => row },
  {
    name: t('batch.reference'),
    isHead: true,
    value: ({ row, reference }) => (
      <Link to={place(row)} isBeside>
        {reference === '' ? row : (reference ?? row)}
      </Link>
    ),
  },
  {
    name: t('batch.receiver'),
    value: ({ receiver, account }) => (
      <span>
        {receiver} <span class="soft account">{account}</span>
      </span>
    ),
  },
  { name: t('files.state'), value: (row) => <RowTag row={row} /> },
  { name: t('batch.sends'), isNumber: true, value: sumOf('sendAmount', 'sourceCurrency') },
  { name: t('cost.fees'), isNumber: true, value: sumOf('feeAmount', 'sourceCurrency') },
  { name: t('batch.receives'), isNumber: true, value: sumOf('receiveAmount', 'destinationCurrency') },
  { name: t('batch.why'), value: (row) => <Why row={row} isWaiting={isWaiting} /> },
];

export function BatchRows({ id, summary }: { readonly id: string; readonly summary: FileStatus }) {
  const { query: filters } = usePlace();
  const outcome = filters.get('outcome') ?? '';
  const path = `/files/${id}/rows${query({ outcome, find: filters.get('find'), code: filters.get('code'), limit: 100 })}`;
  const isFiltered = ['outcome', 'find', 'code'].some((name) => filters.has(name));
  const keyOf = ({ row }: Row): string => row;
  const listing = useListing<Row>(path, keyOf, { kinds: ['rows', 'batch'], batch: id });
  const open = filters.get('row');
  const placeOf = (row: string): string => {
    const next = new URLSearchParams(filters);
    next.set('row', row);
    return `/files/${id}?${next.toString()}`;
  };
  return (
    <>
      <div class="list-head">
        <OutcomeFilter batch={id} outcomes={summary.outcomes} rows={summary.file.rows} chosen={outcome} />
        <Search label={t('batch.find')} />
      </div>
      <ListTable
        listing={listing}
        columns={COLUMNS(placeOf, summary.wait !== null)}
        keyOf={keyOf}
        empty={t(isFiltered ? 'batch.noRows' : 'batch.noRowsYet')}
      />
      {open === null ? null : (
        <RowDrawer key={open} batch={id} row={open} onClose={() => setFilters({ row: null })} />
      )}
    </>
  );
}
