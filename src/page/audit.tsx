// Who did what about people, keys and entry: a chain that shows when something was taken out of it.
import type { AuditEntry, PersonView } from '../contract/people.ts';
import type { List } from '../contract/schema.ts';
import { query } from './api.ts';
import { useData, useListing } from './data.ts';
import { t, tCode } from './language.ts';
import { Choice, Heading, Note, Tag, When } from './parts.tsx';
import { Link, setFilters, usePlace } from './router.tsx';
import { ListTable } from './table.tsx';

type Chain = { readonly chain?: { readonly isWhole: boolean; readonly seq: number; readonly hash: string } };

export function Audit() {
  const { query: filters } = usePlace();
  const person = filters.get('person') ?? '';
  const people = useData<List<PersonView>>('/people');
  const keyOf = ({ seq }: AuditEntry): string => String(seq);
  const entries = useListing<AuditEntry>(`/audit${query({ person, limit: 100 })}`, keyOf);
  const chain = entries.first === null ? undefined : chainOf(entries.first);
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
          { name: t('audit.about'), value: (entry) => <About entry={entry} /> },
        ]}
      />
    </>
  );
}

/** A batch leads to its file; what was signed for is told in words, not by the address of the order. */
function About({ entry: { what, about } }: { readonly entry: AuditEntry }) {
  if (about === null) return null;
  if (what === 'stepped_up') return <>{tCode('order', orderOf(about)) ?? ''}</>;
  return FILE_DECISIONS.has(what) ? <Link to={`/files/${about}`}>{about}</Link> : <>{about}</>;
}

const FILE_DECISIONS: ReadonlySet<string> = new Set([
  ...['approved', 'declined', 'paused', 'resumed', 'released', 'closed_unpaid'],
]);

/** The last part of its address that is a name and no id. */
function orderOf(action: string): string {
  const parts = action.split('/').filter((part) => /^[a-z]+$/.test(part));
  return parts.at(-1) ?? '';
}

/** It stands next to the list. */
function chainOf(list: List<AuditEntry> & Chain): Chain['chain'] {
  return list.chain;
}
