// The rows of one file, by what became of them: whom each pays, what it costs, and why it was not paid.
import { query } from './api.ts';
import { count, t, withCurrency } from './language.ts';
import { Empty, Tag, Waiting } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import { OUTCOMES, type Row, type Summary } from './shapes.ts';
import { ListFilters, Table, usePages, type Column } from './table.tsx';

/** A row that somebody closed has nothing to fix. */
function RowTag({ row: { outcome, errorCode } }: { readonly row: Row }) {
  const isClosed = errorCode === 'declined' || errorCode === 'cancelled';
  return <Tag of={outcome}>{isClosed ? t('state.unpaid') : undefined}</Tag>;
}

const sumOf = (name: string, currency: string) => (row: Row) => withCurrency(row[name], row[currency]);

const COLUMNS = (batch: string, isAsked: boolean): readonly Column<Row>[] => [
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
  {
    name: t('batch.why'),
    // While a file waits for its approval, each row would repeat that, with commands.
    value: ({ outcome, reason }) => (
      <span class="soft">{isAsked && outcome === 'pending' ? '' : reason}</span>
    ),
  },
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
        <Table
          columns={COLUMNS(id, summary.state === 'awaiting-approval')}
          rows={rows}
          keyOf={({ row }) => row}
        />
      )}
      {more}
    </>
  );
}
