// The file, the ledger and the service held against each other, payment by payment: for one file, or for a stretch of days.
import { useState } from 'preact/hooks';

import { ask, type List } from './api.ts';
import { useData, useOrder } from './data.ts';
import { t } from './language.ts';
import { useLive } from './live.ts';
import { Button, Choice, Field, Heading, Note, Progress, Tag, Trouble } from './parts.tsx';
import type { Job, Summary } from './shapes.ts';
import { Table } from './table.tsx';

export function Reconcile() {
  const files = useData<List<Summary>>('/files?limit=100');
  const [batch, setBatch] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [job, setJob] = useState<Job | null>(null);
  const order = useOrder();
  useLive(({ kind, data }) => {
    if (kind === 'job' && job !== null && data['id'] === job.id) setJob(data as unknown as Job);
  });
  const start = (body: Readonly<Record<string, string>>): void =>
    order.run(async () => setJob(await ask<Job>('/reconciliations', { method: 'POST', body })));
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
      <Trouble problem={order.problem} />
      {job === null ? null : <Result job={job} />}
    </>
  );
}

type Difference = Readonly<Record<string, unknown>>;

function Result({ job: { state, done, total, result, reason } }: { readonly job: Job }) {
  if (state === 'running')
    return <Progress done={done} total={total ?? 0} label={t('reconcile.running', { n: done })} />;
  if (state !== 'done') return <Note kind="bad">{reason ?? t('reconcile.stopped')}</Note>;
  const differences = (result?.['differences'] ?? []) as readonly Difference[];
  const words = (result?.['words'] ?? []) as readonly string[];
  const fault = result?.['fault'];
  if (typeof fault === 'string') return <Note kind="bad">{fault}</Note>;
  const text = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const names = [...new Set(differences.flatMap((each) => Object.keys(each)))];
  return (
    <section role="status">
      <Tag of={result?.['agrees'] === true ? 'ok' : 'warning'}>
        {differences.length === 0
          ? t('reconcile.same')
          : t('reconcile.differences', { n: differences.length })}
      </Tag>
      <ul>
        {words.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {differences.length === 0 ? null : (
        <Table
          columns={names.map((name) => ({ name, value: (each: Difference) => text(each[name]) }))}
          rows={differences}
          keyOf={(_, at) => String(at)}
        />
      )}
    </section>
  );
}
