// The file, the ledger and the service held against each other, payment by payment: for one file, or for a stretch of days.
import { useState } from 'preact/hooks';

import type { FileStatus } from '../contract/files.ts';
import type { Job, Reconciled } from '../contract/jobs.ts';
import type { List } from '../contract/schema.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { amount, t } from './language.ts';
import { Running, useJob } from './jobs.tsx';
import { Button, Choice, Field, Heading, Note, Tag, Trouble, When } from './parts.tsx';
import { Link, setFilters, usePlace } from './router.tsx';
import { Table } from './table.tsx';

/** The days are those of UTC. */
const today = (): string => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);

export function Reconcile() {
  const files = useData<List<FileStatus>>('/files?limit=100');
  const [batch, setBatch] = useState('');
  const [from, setFrom] = useState(today);
  const [to, setTo] = useState(today);
  const { query } = usePlace();
  const job = useJob(query.get('job'));
  const order = useOrder();
  const start = (body: Readonly<Record<string, string>>): void =>
    order.run(async () => {
      setFilters({ job: (await ask<Job>('/reconciliations', { method: 'POST', body })).id });
    });
  const all = files.data?.data ?? [];
  const chosen = batch === '' ? (all[0]?.batch ?? '') : batch;
  return (
    <>
      <Heading title={t('nav.reconcile')} />
      <p class="soft">{t('reconcile.words')}</p>
      <div class="filters">
        <Choice
          label={t('files.file')}
          value={chosen}
          options={all.map((each) => [each.batch, `${each.file.name} · ${each.batch}`])}
          onChange={setBatch}
        />
        <Button
          kind="main"
          busy={order.isBusy}
          disabled={chosen === ''}
          onClick={() => start({ batch: chosen })}
        >
          {t('reconcile.file')}
        </Button>
      </div>
      <div class="filters">
        <Field type="date" label={t('reconcile.from')} value={from} onInput={setFrom} />
        <Field type="date" label={t('reconcile.to')} value={to} onInput={setTo} />
        <Button busy={order.isBusy} disabled={from === '' || to === ''} onClick={() => start({ from, to })}>
          {t('reconcile.period')}
        </Button>
      </div>
      <Trouble problem={order.problem ?? job.problem} />
      {job.data === null ? null : <Result job={job.data} onEnded={job.put} />}
      <Earlier shown={query.get('job')} />
    </>
  );
}

/** What the reader has had compared since paydrop started, newest first. */
function Earlier({ shown }: { readonly shown: string | null }) {
  const { data } = useData<List<Job>>('/jobs', { kinds: ['job'] });
  const jobs = (data?.data ?? []).filter(({ kind }) => kind === 'reconcile');
  if (jobs.length === 0) return null;
  return (
    <Table
      caption={t('reconcile.earlier')}
      columns={[
        {
          name: t('reconcile.what'),
          isHead: true,
          value: ({ id, of }) =>
            id === shown ? (
              <b>{of === 'all' ? t('files.all') : of}</b>
            ) : (
              <Link to={`/reconcile?job=${id}`}>{of === 'all' ? t('files.all') : of}</Link>
            ),
        },
        { name: t('files.state'), value: ({ state }) => <Tag of={state} /> },
        { name: t('batch.when'), value: ({ startedAt }) => <When at={startedAt} /> },
      ]}
      rows={jobs}
      keyOf={({ id }) => id}
    />
  );
}

function Result({ job, onEnded }: { readonly job: Job; readonly onEnded: (job: Job) => void }) {
  const { state, done, result, reason } = job;
  if (state === 'running')
    return <Running job={job} label={t('reconcile.running', { n: done })} onEnded={onEnded} />;
  if (state !== 'done' || result === null || !('totals' in result))
    return <Note kind="bad">{reason ?? t('reconcile.stopped')}</Note>;
  const { agrees, rows, count: found, differences, totals, words } = result;
  return (
    <section role="status">
      <p>
        {found > 0 ? (
          <Tag of="warning">{t('reconcile.differences', { n: found })}</Tag>
        ) : agrees ? (
          <Tag of="ok">{rows === 0 ? t('reconcile.none') : t('reconcile.same', { n: rows })}</Tag>
        ) : (
          <Tag of="warning">{t('reconcile.astray')}</Tag>
        )}
      </p>
      <ul>
        {words.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {totals.length === 0 ? null : <Totals totals={totals} />}
      {differences.length === 0 ? null : <Differences differences={differences} />}
      {found > differences.length ? (
        <p class="soft">{t('reconcile.more', { n: found - differences.length })}</p>
      ) : null}
    </section>
  );
}

/** The first and the last make the third, or a difference was overlooked. */
function Totals({ totals }: { readonly totals: Reconciled['totals'] }) {
  const lines = totals.flatMap((sums) =>
    (['debited', 'reserved'] as const).map((what) => ({ what, sums, key: `${sums.sourceCurrency} ${what}` })),
  );
  const side = (name: 'file' | 'ledger' | 'service' | 'differences') => ({
    name: t(`reconcile.${name}Sum`),
    isNumber: true,
    value: ({ what, sums }: (typeof lines)[number]) => amount(sums[name][what]),
  });
  return (
    <Table
      caption={t('reconcile.totals')}
      columns={[
        {
          name: t('cost.currency'),
          isHead: true,
          value: ({ what, sums }) => `${sums.sourceCurrency} · ${t(`batch.${what}`)}`,
        },
        side('file'),
        side('ledger'),
        side('service'),
        side('differences'),
      ]}
      rows={lines}
      keyOf={({ key }) => key}
    />
  );
}

function Differences({ differences }: { readonly differences: Reconciled['differences'] }) {
  return (
    <Table
      caption={t('reconcile.eachDifference')}
      columns={[
        {
          name: t('files.file'),
          value: ({ batch }) => (batch === null ? '–' : <Link to={`/files/${batch}`}>{batch}</Link>),
        },
        { name: t('check.row'), value: ({ row }) => row ?? '–' },
        { name: t('check.what'), isHead: true, value: ({ words }) => words },
        { name: t('cost.currency'), value: ({ sourceCurrency }) => sourceCurrency },
        { name: t('batch.debited'), isNumber: true, value: ({ debited }) => amount(debited) },
        { name: t('batch.reserved'), isNumber: true, value: ({ reserved }) => amount(reserved) },
      ]}
      rows={differences}
      keyOf={(_, at) => String(at)}
    />
  );
}
