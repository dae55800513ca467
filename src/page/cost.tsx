// The cost of a file, at present prices, and the order to have it paid. It waits for approval where the firm wants that.
import { useEffect, useState } from 'preact/hooks';

import { ask, BACKGROUND, type Problem } from './api.ts';
import { useUpload } from './check.tsx';
import { useOrder } from './data.ts';
import { amount, count, t } from './language.ts';
import { useLive } from './live.ts';
import { Bars, Button, Heading, Note, Progress, shareOf, Trouble, Waiting } from './parts.tsx';
import { go, Link, usePlace } from './router.tsx';
import type { Job, Upload } from './shapes.ts';
import { Table } from './table.tsx';

type CostLine = {
  readonly sourceCurrency: string;
  readonly sendAmount: string;
  readonly feeAmount: string;
  readonly debit: string;
  readonly availableAmount: string | null;
  readonly shortfall: string | null;
};

/** How often a job that runs is looked at. */
const LOOK_MS = 500;

export function Cost({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const { data, problem } = useUpload(id);
  const { query } = usePlace();
  const job = useCost(id, data?.state === 'checked' && data.batch === null);
  const skips = query.get('skip') === 'yes';
  if (data === null)
    return (
      <>
        <Heading title={t('cost.title')} />
        <Waiting problem={problem} />
      </>
    );
  return (
    <>
      <Heading title={t('cost.of', { file: data.name })}>
        <Submit upload={data} skips={skips} />
      </Heading>
      {skips ? <Note kind="warn">{t('cost.skips', { n: data.faulty })}</Note> : null}
      <Trouble problem={job.problem} />
      {job.job === null ? null : <Costs job={job.job} />}
      <p>
        <Link to={`/drop/${id}`}>{t('cost.back')}</Link>
      </p>
    </>
  );
}

function useCost(
  id: string,
  isReady: boolean,
): { readonly job: Job | null; readonly problem: Problem | null } {
  const [job, setJob] = useState<Job | null>(null);
  const order = useOrder();
  useEffect(() => {
    if (isReady)
      order.run(async () => setJob(await ask<Job>(`/uploads/${id}/cost`, { method: 'POST', body: {} })));
  }, [id, isReady]);
  useLive(({ kind, data }) => {
    if (kind === 'job' && job !== null && data['id'] === job.id) setJob(data as unknown as Job);
  });
  const isRunning = job?.state === 'running';
  useEffect(() => {
    if (!isRunning) return undefined;
    const read = (): void => {
      ask<Job>(`/jobs/${job.id}`, { headers: BACKGROUND }).then(setJob, () => undefined);
    };
    const timer = setInterval(read, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning, job?.id]);
  return { job, problem: order.problem };
}

function Costs({ job: { state, done, total, result, reason } }: { readonly job: Job }) {
  if (state === 'running')
    return (
      <Progress done={done} total={total ?? 0} label={t('cost.pricing', { n: done, rows: total ?? 0 })} />
    );
  const lines = (result?.['lines'] ?? []) as readonly CostLine[];
  const words = (result?.['words'] ?? []) as readonly string[];
  // Totals of some rows would look like those of the file.
  if (state !== 'done' || result?.['isStopped'] === true)
    return <Note kind="bad">{reason ?? t('cost.stopped')}</Note>;
  const short = lines.filter(({ shortfall }) => shortfall !== null && /[1-9]/.test(shortfall));
  return (
    <>
      {short.map(({ sourceCurrency, shortfall }) => (
        <Note kind="warn" key={sourceCurrency}>
          <b>{t('cost.short', { sum: `${sourceCurrency} ${amount(shortfall)}` })}</b> {t('cost.shortWords')}
        </Note>
      ))}
      <Bars
        bars={lines
          .filter(({ availableAmount }) => availableAmount !== null)
          .map(({ sourceCurrency, debit, availableAmount }) => ({
            label: t('cost.bar', { currency: sourceCurrency }),
            value: `${amount(debit)} / ${amount(availableAmount)}`,
            share: shareOf(debit, availableAmount ?? '0'),
          }))}
      />
      <Table
        caption={t('cost.caption')}
        columns={[
          { name: t('cost.currency'), isHead: true, value: (line) => line.sourceCurrency },
          { name: t('cost.sends'), isNumber: true, value: (line) => amount(line.sendAmount) },
          { name: t('cost.fees'), isNumber: true, value: (line) => amount(line.feeAmount) },
          { name: t('cost.debit'), isNumber: true, value: (line) => <b>{amount(line.debit)}</b> },
          { name: t('cost.available'), isNumber: true, value: (line) => amount(line.availableAmount) },
          { name: t('cost.missing'), isNumber: true, value: (line) => amount(line.shortfall) },
        ]}
        rows={lines}
        keyOf={(line) => line.sourceCurrency}
      />
      <ul class="soft">
        {words.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

function Submit({
  upload: { id, state, batch, faulty, rows },
  skips,
}: {
  readonly upload: Upload;
  readonly skips: boolean;
}) {
  const order = useOrder();
  const submit = async (): Promise<void> => {
    const { batch: became } = await ask<{ readonly batch: string }>(`/uploads/${id}/submission`, {
      method: 'POST',
      body: { skipRows: skips },
    });
    go(`/files/${became}`);
  };
  if (batch !== null) return <Link to={`/files/${batch}`}>{batch}</Link>;
  const left = rows - (skips ? faulty : 0);
  return (
    <>
      <Button
        kind="main"
        busy={order.isBusy}
        disabled={state !== 'checked' || (faulty > 0 && !skips)}
        onClick={() => order.run(submit)}
      >
        {t('cost.submit', { n: left })}
      </Button>
      <span class="soft">
        {count(left)} / {count(rows)}
      </span>
      <Trouble problem={order.problem} />
    </>
  );
}
