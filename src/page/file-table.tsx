// Files in a list: what state each is in, and what became of its rows.
import { count, t } from './language.ts';
import { CountLink, Tag, When } from './parts.tsx';
import { Link } from './router.tsx';
import type { Summary } from './shapes.ts';
import { Table, type Column } from './table.tsx';
import { waitWords } from './wait-words.ts';

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
        ) : waitingFor !== null && state !== 'closed' ? (
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
