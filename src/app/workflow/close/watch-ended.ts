// Looks again at the rows of a batch that have ended and whose time has come: many by the list, what it leaves open one by one.
import { ENDED } from '../../../delivery/next-look.ts';
import { runBatch, type RunEnd } from '../../../delivery/runner.ts';
import { sweepEnded } from '../../../delivery/sweep-ended.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Stage } from '../../../payouts/lifecycle.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../send/pay-batch.ts';
import type { RunControl } from '../../parts/run-options.ts';

/** How a watch ended, and how many rows it found elsewhere than they stood. */
export type WatchEnd = { readonly end: RunEnd; readonly moved: number };

/** `beforeReading` is awaited before anything is read that may change a row. Waits for nothing. */
export async function watchEnded(
  paydrop: Paydrop,
  batch: BatchRecord,
  { signal }: Pick<RunControl, 'signal'>,
  beforeReading: () => Promise<void> = () => Promise.resolve(),
): Promise<WatchEnd> {
  const { ledger, log, config } = paydrop;
  const tools = deliveryTools(paydrop, batch);
  if (await isDue(paydrop, batch.id, ENDED)) await sweepEnded(ledger, tools, batch.id);
  if (!(await isDue(paydrop, batch.id, ENDED))) return { end: { kind: 'done' }, moved: 0 };
  await beforeReading();
  let moved = 0;
  const { concurrency, timeout: callTimeoutMs } = config.service;
  const onMoved = (): void => {
    moved += 1;
  };
  const { id, fileId } = batch;
  const common = {
    ledger,
    tools,
    log,
    batch: id,
    fileId,
    concurrency,
    callTimeoutMs,
    signal,
    onMoved,
    stop: () => null,
  };
  const end = await runBatch({ ...common, goal: 'watched', waitMs: 0 });
  return { end, moved };
}

/** Whether a row in one of these stages is due by now. */
export async function isDue(
  { ledger, clock }: Paydrop,
  batch: string,
  stages: readonly Stage[],
): Promise<boolean> {
  const dueAt = await ledger.nextDueAt(batch, stages);
  return dueAt !== null && dueAt <= clock.now();
}
