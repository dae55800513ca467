// The payments that a question is about: on the screen the largest first and filtered by what is unusual or new, on paper all of them.
import { useEffect, useState } from 'preact/hooks';

import type { Question } from '../contract/approvals.ts';
import type { AnswerFile, Comparison, Row } from '../contract/files.ts';
import type { List } from '../contract/schema.ts';
import { ask, askAll, query } from './api.ts';
import { useListing } from './data.ts';
import { count, t, withCurrency } from './language.ts';
import { Button, Choice, Waiting } from './parts.tsx';
import { Link } from './router.tsx';
import { compareAmounts } from './sums.ts';
import { type TableColumn, ListTable, Table } from './table.tsx';

const ROWS_AT_ONCE = 20;

/** The payments themselves, on the screen. */
export function Payments({
  question: { batch, rows, state, subject },
  paper,
  compared,
}: {
  readonly question: Question;
  readonly paper: ReturnType<typeof usePaper>;
  readonly compared: Comparison | null;
}) {
  if (state !== 'waiting') return null;
  const isInOrder = paper !== null && 'sha256' in paper;
  return (
    <section class="no-print">
      <h2>{t(isInOrder ? 'approval.paymentsInOrder' : 'approval.payments', { n: rows })}</h2>
      {paper === null ? (
        <Waiting />
      ) : isInOrder ? (
        <InFileOrder batch={batch} />
      ) : (
        <LargestFirst
          rows={paper}
          kinds={{
            unusual: subject.warnings.map(({ row }) => row),
            added: compared?.rows.added ?? [],
            changed: compared?.rows.changed ?? [],
          }}
        />
      )}
      <p>
        <Link to={`/files/${batch}`}>{t('approval.searchRows')}</Link>
      </p>
    </section>
  );
}

type PaymentFilter = 'unusual' | 'added' | 'changed';

/** A list is filtered by what there is of it; without anything to choose from there is no filter. */
function LargestFirst({
  rows,
  kinds,
}: {
  readonly rows: readonly Row[];
  readonly kinds: Readonly<Record<PaymentFilter, readonly string[]>>;
}) {
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const [kind, setKind] = useState<PaymentFilter | ''>('');
  const of = (each: PaymentFilter | ''): readonly Row[] =>
    each === '' ? rows : rows.filter(({ row }) => kinds[each].includes(row));
  const offered = (['unusual', 'added', 'changed'] as const).filter((each) => of(each).length > 0);
  const chosen = of(kind).toSorted(byDebit);
  const shown = chosen.slice(0, most);
  return (
    <>
      {offered.length === 0 ? null : (
        <Choice
          label={t('approval.show')}
          value={kind}
          options={(['', ...offered] as const).map((each) => [
            each,
            `${t(`approval.show.${each === '' ? 'all' : each}`)} (${count(of(each).length)})`,
          ])}
          onChange={(each) => setKind(each as PaymentFilter | '')}
        />
      )}
      <Table columns={ON_SCREEN()} rows={shown} keyOf={keyOf} />
      {shown.length < chosen.length ? (
        <Button onClick={() => setMost(most + PAGE_ROWS)}>{t('part.more')}</Button>
      ) : null}
    </>
  );
}

/** Of a file with too many rows to read at once. */
function InFileOrder({ batch }: { readonly batch: string }) {
  const path = `/files/${batch}/rows${query({ outcome: 'pending', limit: ROWS_AT_ONCE })}`;
  const listing = useListing<Row>(path, keyOf, { kinds: ['rows'], batch });
  return <ListTable listing={listing} columns={ON_SCREEN()} keyOf={keyOf} empty={t('batch.noRowsYet')} />;
}

const keyOf = ({ row }: Row): string => row;

/** The largest first. */
function byDebit(one: Row, other: Row): number {
  return compareAmounts(other['sendAmount'], one['sendAmount']);
}

const PAYEE: TableColumn<Row>['value'] = ({ receiver, account }) => (
  <span>
    {receiver} <span class="account">{account}</span>
  </span>
);

const SUMS = (): readonly TableColumn<Row>[] => [
  {
    name: t('batch.sends'),
    isNumber: true,
    value: (row) => withCurrency(row['sendAmount'], row['sourceCurrency']),
  },
  {
    name: t('batch.receives'),
    isNumber: true,
    value: (row) => withCurrency(row['receiveAmount'], row['destinationCurrency']),
  },
];

const ON_SCREEN = (): readonly TableColumn<Row>[] => [
  {
    name: t('batch.receiver'),
    isHead: true,
    value: (row) => (
      <span class="two-lines">
        {PAYEE(row)}
        <small class="soft">
          {[t('row.title', { row: row.row }), row['reference'] ?? '']
            .filter((each) => each !== '')
            .join(' · ')}
        </small>
      </span>
    ),
  },
  ...SUMS(),
];

const ON_PAPER = (): readonly TableColumn<Row>[] => [
  { name: t('check.row'), isHead: true, value: ({ row }) => row },
  { name: t('batch.reference'), value: ({ reference }) => reference },
  { name: t('batch.receiver'), value: PAYEE },
  ...SUMS(),
];

/** Beyond these a sheet of paper is no help, and the hash of the preview stands for them. */
const PRINTED_MOST = 500;

/** What stands on paper alone: each row, or the hash of the file that has them. Null while it is on its way. */
export function usePaper({ batch, rows, preview, digest }: Question): readonly Row[] | AnswerFile | null {
  const [paper, setPaper] = useState<readonly Row[] | AnswerFile | null>(null);
  const isShort = rows <= PRINTED_MOST;
  useEffect(() => {
    let isOther = false;
    setPaper(null);
    const read = isShort
      ? askAll<Row>(`/files/${batch}/rows${query({ limit: PAGE_ROWS })}`).then((all) =>
          all.filter(({ outcome }) => !NOT_ASKED.has(outcome)),
        )
      : ask<List<AnswerFile>>(`/files/${batch}/answers`).then(
          ({ data }) => data.find(({ name }) => name === preview) ?? [],
        );
    // Without its rows the sheet is not printed.
    read.then(
      (rowsOf) => (isOther ? undefined : setPaper(rowsOf)),
      () => undefined,
    );
    return () => {
      isOther = true;
    };
  }, [batch, isShort, preview, digest]);
  return paper;
}

const PAGE_ROWS = 200;

/** Rows that nobody is asked about: they are not sent, whatever the answer. */
const NOT_ASKED: ReadonlySet<string> = new Set(['rejected', 'duplicate', 'held']);

/** @param signers how many people sign it. */
export function PaperRows({
  paper,
  signers,
}: {
  readonly paper: ReturnType<typeof usePaper>;
  readonly signers: number;
}) {
  return (
    <section class="print-only">
      {paper === null ? null : 'sha256' in paper ? (
        <>
          <p>{t('approval.tooMany', { file: paper.name })}</p>
          <p>
            <code class="whole">{paper.sha256}</code>
          </p>
        </>
      ) : (
        <Table columns={ON_PAPER()} rows={paper} keyOf={({ row }) => row} />
      )}
      {Array.from({ length: signers }, (_, at) => (
        <p key={at}>{t('approval.signHere')}</p>
      ))}
    </section>
  );
}
