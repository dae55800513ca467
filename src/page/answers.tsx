// The answers of paydrop: for one file all of them, and for all files the latest.
import type { Answer, Summary } from '../contract/files.ts';
import type { List } from '../contract/schema.ts';
import { useData, useListing } from './data.ts';
import { bytes, t, tCode } from './language.ts';
import { Empty, Heading, Tag, Waiting, When } from './parts.tsx';
import { Link } from './router.tsx';
import { ListTable, Table } from './table.tsx';

export function AnswerTable({ batch }: { readonly batch: string }) {
  const { data, problem } = useData<List<Answer>>(`/files/${batch}/answers`, { kinds: ['batch'], batch });
  if (data === null) return <Waiting problem={problem} />;
  if (data.data.length === 0) return <Empty>{t('answers.none')}</Empty>;
  return (
    <Table
      columns={[
        {
          name: t('answers.kind'),
          isHead: true,
          value: ({ kind }) => {
            const [, plain = kind, version = ''] = /^(\D+)-(\d+)$/.exec(kind) ?? [];
            return `${tCode('answer', plain) ?? plain} ${version}`;
          },
        },
        { name: t('answers.name'), value: ({ name }) => <code>{name}</code> },
        { name: t('answers.size'), isNumber: true, value: (answer) => bytes(answer.bytes) },
        { name: 'SHA-256', value: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 16)}…</code> },
        {
          name: t('part.download'),
          value: ({ kind, name }) => (
            <a href={`/api/v1/files/${batch}/answers/${encodeURIComponent(kind)}`} download={name}>
              {t('part.download')}
            </a>
          ),
        },
      ]}
      rows={data.data}
      keyOf={({ name }) => name}
    />
  );
}

export function Answers() {
  const keyOf = ({ batch }: Summary): string => batch;
  const files = useListing<Summary>('/files?limit=50', keyOf, { kinds: ['batch'] });
  const answered = files.rows?.filter(({ answers }) => answers.length > 0) ?? null;
  return (
    <>
      <Heading title={t('nav.answers')} />
      <ListTable
        listing={{ ...files, rows: answered }}
        empty={t('answers.none')}
        keyOf={keyOf}
        columns={[
          {
            name: t('files.file'),
            isHead: true,
            value: ({ batch, file }) => <Link to={`/files/${batch}?show=answers`}>{file.name}</Link>,
          },
          { name: t('files.state'), value: ({ standing }) => <Tag of={standing} /> },
          { name: t('answers.number'), isNumber: true, value: ({ answers }) => answers.length },
          { name: t('answers.closed'), value: ({ finishedAt }) => <When at={finishedAt} /> },
        ]}
      />
    </>
  );
}
