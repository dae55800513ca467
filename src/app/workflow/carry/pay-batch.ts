// Prices and pays a registered batch, and says in words what stopped it, if anything did.
import { dayOf } from '../../../base/clock.ts';
import { type DecimalText, fractionOf } from '../../../base/decimal.ts';
import { type Words, joinWords } from '../../../base/language.ts';
import { type Goal, STAGES_OF } from '../../../delivery/goal.ts';
import { type RunEnd, type RunOptions, runBatch } from '../../../delivery/runner.ts';
import type { DeliveryTools } from '../../../delivery/tools.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { readTakenDocument } from '../../../inbox/documents.ts';
import { folderOfBatch } from '../../../inbox/manifest.ts';
import { isGuarded } from '../../../ledger/approval.ts';
import { isOnDays } from '../../../ledger/days.ts';
import type { Ledger, WhichRows } from '../../../ledger/ledger.ts';
import { type BatchRecord, type RowRecord, tenureOf } from '../../../ledger/records.ts';
import { isOfService, type Wait, waitFor } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';
import {
  BEFORE_CONFIRM,
  type CountedAs,
  SETTLED,
  type Stage,
  type StageOrHeld,
} from '../../../payouts/lifecycle.ts';
import { areNone, limitsLeft } from '../../../payouts/limits.ts';
import type { RowPlace } from '../../../payouts/progress.ts';
import type { Stop } from '../../../payouts/stop.ts';
import { callsAtOnceOf } from '../../config/config.ts';
import { policyOf } from '../../config/policy.ts';
import type { Paydrop } from '../../parts.ts';
import type { ProgressCounts, RunControl } from '../../parts/run-options.ts';
import { CREDENTIALS_WORDS, earliestNow } from '../../parts/wait-for-service.ts';
import { betweenDays } from '../batch/await-time.ts';
import { takenProfile } from '../batch/profile-for.ts';
import { keepWait } from '../tell.ts';
import { batchOf } from '../batch/work.ts';
import { doubtIn, unseenRows, unseenWords, waitUnseen } from './unseen-rows.ts';
import { learnRates } from './learn-rates.ts';
import { describeLimitsStop, describeShortfall, limitsStop, stopOfRun } from './stops.ts';
import { HaltTeller } from './tell-halts.ts';

/** More rows than this are not priced only to compute a shortfall: the first prices would expire before the last are known. */
const PRICED_FIRST_MOST = 2_000;

function progressOf(byStage: ReadonlyMap<CountedAs, number>): ProgressCounts {
  const of = (...stages: readonly CountedAs[]) =>
    stages.reduce((sum, stage) => sum + (byStage.get(stage) ?? 0), 0);
  return {
    sent: of('confirmed', 'paid', 'failed'),
    final: of('paid', 'failed'),
    toLookAt: of('held', 'failed', 'rejected', 'duplicate'),
    open: of('scheduled', 'ready', 'quoted', 'created', 'confirming'),
  };
}

type CarryOptions = {
  readonly onSettled?: (from: Stage, to: StageOrHeld) => void;
  /** Also rows of days to come. */
  readonly early?: boolean;
};

/** Carries the rows of a batch to a goal, and gives the reason when not all of them get there. */
export async function carryRows(
  paydrop: Paydrop,
  batch: BatchRecord,
  goal: Goal,
  control: RunControl,
  { onSettled = () => undefined, early = goal === 'found' }: CarryOptions = {},
): Promise<RunEnd> {
  const { ledger, log, clock } = paydrop;
  // Before everything is priced, only rows that were registered as due are carried; a clock that was ahead may have put them off by hours. Rows
  // whose news arrives by notification are not polled either. A person who resumes half of a large file does not wait for rows that are not carried
  // to this goal.
  const isAnnounced = goal === 'tracked' && paydrop.hearing.isTrusted();
  if (!isAnnounced) await ledger.makeDue(batch.id, dueFor(batch, goal), STAGES_OF[goal]);
  const counts = await ledger.stageCounts(batch.id);
  const settled = [...counts].reduce((sum, [stage, rows]) => sum + (SETTLED.has(stage) ? rows : 0), 0);
  control.view.start(batch.id, batch.rows, settled, batch.fileName);
  const byStage = new Map(counts);
  control.view.moved?.(progressOf(byStage));
  const tools = await toolsFor(paydrop, batch, goal);
  const { stop, moved } = await stopOfRun(paydrop, batch, goal);
  const onMoved = (from: Stage, to: StageOrHeld, errorCode: string | null): void => {
    moved(from, to, errorCode);
    if (to !== 'quoted' && to !== 'ready') halts.moved();
    byStage.set(from, (byStage.get(from) ?? 0) - 1);
    byStage.set(to, (byStage.get(to) ?? 0) + 1);
    control.view.moved?.(progressOf(byStage));
    if (!SETTLED.has(to) || SETTLED.has(from)) return;
    control.view.settled();
    onSettled(from, to);
  };
  const common = { ...(await runOf(paydrop, batch)), tools, signal: control.signal, stop };
  const price = (signal: AbortSignal) =>
    runBatch({ ...common, signal: AbortSignal.any([control.signal, signal]), ...PRICE_ALONE }).then(
      () => undefined,
    );
  const halts = new HaltTeller(paydrop, await batchOf(paydrop, batch), {
    view: control.view,
    price: (counts.get('ready') ?? 0) <= PRICED_FIRST_MOST ? price : null,
    follow: goal === 'tracked' ? null : (signal) => followMeanwhile(paydrop, { ...common, onMoved }, signal),
    otherWait: () => heldOrNothing(paydrop, batch),
  });
  try {
    const { waitMs } = control;
    const end = await runBatch({ ...common, goal, early, waitMs, onMoved, onHalt: halts.changed }).finally(
      () => halts.close(),
    );
    // Prices cost nothing, and they make the shortfall exact.
    if (end.kind === 'funds' && (counts.get('ready') ?? 0) <= PRICED_FIRST_MOST) {
      await runBatch({ ...common, ...PRICE_ALONE });
    }
    return end;
  } finally {
    control.view.end();
    log.debug('run ended', { batch: batch.id, durationMs: clock.now() - Date.parse(batch.acceptedAt) });
  }
}

