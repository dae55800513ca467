// Every file, newest first. New ones do not push away what is being read: they are told, and shown when that is wanted.
import { useEffect, useState } from 'preact/hooks';

import { count, t } from './language.ts';
import { Button, CountLink, Empty, Heading, Tag, Trouble, Waiting, When } from './parts.tsx';
import { Link } from './router.tsx';
import type { Summary } from './shapes.ts';
import { Table, usePages, type Column } from './table.tsx';
import { waitsBesides, waitWords } from './file-words.ts';

export function Files() {
  const { data, problem, rows, more } = usePages<Summary>('/files?limit=50', {
    kinds: ['batch', 'rows', 'approval'],
  });
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
      <Heading title={t('files.title')}>
        {fresh > 0 ? <Button onClick={show}>{t('files.fresh', { n: fresh })}</Button> : null}
      </Heading>
      <Trouble problem={data === null ? null : problem} />
      {data === null ? (
        <Waiting problem={problem} />
      ) : rows.length === 0 ? (
        <Empty>{t('files.none')}</Empty>
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
    value: ({ state, waitingFor, payAt }) => (
      <>
        <Tag of={state} />
        {payAt !== undefined && state === 'scheduled' ? (
          <span class="soft">
            {' '}
            <When at={payAt} />
          </span>
        ) : waitsBesides(state, waitingFor) ? (
          <span class="soft"> {waitWords(waitingFor)}</span>
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
