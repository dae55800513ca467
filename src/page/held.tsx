// Rows that wait for somebody's decision, by why they wait, over all files.
import type { HeldGroup } from '../contract/decisions.ts';
import type { List } from '../contract/schema.ts';
import { useData } from './data.ts';
import { count, t } from './language.ts';
import { Empty, Heading, Stale, Waiting } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import { may, useSession } from './session.ts';
import { Table } from './table.tsx';

export function Held() {
  const { data, problem } = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const { query: filters } = usePlace();
  const only = filters.get('code');
  const groups = (data?.data ?? []).filter(({ code }) => only === null || code === only);
  return (
    <>
      <Heading title={t('nav.held')}>
        {only === null ? null : <Link to="/held">{t('held.all')}</Link>}
      </Heading>
      {data === null ? (
        <Waiting problem={problem} />
      ) : (
        <>
          <Stale problem={problem} />
          {groups.length === 0 ? <Empty>{t('held.none')}</Empty> : null}
          {groups.map((group) => (
            <Group key={group.code} group={group} />
          ))}
        </>
      )}
    </>
  );
}

function Group({ group }: { readonly group: HeldGroup }) {
  const { session } = useSession();
  const { code, words, rows, files, liftsItself } = group;
  return (
    <section class="card">
      <h2>{t('needs.held', { n: rows })}</h2>
      <p>{words}</p>
      {liftsItself ? <p class="soft">{t('held.byItself')}</p> : null}
      <Table
        columns={[
          {
            name: t('files.file'),
            isHead: true,
            value: ({ batch, file }) => (
              <Link to={`/files/${batch}?outcome=held&code=${encodeURIComponent(code)}`}>{file}</Link>
            ),
          },
          { name: t('files.rows'), isNumber: true, value: (file) => count(file.rows) },
          {
            name: t('held.decision'),
            value: ({ batch, isOwn }) => (
              <span class="actions">
                {isOwn ? <span class="soft">{t('held.own')}</span> : null}
                {may(session, 'checker') ? (
                  <Link to={`/held/${batch}?code=${encodeURIComponent(code)}`} class="button plain">
                    {t('held.decide')}
                  </Link>
                ) : null}
              </span>
            ),
          },
        ]}
        rows={files}
        keyOf={({ batch }) => batch}
      />
    </section>
  );
}