function dueFor({ payAt }: BatchRecord, goal: Goal): WhichRows {
  if (goal === 'priced') return 'waiting';
  return isOnDays(payAt) && goal !== 'found' ? 'open' : 'all';
}

/** What every run of the batch has in common. */
async function runOf({ ledger, log, config, workspace }: Paydrop, batch: BatchRecord) {
  const concurrency = callsAtOnceOf(config.service).most;
  const folder = await folderOfBatch(workspace, batch.id);
  const tenure = tenureOf(batch, ledger.run);
  const { id, fileId, payAt } = batch;
  return { ledger, log, leased: batch, batch: id, folder, fileId, payAt, tenure, concurrency };
}

/** The tools of a run, with the rates of the batch where rows get their price on the way. */
async function toolsFor(paydrop: Paydrop, batch: BatchRecord, goal: Goal): Promise<DeliveryTools> {
  // Approval may have been requested since the batch was read.
  const now = await batchOf(paydrop, batch.id);
  const tools = { ...deliveryTools(paydrop, now), maxDrift: await maxDriftOf(paydrop, now) };
  if (PRICING.has(goal)) await learnRates(paydrop, batch, tools);
  return tools;
}

const PRICE_ALONE = { goal: 'priced', waitMs: 0, onMoved: () => undefined } as const;

/** While something holds the sending up, statuses that come meanwhile count at once. */
async function followMeanwhile(
  { ledger, clock, hearing }: Paydrop,
  run: Omit<RunOptions, 'goal' | 'waitMs'>,
  over: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([run.signal, over]);
  if (!hearing.isTrusted()) await ledger.makeDue(run.batch, 'all', STAGES_OF.tracked);
  while (!signal.aborted) {
    await runBatch({ ...run, goal: 'tracked', waitMs: Infinity, signal });
    await clock.sleep(FOLLOW_EVERY_MS, signal);
  }
}

/** Rows of other currencies may be sent meanwhile. */
const FOLLOW_EVERY_MS = 1_000;

/** The goals on whose way a row gets its price, and is sent at it. */
const PRICING: ReadonlySet<Goal> = new Set(['priced', 'reserved', 'submitted']);

/** As the question had it where one was asked; else as the config has it for this file. */
export async function maxDriftOf({ config, workspace }: Paydrop, batch: BatchRecord): Promise<DecimalText> {
  const { approval } = batch;
  if (approval?.kind === 'asked') return fractionOf(approval.maxDrift);
  const profile = await takenProfile(workspace, batch).catch((error: unknown) => {
    if (error instanceof BatchFolderFault) return null;
    throw error;
  });
  return fractionOf(policyOf(config.policy, profile?.policy).maxDrift);
}

/** The end of a run that would exceed a limit of a file or a day, before its first payment; null where nothing known about the file forbids it. */
export async function overLimits(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
): Promise<RunEnd | null> {
  await priceForLimits(paydrop, batch, control);
  const stop = await limitsStop(paydrop, batch);
  return stop === null ? null : { kind: 'operator', stop };
}

