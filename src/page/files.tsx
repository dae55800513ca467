// Every file, newest first. New ones do not push away what is being read: they are told, and shown when that is wanted.
import { useEffect, useState } from 'preact/hooks';

import { query } from './api.ts';
import { count, t } from './language.ts';
import { Button, CountLink, Empty, Heading, Tag, Trouble, Waiting, When } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import type { FileState, Summary } from './shapes.ts';
import { ListFilters, Table, usePages, type Column } from './table.tsx';

const STATES: readonly FileState[] = [
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
      <Heading title={t('files.title')} />
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
  const { data, problem, rows, more } = usePages<Summary>(path, { kinds: ['batch', 'rows', 'approval'] });
  const [known, setKnown] = useState<ReadonlySet<string> | null>(null);
  const show = (): void => setKnown(new Set(rows.map(({ batch }) => batch)));
  const last = rows.at(-1)?.batch;
  const isFirst = known === null && data !== null;
  useEffect(() => {
    // The reader asks for more at the end of the list, so its appearance is no surprise.
    if (isFirst || (known !== null && last !== undefined && !known.has(last))) show();
  }, [isFirst, last]);
  const shown = known === null ? rows : rows.filter(({ batch }) => known.has(batch));
  const fresh = rows.length - shown.length;
  return (
    <>
      {fresh > 0 ? <Button onClick={show}>{t('files.fresh', { n: fresh })}</Button> : null}
      <Trouble problem={data === null ? null : problem} />
      {data === null ? (
        <Waiting problem={problem} />
      ) : rows.length === 0 ? (
        <Empty>{t(isFiltered ? 'files.noneSuch' : 'files.none')}</Empty>
      ) : (
        <FileTable files={shown} />
      )}
      {more}
    </>
  );
}

// Files in a list: their states, and the outcomes of their rows.

const COLUMNS = (): readonly Column<Summary>[] => [
  {
    name: t('files.file'),
    isHead: true,
    value: ({ batch, file }) => <Link to={`/files/${batch}`}>{file.name}</Link>,
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
  { name: t('files.rows'), isNumber: true, value: ({ file }) => count(file.rows) },
  ...(['paid', 'held', 'failed', 'rejected'] as const).map((outcome): Column<Summary> => ({
    name: t(`outcome.${outcome}`),
    isNumber: true,
    value: ({ batch, outcomes }) => (
      <CountLink n={outcomes[outcome]} to={`/files/${batch}?outcome=${outcome}`} />
    ),
  })),
  { name: t('files.since'), value: ({ startedAt }) => <When at={startedAt} /> },
];

export function FileTable({ files }: { readonly files: readonly Summary[] }) {
  return <Table columns={COLUMNS()} rows={files} keyOf={({ batch }) => batch} />;
}

// What a file waits for.

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
