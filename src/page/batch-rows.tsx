// The rows of one file, by what became of them: whom each pays, what it costs, and why it was not paid.
import { query } from './api.ts';
import { count, t, withButtons, withCurrency } from './language.ts';
import { Empty, Tag, Waiting } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import { OUTCOMES, type Row, type Summary } from './shapes.ts';
import { ListFilters, Table, usePages, type Column } from './table.tsx';

/** A row that somebody closed has nothing to fix. */
function RowTag({ row: { outcome, errorCode } }: { readonly row: Row }) {
  const isClosed = errorCode === 'declined' || errorCode === 'cancelled';
  return <Tag of={outcome}>{isClosed ? t('state.unpaid') : undefined}</Tag>;
}

/** Why it is not paid, and the way to the buttons that decide about it. While the whole file waits, each row would repeat that. */
function Why({
  row: { outcome, reason, errorCode },
  isWaiting,
}: {
  readonly row: Row;
  readonly isWaiting: boolean;
}) {
  if (isWaiting && outcome === 'pending') return null;
  return (
    <>
      <span class="soft">{withButtons(reason)}</span>{' '}
      {outcome === 'held' ? (
        <Link to={`/held?code=${encodeURIComponent(errorCode ?? '')}`}>{t('held.decide')}</Link>
      ) : null}
    </>
  );
}

const sumOf = (name: string, currency: string) => (row: Row) => withCurrency(row[name], row[currency]);

const COLUMNS = (batch: string, isWaiting: boolean): readonly Column<Row>[] => [
  { name: t('check.row'), isNumber: true, value: ({ row }) => row },
  {
    name: t('batch.reference'),
    isHead: true,
    value: ({ row, reference }) => (
      <Link to={`/files/${batch}?show=timeline&row=${encodeURIComponent(row)}`}>
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

export function BatchRows({ id, summary }: { readonly id: string; readonly summary: Summary }) {
  const { query: filters } = usePlace();
  const outcome = filters.get('outcome') ?? '';
  const path = `/files/${id}/rows${query({ outcome, find: filters.get('find'), code: filters.get('code'), limit: 100 })}`;
  const isFiltered = ['outcome', 'find', 'code'].some((name) => filters.has(name));
  const { rows, more, data, problem } = usePages<Row>(path, { kinds: ['rows', 'batch'], batch: id });
  return (
    <>
      <ListFilters
        by="outcome"
        label={t('batch.outcome')}
        options={[
          ['', t('batch.all', { rows: summary.file.rows })],
          ...OUTCOMES.filter((each) => summary.outcomes[each] > 0 || each === outcome).map(
            (each) => [each, `${t(`outcome.${each}`)} ${count(summary.outcomes[each])}`] as const,
          ),
        ]}
        findLabel={t('batch.find')}
      />
      {data === null ? (
        <Waiting problem={problem} />
      ) : rows.length === 0 ? (
        <Empty>{t(isFiltered ? 'batch.noRows' : 'batch.noRowsYet')}</Empty>
      ) : (
        <Table columns={COLUMNS(id, summary.wait !== null)} rows={rows} keyOf={({ row }) => row} />
      )}
      {more}
    </>
  );
}
