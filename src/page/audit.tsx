// Who did what, about people, keys, entry and files. The log of access is a chain that shows when something was taken out of it.
import type { AuditEntry, AuditFilter, PersonView } from '../contract/people.ts';
import type { List } from '../contract/schema.ts';
import { ACCESS } from '../contract/words.ts';
import { query } from './api.ts';
import { useData, useListing } from './data.ts';
import { t, tCode } from './language.ts';
import { Choice, Field, Heading, Note, Tag, When } from './parts.tsx';
import { Link, setFilters, usePlace } from './router.tsx';
import { ListTable, Search } from './table.tsx';

type Chain = { readonly chain?: { readonly isWhole: boolean; readonly seq: number; readonly hash: string } };

export function Audit() {
  const { query: filters } = usePlace();
  const asked = askedBy(filters);
  const keyOf = ({ id }: AuditEntry): string => id;
  const entries = useListing<AuditEntry>(`/audit${query({ ...asked, limit: 100 })}`, keyOf);
  const chain = entries.first === null ? undefined : chainOf(entries.first);
  return (
    <>
      <Heading title={t('nav.audit')}>
        <a class="button plain" href={`/api/v1/audit/table${query(asked)}`} download>
          {t('audit.csv')}
        </a>
      </Heading>
      {chain === undefined ? null : (
        <Note kind={chain.isWhole ? 'good' : 'bad'}>
          <Tag of={chain.isWhole ? 'ok' : 'problem'}>
            {t(chain.isWhole ? 'audit.whole' : 'audit.broken', { n: chain.seq })}
          </Tag>{' '}
          <code>{chain.hash}</code>
        </Note>
      )}
      <Filters filters={filters} />
      <ListTable
        listing={entries}
        empty={t('audit.none')}
        keyOf={keyOf}
        columns={[
          { name: t('batch.when'), value: ({ at }) => <When at={at} /> },
          { name: t('batch.who'), value: ({ who }) => who ?? t('audit.unknown') },
          {
            name: t('batch.what'),
            isHead: true,
            value: ({ what, isWeak }) => {
              const words = tCode('access', what) ?? what;
              return isWeak ? <Tag of="warning">{words}</Tag> : words;
            },
          },
          {
            name: t('files.file'),
            value: ({ file }) =>
              file === null ? (
                ''
              ) : (
                <Link to={`/files/${file}`} class="nowrap">
                  {file}
                </Link>
              ),
          },
          { name: t('audit.about'), value: (entry) => aboutOf(entry) },
        ]}
      />
    </>
  );
}

type Query = ReturnType<typeof usePlace>['query'];

/** Each day is one of UTC, from its first instant to that of the next. */
function askedBy(filters: Query): AuditFilter {
  const get = (name: string) => filters.get(name) ?? undefined;
  const startOf = (day: string | undefined, days: number) => {
    const at = Date.parse(day ?? '');
    return Number.isNaN(at) ? undefined : new Date(at + days * 86_400_000).toISOString();
  };
  return {
    person: get('person'),
    what: ACCESS.find((each) => each === get('what')),
    file: get('find'),
    from: startOf(get('from'), 0),
    to: startOf(get('to'), 1),
  };
}

function Filters({ filters }: { readonly filters: Query }) {
  const people = useData<List<PersonView>>('/people');
  const kinds = ACCESS.map((each) => [each, tCode('access', each) ?? each] as const);
  return (
    <Search label={t('audit.file')}>
      <Choice
        label={t('audit.person')}
        value={filters.get('person') ?? ''}
        options={[
          ['', t('audit.everybody')],
          ...(people.data?.data ?? []).map(({ name }) => [name, name] as const),
        ]}
        onChange={(person) => setFilters({ person })}
      />
      <Choice
        label={t('batch.what')}
        value={filters.get('what') ?? ''}
        options={[['', t('audit.everything')], ...kinds]}
        onChange={(what) => setFilters({ what })}
      />
      {(['from', 'to'] as const).map((end) => (
        <Field
          key={end}
          type="date"
          label={t(`reconcile.${end}`)}
          value={filters.get(end) ?? ''}
          onInput={(day) => setFilters({ [end]: day })}
        />
      ))}
    </Search>
  );
}

/** What was signed for is told in words, not by the address of the order; a file stands in its own column. */
function aboutOf({ what, about, file }: AuditEntry): string {
  if (what === 'stepped_up') return tCode('order', orderOf(about ?? '')) ?? '';
  return about === null || about === file ? '' : about;
}

/** The last part of its address that is a name and no id. */
function orderOf(action: string): string {
  const parts = action.split('/').filter((part) => /^[a-z]+$/.test(part));
  return parts.at(-1) ?? '';
}

/** It stands next to the list. */
function chainOf(list: List<AuditEntry> & Chain): Chain['chain'] {
  return list.chain;
}
