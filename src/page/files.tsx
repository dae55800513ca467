// Every file, newest first. New ones do not push away what is being read: they are told, and shown when that is wanted.
import { useEffect, useState } from 'preact/hooks';

import type { FileStatus } from '../contract/files.ts';
import type { SummaryState } from '../contract/words.ts';
import { query } from './api.ts';
import { useListing } from './data.ts';
import { amount, dayOf, t, tCode, withMoments } from './language.ts';
import { OutcomeBar } from './outcome-bar.tsx';
import { Button, Heading, Tag, When } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import { sumsOf } from './sums.ts';
import { ListFilters, ListTable, Table, type TableColumn } from './table.tsx';

const STATES: readonly SummaryState[] = [
  'awaiting-approval',
  'scheduled',
  'paying',
  'tracking',
  'closed',
  'refused',
];

export function Files() {
  const { query: filters } = usePlace();
  const [state, find] = [filters.get('state') ?? '', filters.get('find') ?? ''];
  const path = `/files${query({ limit: 50, state, find })}`;
  return (
    <>
      <Heading title={t('nav.files')} />
      <ListFilters
        by="state"
        label={t('files.state')}
        options={[
          ['', t('files.all')],
          ['open', t('files.open')],
          ...STATES.map((each) => [each, t(`state.${each}`)] as const),
        ]}
        findLabel={t('files.find')}
      />
      <List key={path} path={path} isFiltered={state !== '' || find !== ''} />
    </>
  );
}

function List({ path, isFiltered }: { readonly path: string; readonly isFiltered: boolean }) {
  const listing = useListing<FileStatus>(path, keyOf, { kinds: ['batch', 'rows', 'approval'] });
  const rows = listing.rows ?? [];
  const [known, setKnown] = useState<ReadonlySet<string> | null>(null);
  const show = (): void => setKnown(new Set(rows.map(({ batch }) => batch)));
  const last = rows.at(-1)?.batch;
  const isFirst = known === null && listing.rows !== null;
  useEffect(() => {
    // The reader asks for more at the end of the list, so its appearance is no surprise.
    if (isFirst || (known !== null && last !== undefined && !known.has(last))) show();
  }, [isFirst, last]);
  const shown = known === null ? rows : rows.filter(({ batch }) => known.has(batch));
  const fresh = rows.length - shown.length;
  return (
    <>
      {fresh > 0 ? <Button onClick={show}>{t('files.fresh', { n: fresh })}</Button> : null}
      <ListTable
        listing={{ ...listing, rows: listing.rows === null ? null : shown }}
        columns={COLUMNS()}
        keyOf={keyOf}
        groupOf={groupOf}
        empty={t(isFiltered ? 'files.noneSuch' : 'files.none')}
      />
    </>
  );
}

const keyOf = ({ batch }: FileStatus): string => batch;
const groupOf = ({ startedAt }: FileStatus): string => dayOf(startedAt);

// Files in a list: their states, and the outcomes of their rows.

const COLUMNS = (): readonly TableColumn<FileStatus>[] => [
  {
    name: t('files.file'),
    isHead: true,
    value: ({ batch, file, startedAt, submittedBy }) => (
      <span class="two-lines">
        <Link to={`/files/${batch}`}>{file.name}</Link>
        <small class="soft">
          {submittedBy.length === 0 ? null : `${submittedBy.join(', ')} · `}
          <When at={startedAt} />
        </small>
      </span>
    ),
  },
  {
    name: t('files.state'),
    value: ({ state, standing, payAt }) => (
      <>
        <Tag of={standing} />
        {payAt !== undefined && state === 'scheduled' ? (
          <span class="soft">
            {' '}
            <When at={payAt} />
          </span>
        ) : null}
      </>
    ),
  },
  {
    name: t('files.amount'),
    isNumber: true,
    value: (summary) => (
      <span class="told">
        {moneyOf(summary).join(', ') || '–'}
        <small class="soft">{t('batch.rowsOf', { n: summary.file.rows })}</small>
      </span>
    ),
  },
  {
    name: t('files.progress'),
    value: ({ outcomes }) => (
      <span class="two-lines">
        <OutcomeBar outcomes={outcomes} isSmall />
        <OutcomeWords outcomes={outcomes} />
      </span>
    ),
  },
];

/** What has left and what is set aside for the rest; before that, what an approver is asked about. Empty while nobody knows. */
export function moneyOf({ totals, asked }: FileStatus): readonly string[] {
  const left = totals.flatMap(({ sourceCurrency, debited, reserved }) =>
    [debited, reserved].map((part) => [sourceCurrency, part] as const),
  );
  const sums =
    left.length > 0 ? sumsOf(left) : asked.map(({ currency, debit }) => [currency, debit] as const);
  return sums.map(([currency, sum]) => `${amount(sum)} ${currency}`);
}

/** Only what there is, the good end first: a column of zeros says nothing. */
function OutcomeWords({ outcomes }: Pick<FileStatus, 'outcomes'>) {
  const said = SAID.filter((outcome) => outcomes[outcome] > 0).map((outcome) =>
    t(`counted.${outcome}`, { n: outcomes[outcome] }),
  );
  return <small class="soft">{said.join(' · ')}</small>;
}

const SAID = ['paid', 'submitted', 'pending', 'held', 'rejected', 'failed', 'duplicate'] as const;

export function FileTable({ files }: { readonly files: readonly FileStatus[] }) {
  return <Table columns={COLUMNS()} rows={files} keyOf={keyOf} groupOf={groupOf} />;
}

// What a file waits for.

/** Where the page has the button, it says so; the server's words are for whoever has the folders. */
export function waitReason(wait: FileStatus['wait']): string {
  return wait === null ? '' : (tCode('waitFor', wait.for) ?? withMoments(wait.reason));
}

export function waitWords(waitingFor: string | null): string {
  switch (waitingFor) {
    case 'funds':
      return t('wait.funds');
    case 'credentials':
      return t('wait.credentials');
    case 'service':
      return t('wait.service');
    case 'operator':
      return t('wait.operator');
    case 'approval':
      return t('wait.approval');
    case 'schedule':
      return t('wait.schedule');
    default:
      return waitingFor ?? '';
  }
}