/** Where such a limit is set, the cost of the file is computed first. What stops the pricing stops the sending too. */
async function priceForLimits(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<void> {
  const { ledger, config } = paydrop;
  if ((config.limits.perFile ?? config.limits.perDay) === null) return;
  const ready = (await ledger.stageCounts(batch.id)).get('ready') ?? 0;
  if (ready === 0 || ready > PRICED_FIRST_MOST) return;
  await ledger.makeDue(batch.id, isOnDays(batch.payAt) ? 'open' : 'all');
  await carryRows(paydrop, batch, 'priced', control);
}

export function deliveryTools(paydrop: Paydrop, batch: BatchRecord): DeliveryTools {
  const { service, clock, serviceClock, rateControl, config, workspace, ledger } = paydrop;
  const { limits } = config;
  const maxDrift = fractionOf(config.policy.maxDrift);
  return {
    service,
    clock,
    serviceClock,
    rateControl,
    doubtSince: doubtIn(batch, paydrop),
    readDocument: (document) => readTakenDocument(workspace, batch.id, document),
    callbackUrl: paydrop.callbacks?.urlOf ?? null,
    reserve:
      areNone(limits) && !isGuarded(batch)
        ? null
        : (row, amount) => {
            const left = limitsLeft(limits, row.progress, amount, maxDrift);
            return ledger.reserve(batch, row, amount, left, dayOf(earliestNow(paydrop)));
          },
    priceLimits: limits,
    maxDrift,
    rates: paydrop.rates.of(batch.id),
    rowAt: (place) => rowAt(ledger, place),
    pollEveryMs: config.tracking.pollEvery,
    isNotified: () => paydrop.hearing.isTrusted(),
    reversalWindowMs: config.tracking.reversalWindow,
  };
}

/** Null where no row stands at that place. */
export async function rowAt(ledger: Ledger, { batch, position }: RowPlace): Promise<RowRecord | null> {
  const [row] = await ledger.rows(batch, position, 1);
  return row?.position === position ? row : null;
}

/** Records what a batch waits for after its last run, for its owner to read. */
export async function tellWaiting(paydrop: Paydrop, batch: BatchRecord, end: RunEnd): Promise<void> {
  await keepWait(paydrop, batch, await waitAfterRun(paydrop, batch, end), !CUT_SHORT.has(end.kind));
}

/** No more questions were asked. */
export const CUT_SHORT: ReadonlySet<RunEnd['kind']> = new Set(['interrupted', 'paused']);

async function stopWords(paydrop: Paydrop, batch: BatchRecord, { by, words }: Stop): Promise<Words> {
  return by === 'limits' ? describeLimitsStop(paydrop, batch, words) : words;
}

/** What a batch waits for after such an end; a pause has its own record. */
export async function waitAfterRun(paydrop: Paydrop, batch: BatchRecord, end: RunEnd): Promise<Wait | null> {
  switch (end.kind) {
    case 'credentials':
      return waitFor('credentials', CREDENTIALS_WORDS);
    case 'service':
      return waitFor('service', paydrop.trouble.words);
    case 'funds':
      return waitFor('funds', await describeShortfall(paydrop, batch, end.currencies));
    case 'operator':
      return waitFor(end.stop.by, await stopWords(paydrop, batch, end.stop));
    case 'paused':
    case 'interrupted': {
      // An interruption ends no wait: it is still what the batch lacks.
      const { wait } = await batchOf(paydrop, batch.id);
      return wait !== null && isOfService(wait) ? wait : heldOrNothing(paydrop, batch);
    }
    case 'waited':
    case 'done':
      return heldOrNothing(paydrop, batch);
  }
}

async function heldOrNothing(paydrop: Paydrop, { id }: BatchRecord): Promise<Wait | null> {
  const { ledger } = paydrop;
  const all = (await ledger.stageCounts(id)).get('held') ?? 0;
  const batch = await batchOf({ ledger }, id);
  const day = await betweenDays(paydrop, batch);
  // A release decides about the day first, and then about the rows.
  if (all === 0 || day?.for === 'missed-time') return day;
  const unseen = await unseenRows({ ledger }, batch);
  if (unseen === 0) return waitFor('held-rows', heldWords(batch));
  const words = unseenWords(batch, unseen);
  if (unseen === all) return waitUnseen(batch, words);
  return waitFor('held-rows', joinWords([heldWords(batch), words]));
}

/** Without their number: people decide about them one by one, and these words stand until a run goes on. */
function heldWords(batch: BatchRecord): Words {
  return batch.whole === 'stopped'
    ? sentence('whole.stopped', { id: batch.id })
    : sentence('payBatch.waitingWords');
}

/** The same, with those of days to come. */
export async function isAnythingLeft(paydrop: Pick<Paydrop, 'ledger'>, batch: BatchRecord): Promise<boolean> {
  return (await paydrop.ledger.stageCounts(batch.id)).has('scheduled') || isMoreToSend(paydrop, batch);
}

/** A row that waits for a person may still have to be sent. */
export async function isMoreToSend(
  { ledger }: Pick<Paydrop, 'ledger'>,
  { id }: BatchRecord,
): Promise<boolean> {
  const stages = [...(await ledger.stageCounts(id)).keys()];
  return stages.some((stage) => stage === 'held' || BEFORE_CONFIRM.has(stage));
}
