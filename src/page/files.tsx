// Every file, newest first. New ones do not push away what is being read: they are told, and shown when that is wanted.
import { useEffect, useState } from 'preact/hooks';

import { t } from './language.ts';
import { Button, Empty, Heading, Trouble, Waiting } from './parts.tsx';
import { FileTable } from './file-table.tsx';
import type { Summary } from './shapes.ts';
import { usePages } from './table.tsx';

export function Files() {
  const { data, problem, rows, more } = usePages<Summary>('/files?limit=50', {
    kinds: ['batch', 'rows', 'approval'],
  });
  const [known, setKnown] = useState<ReadonlySet<string> | null>(null);
  const show = (): void => setKnown(new Set(rows.map(({ batch }) => batch)));
  const last = rows.at(-1)?.batch;
  const isFirst = known === null && data !== null;
  useEffect(() => {
    // What the reader asks for at the end of the list is no surprise.
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
