// The answers of paydrop: for one file all of them, and for all files the latest.
import type { AnswerFile, FileStatus } from '../contract/files.ts';
import type { List } from '../contract/schema.ts';
import { useData, useListing } from './data.ts';
import { bytes, t, tCode } from './language.ts';
import { Empty, Heading, Tag, Waiting, When } from './parts.tsx';
import { Link } from './router.tsx';
import { ListTable, Table } from './table.tsx';

export function AnswerTable({ batch }: { readonly batch: string }) {
  const { data, problem } = useData<List<AnswerFile>>(`/files/${batch}/answers`, { kinds: ['batch'], batch });
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
            return (
              <span class="two-lines">
                {tCode('answer', plain) ?? plain} {version}
                <small class="soft">{tCode('answerFor', plain)}</small>
              </span>
            );
          },
        },
        {
          name: t('answers.name'),
          value: ({ name, sha256 }) => (
            <span class="two-lines">
              <code>{name}</code>
              <small class="soft">
                SHA-256 <code title={sha256}>{sha256.slice(0, 16)}…</code>
              </small>
            </span>
          ),
        },
        { name: t('answers.size'), isNumber: true, value: (answer) => bytes(answer.bytes) },
        {
          name: t('part.download'),
          value: ({ kind, name }) => (
            <a
              class="nowrap"
              href={`/api/v1/files/${batch}/answers/${encodeURIComponent(kind)}`}
              download={name}
            >
              {t('part.download')}
            </a>
          ),
        },
      ]}
      rows={shownOf(data.data)}
      keyOf={({ name }) => name}
    />
  );
}

/** What people ask for comes first. */
const FIRST: readonly string[] = ['result', 'rejected', 'reconciliation', 'summary', 'preview'];

/** One of the same content is shown once, under its plain name. */
function shownOf(answers: readonly AnswerFile[]): readonly AnswerFile[] {
  const place = ({ kind }: AnswerFile): number => (FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length);
  const isAgain = (answer: AnswerFile): boolean =>
    answers.some(({ kind, sha256 }) => sha256 === answer.sha256 && answer.kind.startsWith(`${kind}-`));
  return answers
    .filter((answer) => !isAgain(answer))
    .sort((one, other) => place(one) - place(other) || one.name.localeCompare(other.name));
}

export function Answers() {
  const keyOf = ({ batch }: FileStatus): string => batch;
  const files = useListing<FileStatus>('/files?limit=50', keyOf, { kinds: ['batch'] });
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
          { name: t('nav.answers'), isNumber: true, value: ({ answers }) => answers.length },
          { name: t('answers.closed'), value: ({ finishedAt }) => <When at={finishedAt} /> },
        ]}
      />
    </>
  );
}
