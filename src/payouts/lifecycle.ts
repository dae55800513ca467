// The stages of a payout and every arrow between them. A step may only move a payout along one of these; anything else is a bug.

/** Where a payout stands on our path. */
export const STAGES = [
  'ready',
  'quoted',
  'created',
  'confirming',
  'confirmed',
  'paid',
  'failed',
  'rejected',
  'duplicate',
] as const;
export type Stage = (typeof STAGES)[number];

/** A hold lies over a stage and hides it. */
export type StageOrHeld = Stage | 'held';

/** As the ledger counts rows, which knows their days; `scheduled`: nothing of it is confirmed, and its day is to come. */
export type CountedAs = StageOrHeld | 'scheduled';

const ARROWS: Readonly<Record<Stage, readonly Stage[]>> = {
  ready: [
    'quoted', // the service gave a price
    'created', // a transfer of an earlier run was found before we asked for a price: adopted
    'confirming', // the same, and no document has to be attached
    'confirmed', // the same, already submitted
    'paid', // the same, already paid
    'failed', // the same, already failed
    'rejected', // the service refused the quotation for good, or its amount is outside the corridor's bounds
  ],
  quoted: [
    'ready', // the quotation ran out, or would before it could be confirmed: ask again
    'created', // the funds are reserved
    'confirming', // the same, and no document has to be attached
    'confirmed', // an earlier create of this very id had gone further than we knew
    'paid', // the same
    'failed', // the same
    'rejected', // the service refused the create for good, and no transfer exists
  ],
  created: [
    'confirming', // the document is attached, and the intent to confirm is on record
    'confirmed', // somebody confirmed it, or an earlier confirm of ours arrived
    'paid', // the same, later
    'failed', // cancelled by the operator's staff
    'ready', // proved dead: expired, and no confirm can have been sent
  ],
  confirming: [
    'confirmed', // submitted to the payout network, or refused by it and waiting for the record to say so
    'created', // the service misses the document: attach it again
    'paid', // an earlier confirm had been heard
    'failed', // refused or cancelled
    'ready', // proved dead: expired, its confirm refused as too late, and still only created long after
  ],
  confirmed: [
    'paid', // the payout network paid
    'failed', // the payout network or the staff refused
  ],
  paid: [
    'failed', // The service reversed it after payout (100001): the only way out of a final stage.
  ],
  failed: [],
  rejected: [],
  duplicate: [],
};

/** True when a payout may go from one stage to another; staying is always allowed. */
export function mayMove(from: Stage, to: Stage): boolean {
  return from === to || ARROWS[from].includes(to);
}

/** Stages in which, as far as the record shows, nobody has confirmed the transfer. */
export const STAGES_BEFORE_CONFIRM = ['ready', 'quoted', 'created', 'confirming'] as const;
export const BEFORE_CONFIRM: ReadonlySet<CountedAs> = new Set<Stage>(STAGES_BEFORE_CONFIRM);

/** Whether a row may still be sent without anybody's decision: `open` leaves out those of days to come. */
export function isAnyUnsent(counts: ReadonlyMap<CountedAs, number>, which: 'all' | 'open'): boolean {
  return (
    (which === 'all' && counts.has('scheduled')) || STAGES_BEFORE_CONFIRM.some((stage) => counts.has(stage))
  );
}

/** Stages in which a payout needs no more work while its batch is being paid. */
export const SETTLED: ReadonlySet<CountedAs> = new Set<StageOrHeld>([
  'paid',
  'failed',
  'held',
  'rejected',
  'duplicate',
]);

/** Stages in which a batch may close: held rows wait for a person. */
export const FINAL: ReadonlySet<CountedAs> = new Set<Stage>(['paid', 'failed', 'rejected', 'duplicate']);

// The outcome of a row, in the words of the answers.

export const OUTCOMES = ['paid', 'failed', 'submitted', 'rejected', 'duplicate', 'held', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const OUTCOME_OF: Readonly<Record<CountedAs, Outcome>> = {
  scheduled: 'pending',
  ready: 'pending',
  quoted: 'pending',
  created: 'pending',
  confirming: 'pending',
  confirmed: 'submitted',
  paid: 'paid',
  failed: 'failed',
  held: 'held',
  rejected: 'rejected',
  duplicate: 'duplicate',
};

export function outcomeOf(stage: CountedAs): Outcome {
  return OUTCOME_OF[stage];
}

/** Where the rows with one of these outcomes stand. */
export function stagesOf(outcomes: readonly Outcome[]): readonly StageOrHeld[] {
  return [...STAGES, 'held' as const].filter((stage) => outcomes.includes(outcomeOf(stage)));
}
