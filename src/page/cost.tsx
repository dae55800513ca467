// The cost of a file, at present prices, and the order to have it paid. It waits for approval where the firm wants that.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { CostLine } from '../contract/files.ts';
import type { Job } from '../contract/jobs.ts';
import type { Submitted, Upload } from '../contract/uploads.ts';
import { ask } from './api.ts';
import { useUpload } from './check.tsx';
import { useOrder } from './data.ts';
import { amount, t } from './language.ts';
import { Running, useJob } from './jobs.tsx';
import { Button, Heading, Note, Trouble, Waiting, When, Bars, shareOf } from './parts.tsx';
import { go, Link, usePlace } from './router.tsx';
import { Table } from './table.tsx';

export function Cost({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const { data, problem } = useUpload(id);
  const { query } = usePlace();
  const cost = useCost(id, data?.state === 'checked' && data.batch === null);
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
        <Submit upload={data} skips={skips} isPricing={isPricing(cost)} />
      </Heading>
      {skips ? <Note kind="warn">{t('cost.skips', { n: data.faulty })}</Note> : null}
      <Costs cost={cost} rows={data.rows} />
      <p>
        <Link to={`/drop/${id}`}>{t('cost.back')}</Link>
      </p>
    </>
  );
}

/** The last job on the file as it is now, or a new one where its prices hold no more. */
function useCost(id: string, isReady: boolean) {
  const [begun, setBegun] = useState<string | null>(null);
  const order = useOrder();
  const price = (again: boolean): void =>
    order.run(async () => {
      const body = { again };
      setBegun((await ask<Job>(`/uploads/${id}/cost`, { method: 'POST', body })).id);
    });
  useEffect(() => {
    if (isReady) price(false);
  }, [id, isReady]);
  return { job: useJob(begun), order, again: () => price(true) };
}

/** Nobody submits a file before its cost is known, unless it cannot be known or is not awaited any more. */
function isPricing({ job, order }: ReturnType<typeof useCost>): boolean {
  if (order.problem !== null || job.problem !== null) return false;
  return job.data === null || job.data.state === 'running';
}

function Costs({
  cost: { job, order, again },
  rows,
}: {
  readonly cost: ReturnType<typeof useCost>;
  readonly rows: number;
}) {
  const { data } = job;
  const problem = order.problem ?? job.problem;
  if (data === null) return <Trouble problem={problem} />;
  const { state, done, total, endedAt } = data;
  if (state === 'running')
    return (
      <Running
        job={data}
        label={t('cost.pricing', { n: done, rows: total ?? rows })}
        onEnded={(ended) => job.put(ended)}
      />
    );
  return (
    <>
      <Trouble problem={problem} />
      <Prices job={data}>
        <p>
          {t('cost.asOf')} <When at={endedAt} />{' '}
          <Button busy={order.isBusy} onClick={again}>
            {t('cost.again')}
          </Button>
        </p>
      </Prices>
    </>
  );
}

function Prices({
  job: { state, result, reason },
  children,
}: {
  readonly job: Job;
  /** Of when they are, and the way to newer ones. */
  readonly children: ComponentChildren;
}) {
  if (state === 'cancelled')
    return (
      <>
        <Note>{t('cost.cancelled')}</Note>
        {children}
      </>
    );
  // Totals of some rows would look like those of the file.
  if (state !== 'done' || result === null || !('lines' in result) || result.isStopped)
    return (
      <>
        <Note kind="bad">{reason ?? t('cost.stopped')}</Note>
        {children}
      </>
    );
  const { lines, words } = result;
  const short = lines.filter(({ shortfall }) => shortfall !== null && /[1-9]/.test(shortfall));
  return (
    <>
      {short.map(({ sourceCurrency, shortfall }) => (
        <Note kind="warn" key={sourceCurrency}>
          <b>{t('cost.short', { sum: `${sourceCurrency} ${amount(shortfall)}` })}</b> {t('cost.shortWords')}
        </Note>
      ))}
      <section class="card">
        <p class="big">
          {lines.map(({ sourceCurrency, debit }) => (
            <span key={sourceCurrency}>
              {amount(debit)} {sourceCurrency}
            </span>
          ))}
        </p>
        <Bars
          bars={lines
            .filter(({ availableAmount }) => availableAmount !== null)
            .map(({ sourceCurrency, debit, availableAmount }) => ({
              label: t('cost.bar', { currency: sourceCurrency }),
              value: `${amount(debit)} / ${amount(availableAmount)}`,
              share: shareOf(debit, availableAmount ?? '0'),
            }))}
        />
        {children}
      </section>
      <Lines lines={lines} isShort={short.length > 0} />
      <ul class="soft">
        {words.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

function Lines({ lines, isShort }: { readonly lines: readonly CostLine[]; readonly isShort: boolean }) {
  const missing = {
    name: t('cost.missing'),
    isNumber: true,
    value: (line: CostLine) => amount(line.shortfall),
  };
  return (
    <Table
      caption={t('cost.caption')}
      columns={[
        { name: t('cost.currency'), isHead: true, value: (line) => line.sourceCurrency },
        { name: t('cost.sends'), isNumber: true, value: (line) => amount(line.sendAmount) },
        { name: t('cost.fees'), isNumber: true, value: (line) => amount(line.feeAmount) },
        { name: t('cost.debit'), isNumber: true, value: (line) => <b>{amount(line.debit)}</b> },
        { name: t('cost.available'), isNumber: true, value: (line) => amount(line.availableAmount) },
        ...(isShort ? [missing] : []),
      ]}
      rows={lines}
      keyOf={(line) => line.sourceCurrency}
    />
  );
}

function Submit({
  upload: { id, state, batch, faulty, rows },
  skips,
  isPricing,
}: {
  readonly upload: Upload;
  readonly skips: boolean;
  readonly isPricing: boolean;
}) {
  const order = useOrder();
  const submit = async (): Promise<void> => {
    const { batch: became } = await ask<Submitted>(`/uploads/${id}/submission`, {
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
        disabled={state !== 'checked' || isPricing || (faulty > 0 && !skips)}
        onClick={() => order.run(submit)}
      >
        {t('cost.submit', { n: left })}
      </Button>
      {left < rows ? <span class="soft">{t('cost.part', { rows })}</span> : null}
      <Trouble problem={order.problem} />
    </>
  );
}
