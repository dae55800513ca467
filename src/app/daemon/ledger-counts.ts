// What the ledger holds at this moment, as numbers: how many batches wait for what, and where their rows stand.
import type { BatchRecord } from '../../ledger/records.ts';
import { WAITING_FOR, waitingForOf } from '../../ledger/wait.ts';
import { BATCH_STATES } from '../../ledger/batch-states.ts';
import { ENDED } from '../../delivery/next-look.ts';
import { SETTLED, STAGES, type StageOrHeld } from '../../payouts/lifecycle.ts';
import type { Paydrop } from '../parts.ts';
import { byKey, gauge } from '../parts/meter.ts';
import type { Family, Sample } from '../parts/text-format.ts';

/** A payment that has ended is called about too, for as long as it may come back. */
const CALLED = [...STAGES.filter((stage) => !SETTLED.has(stage)), ...ENDED];

export async function ledgerCounts({
  ledger,
  clock,
}: Pick<Paydrop, 'ledger' | 'clock'>): Promise<readonly Family[]> {
  const batches = await ledger.batches();
  const open = batches.filter(({ state }) => state !== 'closed' && state !== 'refused');
  const stages = zeros<StageOrHeld>([...STAGES, 'held']);
  let oldestDueAt: number | null = null;
  let due = 0;
  for (const { id } of open) {
    for (const [stage, rows] of await ledger.stageCounts(id)) stages[stage] += rows;
    const dueAt = await ledger.nextDueAt(id, CALLED);
    if (dueAt !== null && dueAt <= clock.now()) due += 1;
    // A time of 0 or 1 says "now", and nothing of how long it has waited.
    if (dueAt !== null && dueAt > 1) oldestDueAt = Math.min(oldestDueAt ?? dueAt, dueAt);
  }
  return [
    gauge(
      'paydrop_batches',
      'Batches by state.',
      byKey(
        count(batches, BATCH_STATES, ({ state }) => state),
        'state',
      ),
    ),
    gauge(
      'paydrop_batches_waiting',
      'Unfinished batches by what they wait for.',
      byKey(count(open, WAITING_FOR, waitingForOf), 'for'),
    ),
    gauge('paydrop_batches_due', 'Unfinished batches with a row whose next call is due.', one(due)),
    gauge('paydrop_rows', 'Rows of unfinished batches by stage.', byKey(stages, 'stage')),
    gauge(
      'paydrop_oldest_batch_seconds',
      'Age of the oldest unfinished batch.',
      ages(
        open.map(({ acceptedAt }) => Date.parse(acceptedAt)),
        clock.now(),
      ),
    ),
    gauge(
      'paydrop_oldest_due_seconds',
      'For how long the next call that is most overdue has been due.',
      ages(oldestDueAt === null ? [] : [oldestDueAt], clock.now()),
    ),
    ...(await noticeCounts(ledger)),
  ];
}

async function noticeCounts(ledger: Paydrop['ledger']): Promise<readonly Family[]> {
  const standings = await ledger.notices.standing();
  const samples = (value: (standing: (typeof standings)[number]) => number): readonly Sample[] =>
    standings.map((standing) => ({ labels: { channel: standing.channel }, value: value(standing) }));
  return [
    gauge(
      'paydrop_notices_waiting',
      'Messages to people that are not told yet.',
      samples(({ waiting }) => waiting),
    ),
    gauge(
      'paydrop_notices_given_up',
      'Messages to people that were never told.',
      samples(({ givenUp }) => givenUp),
    ),
  ];
}

function zeros<T extends string>(keys: readonly T[]): Record<T, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<T, number>;
}

function count<T extends string>(
  batches: readonly BatchRecord[],
  keys: readonly T[],
  keyOf: (batch: BatchRecord) => T | null,
): Record<T, number> {
  const counts = zeros(keys);
  for (const key of batches.map(keyOf)) if (key !== null) counts[key] += 1;
  return counts;
}

function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

/** Of the oldest; 0 when there is none, or when its time is still to come. */
function ages(times: readonly number[], now: number): readonly Sample[] {
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity);
  return one(oldest === Infinity ? 0 : Math.max(0, now - oldest) / 1_000);
}
