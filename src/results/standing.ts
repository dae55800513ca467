// The status model of a batch: one closed table of what is true of its money. Every surface tells this word: command line, summaries, log, metrics,
// the interface for programs and the page. Nothing is called paid for before a transfer of it exists.
import { leftAs, type Standing } from '../contract/words.ts';
import { waitsForAnswer } from '../ledger/approval.ts';
import { waitingForOf } from '../ledger/batch-rules.ts';
import { PAYING } from '../ledger/batch-states.ts';
import type { BatchRecord, Decision } from '../ledger/records.ts';
import type { WaitingFor } from '../ledger/wait.ts';
import { type CountedAs, outcomeOf, type Outcome } from '../payouts/lifecycle.ts';

export type { Standing };

/** How many rows have which outcome, and of how many a transfer exists. */
export type Counts = { readonly outcomes: Readonly<Record<Outcome, number>>; readonly begun: number };

const OF_WAIT: Readonly<Record<WaitingFor, Standing>> = {
  approval: 'awaiting-approval',
  funds: 'awaiting-funds',
  credentials: 'awaiting-key',
  service: 'awaiting-service',
  doubt: 'awaiting-doubt',
  documents: 'awaiting-documents',
  schedule: 'scheduled',
  operator: 'needs-decision',
};

/** @param isCarried whether a living process works on it, as far as the caller knows. */
export function standingOf(
  batch: BatchRecord,
  counts: Counts,
  isCarried: boolean = batch.owner !== null,
): Standing {
  if (batch.state === 'refused') return 'refused';
  if (batch.state === 'closed') return endedAs(counts.outcomes);
  const waits = waitOf(batch, counts, isCarried);
  if (waits !== null) return waits;
  const work = workOf(batch, counts);
  if (isCarried || (leftAs(work) === work && !isUnwritten(batch, counts))) return work;
  return isReady(batch, counts) ? 'ready' : 'interrupted';
}

/** Once all of it has ended, so far as is known. */
export function endedAs({ held, submitted, pending, ...ended }: Counts['outcomes']): Standing {
  if (held > 0) return 'needs-decision';
  if (submitted > 0) return 'in-transit';
  return pending + ended.failed + ended.rejected + ended.duplicate === 0 ? 'done' : 'done-not-paid';
}

function waitOf(batch: BatchRecord, { outcomes }: Counts, isCarried: boolean): Standing | null {
  // The question stands, whatever else has stopped it meanwhile.
  if (waitsForAnswer(batch)) return 'awaiting-approval';
  const waitingFor = waitingForOf(batch);
  if (waitingFor === null || isDecided(batch, outcomes)) return null;
  // Held rows keep no other row of the file from being sent.
  const areOthersSent = isCarried && outcomes.pending > 0 && batch.wait?.for === 'held-rows';
  return areOthersSent ? null : OF_WAIT[waitingFor];
}

/** People have decided about every row that the batch waits for, and no run has gone on with it yet. */
export function isDecided(
  { wait }: Pick<BatchRecord, 'wait'>,
  { held }: Pick<Counts['outcomes'], 'held'>,
): boolean {
  return wait?.for === 'held-rows' && held === 0;
}

function workOf({ state, approval }: BatchRecord, { outcomes, begun }: Counts): Standing {
  const { pending, held, submitted } = outcomes;
  switch (state) {
    case 'taking':
    case 'checking':
      return 'checking';
    case 'resolving':
      return 'awaiting-doubt';
    case 'closed':
    case 'refused':
      return endedAs(outcomes);
    case 'pricing':
    case 'accepted':
    case 'reserving':
    case 'sending':
    case 'following':
    case 'closing': {
      // Nothing more is sent of it, and its rows are about to be cancelled.
      if (approval?.kind === 'asked' && approval.declined !== null)
        return submitted > 0 ? 'in-transit' : 'done-not-paid';
      if (PAYING.has(state) && pending + held === 0) return endedAs(outcomes);
      if (pending === 0 && held > 0) return 'needs-decision';
      return begun === 0 ? 'asking-prices' : 'paying';
    }
  }
}

/** All of it has ended, and only its answers are missing. */
function isUnwritten({ state, approval }: BatchRecord, { outcomes }: Counts): boolean {
  const isDeclined = approval?.kind === 'asked' && approval.declined !== null;
  return PAYING.has(state) && !isDeclined && outcomes.pending + outcomes.held + outcomes.submitted === 0;
}

/** A person has decided since the last run gave it back. */
function isReady(batch: BatchRecord, { outcomes, begun }: Counts): boolean {
  const { approval, decisions, token } = batch;
  if (isDecided(batch, outcomes)) return true;
  if (approval?.kind === 'asked' && approval.given !== null && !approval.isChecked && begun === 0)
    return true;
  return decisions.some((decision) => LIFTS.has(decision.about) && decision.token === token);
}

const LIFTS: ReadonlySet<Decision['about']> = new Set<Decision['about']>([
  'limits',
  'refusals',
  'time',
  'resume',
]);

/** From how many rows are in which stage; a held row counts as begun by its stage alone. */
export function countsOf(stages: ReadonlyMap<CountedAs, number>, rows: number): Counts {
  const outcomes: Record<Outcome, number> = {
    ...{ paid: 0, failed: 0, submitted: 0, rejected: 0, duplicate: 0, held: 0, pending: 0 },
  };
  let registered = 0;
  let begun = 0;
  for (const [stage, count] of stages) {
    outcomes[outcomeOf(stage)] += count;
    registered += count;
    if (BEGUN.has(stage)) begun += count;
  }
  outcomes.pending += Math.max(0, rows - registered);
  return { outcomes, begun };
}

const BEGUN: ReadonlySet<CountedAs> = new Set<CountedAs>([
  'created',
  'confirming',
  'confirmed',
  'paid',
  'failed',
]);
