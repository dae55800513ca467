// Questions that wait for an answer: first those for the reader, then those for others, then the decided ones.
import type { Question } from '../contract/approvals.ts';
import type { Comparison } from '../contract/files.ts';
import type { List } from '../contract/schema.ts';
import { useData, useListing } from './data.ts';
import { amount, t } from './language.ts';
import { Empty, Heading, Tag, Waiting, When } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import { type TableColumn, ListTable, Table } from './table.tsx';

export function Approvals() {
  const { query } = usePlace();
  const shown = query.get('show') ?? 'mine';
  const waiting = useData<List<Question>>('/approvals?state=waiting', { kinds: ['approval', 'batch'] });
  const all = waiting.data?.data ?? [];
  const mine = all.filter(({ mayAnswer }) => mayAnswer);
  const others = all.filter(({ mayAnswer }) => !mayAnswer);
  const tabs = [
    ['mine', t('approvals.mine', { n: mine.length })],
    ['others', t('approvals.others', { n: others.length })],
    ['decided', t('approvals.decided')],
  ] as const;
  return (
    <>
      <Heading title={t('nav.approvals')} />
      <nav class="tabs" aria-label={t('nav.approvals')}>
        {tabs.map(([name, words]) => (
          <Link key={name} to={`/approvals?show=${name}`} current={name === shown}>
            {words}
          </Link>
        ))}
      </nav>
      {shown === 'decided' ? (
        <Decided />
      ) : waiting.data === null ? (
        <Waiting problem={waiting.problem} />
      ) : (
        <Questions questions={shown === 'others' ? others : mine} />
      )}
    </>
  );
}

function Decided() {
  const decided = useListing<Question>('/approvals?state=decided&limit=50', keyOf, { kinds: ['approval'] });
  return <ListTable listing={decided} columns={COLUMNS()} keyOf={keyOf} empty={t('approvals.none')} />;
}

const keyOf = ({ batch, round }: Question): string => `${batch} ${String(round)}`;

function Questions({ questions }: { readonly questions: readonly Question[] }) {
  if (questions.length === 0) return <Empty>{t('approvals.none')}</Empty>;
  return <Table columns={COLUMNS()} rows={questions} keyOf={keyOf} />;
}

const COLUMNS = (): readonly TableColumn<Question>[] => [
  {
    name: t('files.file'),
    isHead: true,
    value: ({ batch, file }) => <Link to={`/approvals/${batch}`}>{file.name}</Link>,
  },
  { name: t('files.rows'), isNumber: true, value: ({ rows }) => rows },
  {
    name: t('cost.debit'),
    isNumber: true,
    value: ({ totals }) => totals.map(({ currency, debit }) => `${amount(debit)} ${currency}`).join(', '),
  },
  { name: t('approvals.by'), value: ({ submittedBy }) => submittedBy.join(', ') },
  { name: t('approvals.asked'), value: ({ askedAt }) => <When at={askedAt} /> },
  {
    name: t('files.state'),
    value: ({ state, first, given, declined }) => (
      <>
        <Tag of={state} />{' '}
        <span class="soft">
          {[first, given ?? declined].flatMap((answer) => answer?.by ?? []).join(', ')}
        </span>
      </>
    ),
  },
];

// What an approver sees of a file beside its sums: the cells that were corrected, and how it differs from the last one.

/** What the file did not say when it was first sent. */
export function Corrected({ cells }: { readonly cells: Comparison['corrected'] }) {
  if (cells.length === 0) return null;
  return (
    <Table
      caption={t('approval.corrected', { n: cells.length })}
      columns={[
        { name: t('check.row'), isHead: true, value: ({ row }) => row },
        { name: t('check.column'), value: ({ column }) => column },
        { name: t('columns.inFile'), value: ({ before }) => before },
        { name: t('approval.after'), value: ({ after }) => <b>{after}</b> },
      ]}
      rows={cells}
      keyOf={({ row, column }) => `${row} ${column}`}
    />
  );
}

/** @param accounts how many receivers have another account than before: the same names and amounts say nothing of that. */
export function Compared({
  comparison: { file, receivers, amounts },
  accounts,
}: {
  readonly comparison: Comparison;
  readonly accounts: number;
}) {
  const { added, gone } = receivers;
  return (
    <p>
      {t('approval.since', { file: file ?? '' })}{' '}
      <b class={accounts > 0 ? 'bad-text' : undefined}>{t('approval.accountsChanged', { n: accounts })}</b>{' '}
      {t('approval.receivers', { added, gone, changed: amounts.changed })}
    </p>
  );
}
