// Long work that goes on while nobody looks: a screen finds it again by its id, shows how far it is, and can end it.
import { useEffect } from 'preact/hooks';

import type { Job } from '../contract/jobs.ts';
import { ask } from './api.ts';
import { type Data, useData, useOrder } from './data.ts';
import { t } from './language.ts';
import { Button, Progress, Trouble } from './parts.tsx';

/** How often a job that runs is looked at, also where no event tells of it. */
const LOOK_MS = 500;

/** @param id null where none has begun. */
export function useJob(id: string | null): Data<Job> {
  const job = useData<Job>(id === null ? null : `/jobs/${id}`, { kinds: ['job'] });
  const isRunning = job.data?.state === 'running';
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(job.reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning, id]);
  return job;
}

export function Running({
  job: { id, done, total },
  label,
  onEnded,
}: {
  readonly job: Job;
  readonly label: string;
  readonly onEnded: (job: Job) => void;
}) {
  const order = useOrder();
  return (
    <>
      <Progress done={done} total={total ?? 0} label={label} />
      <Button
        busy={order.isBusy}
        onClick={() => order.run(async () => onEnded(await ask<Job>(`/jobs/${id}`, { method: 'DELETE' })))}
      >
        {t('part.cancel')}
      </Button>
      <Trouble problem={order.problem} />
    </>
  );
}
