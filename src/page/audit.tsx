// Who did what about people, keys and entry: a chain that shows when something was taken out of it.
import { query, type List } from './api.ts';
import { useData } from './data.ts';
import { t, tCode } from './language.ts';
import { Choice, Empty, Heading, Note, Tag, Waiting, When } from './parts.tsx';
import { setFilters, usePlace } from './router.tsx';
import type { AuditEntry, PersonView } from './shapes.ts';
import { Table, usePages } from './table.tsx';

type Chain = { readonly chain?: { readonly isWhole: boolean; readonly seq: number; readonly hash: string } };

export function Audit() {
  const { query: filters } = usePlace();
  const person = filters.get('person') ?? '';
  const people = useData<List<PersonView>>('/people');
  const { data, problem, rows, more } = usePages<AuditEntry>(`/audit${query({ person, limit: 100 })}`);
  const chain = data === null ? undefined : chainOf(data);
  return (
    <>
      <Heading title={t('nav.audit')} />
      {chain === undefined ? null : (
        <Note kind={chain.isWhole ? 'good' : 'bad'}>
          <Tag of={chain.isWhole ? 'ok' : 'problem'}>
            {t(chain.isWhole ? 'audit.whole' : 'audit.broken', { n: chain.seq })}
          </Tag>{' '}
          <code>{chain.hash}</code>
        </Note>
      )}
      <div class="filters">
        <Choice
          label={t('audit.person')}
          value={person}
          options={[
            ['', t('audit.everybody')],
            ...(people.data?.data ?? []).map(({ name }) => [name, name] as const),
          ]}
          onChange={(value) => setFilters({ person: value })}
        />
      </div>
      {data === null ? (
        <Waiting problem={problem} />
      ) : rows.length === 0 ? (
        <Empty>{t('audit.none')}</Empty>
      ) : (
        <Table
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
            { name: t('audit.about'), value: ({ about }) => about ?? '' },
          ]}
          rows={rows}
          keyOf={({ seq }) => String(seq)}
        />
      )}
      {more}
    </>
  );
}

/** It stands next to the list. */
function chainOf(list: List<AuditEntry> & Chain): Chain['chain'] {
  return list.chain;
}
