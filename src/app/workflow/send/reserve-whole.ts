// An all-or-nothing file: first all its transfers are created, with their documents. Only when all of them exist does the run decide, once and on
// record, to confirm them. Before that decision nothing of the file can be paid.
import type { Words } from '../../../base/language.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import type { Pace } from '../../../delivery/quotations.ts';
import { standingOf, type Standing } from '../../../delivery/reserved.ts';
import { rowsTogether } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Ledger, WholeDecision } from '../../../ledger/ledger.ts';
import { waitFor, type Wait, type WaitKind } from '../../../ledger/wait.ts';
import { newHold } from '../../../payouts/hold.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import type { Paydrop } from '../../parts.ts';
import { carryRows } from '../carry/pay-batch.ts';
import {
  heldWords,
  hiddenWords,
  isUnconfirmed,
  keptStop,
  notWholeWords,
  refusedBefore,
  refusedWords,
  runOutWords,
  type Survey,
  surveyWhole,
  tooSlowNow,
  UNDER_WAY_WORDS,
} from '../all-or-nothing/survey-whole.ts';
import type { KeptStop } from '../../../inbox/manifest.ts';
import { keepManifest } from '../batch/epoch.ts';
import { renewPrices } from '../approval/fresh-prices.ts';
import type { RunControl } from '../../parts/run-options.ts';
import {
  describeFault,
  type Moment,
  momentOf,
  sinceMs,
  waitForService,
} from '../../parts/wait-for-service.ts';
import { isTimeFor, measurePace, neededMs, tooSlowWords } from '../all-or-nothing/whole-in-time.ts';

/** `decided`: the decision is on record, and the rows go on either way. Otherwise this run may confirm nothing yet, and why. */
export type WholeEnd =
  | { readonly kind: 'decided' }
  | { readonly kind: 'ended'; readonly end: RunEnd }
  | { readonly kind: 'waits'; readonly wait: Wait };

/** @param measured the pace, if it was measured a moment ago. */
export async function reserveWhole(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
  measured: Pace | null,
): Promise<WholeEnd> {
  const startedAt = momentOf(paydrop);
  const kept = await keptStop(paydrop.workspace, batch);
  const work: Work = { paydrop, batch, control, kept };
  // The pace was measured at the acceptance in this very run, so there is no earlier try to look at.
  if (measured !== null)
    return untilDecided(work, { startedAt, pace: measured, msPerCall: measured.msPerCall });
  // No transfer is created while one of an earlier try is neither fit to be confirmed nor dead.
  const looked = await timed(work, () => carryRows(paydrop, batch, 'known', control));
  if (looked.end.kind === 'waited') return runOutOrStop(work, startedAt);
  if (looked.end.kind !== 'done') return { kind: 'ended', end: looked.end };
  return untilDecided(work, { startedAt, pace: null, msPerCall: looked.msPerCall ?? 0 });
}

type Work = {
  readonly paydrop: Paydrop;
  readonly batch: BatchRecord;
  readonly control: RunControl;
  /** Says that the file was stopped before, which this ledger does not know. */
  readonly kept: KeptStop | null;
};

/** A row can never be paid with the others, or could not when the file was stopped; null while nothing prevents paying it whole. */
function refusedIn({ kept }: Work, survey: Survey): Words | null {
  return survey.standings.refused > 0 ? refusedWords(survey) : (kept?.refused ?? null);
}

/** Transfers of an earlier try have to expire before new ones are created; a file that cannot be paid whole needs no new ones. */
async function runOutOrStop(work: Work, startedAt: Moment): Promise<WholeEnd> {
  const survey = await surveyWhole(work.paydrop, work.batch);
  const refused = refusedIn(work, survey);
  return refused !== null
    ? stop(work, { survey, refused }, serviceTimeOf(work.paydrop, startedAt))
    : waits(runOutWords(survey), 'service');
}

/** When the first look at the rows began, and the measurements by then. */
type Looked = { readonly startedAt: Moment; readonly pace: Pace | null; readonly msPerCall: number };

async function untilDecided(work: Work, looked: Looked): Promise<WholeEnd> {
  const { paydrop, batch } = work;
  let [pace, msPerCall, openBefore] = [looked.pace, looked.msPerCall, Infinity];
  for (;;) {
    const survey = await surveyWhole(paydrop, batch);
    const refused = refusedIn(work, survey);
    if (refused !== null) return stop(work, { survey, refused }, serviceTimeOf(paydrop, looked.startedAt));
    if (survey.standings.held > 0) return waits(heldWords(batch), 'held-rows');
    const { open } = survey.standings;
    if (open === 0) return decide(work, survey, msPerCall);
    if (open === openBefore) return waits(UNDER_WAY_WORDS, 'service');
    const fit = await fitNow(work, survey, pace);
    if (fit.kind !== 'fits') return fit;
    const reserved = await timed(work, () => reserve(work, fit.spareMs));
    if (reserved.end.kind === 'waited') return waitsFor(await surveyWhole(paydrop, batch));
    if (reserved.end.kind !== 'done') return { kind: 'ended', end: reserved.end };
    [pace, msPerCall, openBefore] = [fit.pace, reserved.msPerCall ?? fit.pace.msPerCall, open];
  }
}

type Fit = { readonly kind: 'fits'; readonly pace: Pace; readonly spareMs: number };

/** Whether all remaining calls fit in before the first quotation, or the first transfer of an earlier try, expires. */
async function fitNow(
  { paydrop, batch, control }: Work,
  survey: Survey,
  measured: Pace | null,
): Promise<Fit | WholeEnd> {
  const asked =
    measured === null
      ? await waitForService(paydrop, control, () => measurePace(paydrop, batch, survey))
      : { value: measured };
  if ('fault' in asked) {
    return { kind: 'waits', wait: describeFault(asked.fault) };
  }
  const pace = asked.value;
  const tooSlow = tooSlowWords(survey, pace);
  if (tooSlow !== null) return waits(tooSlowNow(tooSlow), 'too-slow');
  const calls = survey.callsToReserve + survey.callsToConfirm;
  const left = leftMs(paydrop, survey);
  if (!isTimeFor(calls, pace.msPerCall, left)) return waits(runOutWords(survey), 'service');
  const needed = neededMs(calls, pace.msPerCall);
  await renewPrices(paydrop, batch, needed);
  return { kind: 'fits', pace, spareMs: Math.min(pace.lifeMs ?? Infinity, left) - needed };
}

/** The time until the first transfer expires; Infinity when there is none, or when the service's time is not known. */
function leftMs({ serviceClock }: Paydrop, { firstExpiry }: Survey): number {
  const now = serviceClock.latestNow();
  return now === null ? Infinity : firstExpiry - now;
}

/** One refused or held row is enough to end it: each further transfer would be reserved for nothing. */
async function reserve({ paydrop, batch, control }: Work, spareMs: number): Promise<RunEnd> {
  const stopper = new AbortController();
  const waiting = {
    ...control,
    // To wait until nothing can be confirmed any more would only let more transfers expire.
    waitMs: Math.min(control.waitMs, spareMs),
    signal: AbortSignal.any([control.signal, stopper.signal]),
  };
  const end = await carryRows(paydrop, batch, 'reserved', waiting, {
    onSettled: (from, to) => {
      // Where wrong rows are skipped, a row that is rejected by its price does not count.
      const isSkipped = from === 'ready' && to === 'rejected' && batch.onInvalidRows === 'skip-rows';
      if (!isSkipped) stopper.abort();
    },
  });
  return end.kind === 'interrupted' && !control.signal.aborted ? { kind: 'done' } : end;
}

async function decide(work: Work, survey: Survey, msPerCall: number): Promise<WholeEnd> {
  const { paydrop, batch } = work;
  if (!isTimeFor(survey.callsToConfirm, msPerCall, leftMs(paydrop, survey)))
    return waits(runOutWords(survey), 'service');
  return decideAll(work, {
    to: 'confirming',
    judge: (row) => (MAY_CONFIRM.has(standingOf(row, batch.onInvalidRows)) ? null : 'forbids'),
  });
}

type Rule = {
  readonly to: WholeDecision['to'];
  /** The row's part in the decision; null to leave it as it is. If one row forbids it, nothing is decided. */
  readonly judge: (
    row: RowRecord,
  ) => Pick<WholeDecision['judged'][number], 'progress' | 'event'> | 'forbids' | null;
};

/** In ledger and manifest before the first confirm. */
async function decideAll({ paydrop, batch }: Work, rule: Rule): Promise<WholeEnd> {
  const decision = await readFor(paydrop.ledger, batch, rule);
  const whole = decision === null ? 'reserving' : await paydrop.ledger.decideWhole(batch, decision);
  if (whole === 'reserving') return waits(UNDER_WAY_WORDS, 'service');
  await keepManifest(paydrop, batch);
  return { kind: 'decided' };
}

/** Null where a row forbids it. */
async function readFor(
  ledger: Ledger,
  batch: BatchRecord,
  { to, judge }: Rule,
): Promise<WholeDecision | null> {
  const judged: WholeDecision['judged'][number][] = [];
  for await (const row of rowsTogether(ledger, batch)) {
    const mark = judge(row);
    if (mark === 'forbids') return null;
    if (mark !== null) judged.push({ row, ...mark });
  }
  return { to, judged };
}

const MAY_CONFIRM: ReadonlySet<Standing> = new Set<Standing>(['stands', 'excused']);

/** A row can never be paid with the others. A person decides about the others, once it is certain which of them are not confirmed. */
async function stop(
  work: Work,
  { survey, refused }: { readonly survey: Survey; readonly refused: Words },
  lookedAt: number,
): Promise<WholeEnd> {
  if (survey.hiddenUntil > lookedAt) return waits(hiddenWords(refused, survey.hiddenUntil), 'service');
  const now = work.paydrop.clock.now();
  return decideAll(work, {
    to: 'stopped',
    judge: (row) => {
      const isLeft =
        standingOf(row, work.batch.onInvalidRows) === 'open' || stageOrHeld(row.progress) === 'created';
      return isLeft ? judgeStopped(row, { kept: work.kept, refused, now }) : null;
    },
  });
}

type StopNow = {
  readonly kept: KeptStop | null;
  readonly refused: Words;
  /** Our time in ms. */
  readonly now: number;
};

function judgeStopped(row: RowRecord, { kept, refused, now }: StopNow) {
  const told = refusedBefore(kept, row);
  if (told !== null)
    return {
      progress: { ...row.progress, stage: 'rejected', why: told.why } as const,
      event: 'refused before',
    };
  const hold = newHold('batch_stopped', now, notWholeWords(refused, isUnconfirmed(row)));
  return { progress: { ...row.progress, hold }, event: 'held: batch_stopped' };
}

/** The service's time at a moment, if in doubt too early; without any service time, a look proves nothing. */
function serviceTimeOf(paydrop: Paydrop, at: Moment): number {
  const latestNow = paydrop.serviceClock.latestNow();
  return latestNow === null ? -Infinity : latestNow - sinceMs(at, momentOf(paydrop));
}

function waits(words: Words, kind: WaitKind): WholeEnd & { kind: 'waits' } {
  return { kind: 'waits', wait: waitFor(kind, words) };
}

/** A row that could not be reserved in time has a transfer that must expire first, or has no response yet. */
function waitsFor(survey: Survey): WholeEnd {
  return waits(survey.tooLate > 0 ? runOutWords(survey) : UNDER_WAY_WORDS, 'service');
}

/** How the work ended, and the time of each answered call with all others in progress; null when there was none. */
async function timed(
  { paydrop: { serviceClock, clock } }: Work,
  work: () => Promise<RunEnd>,
): Promise<{ readonly end: RunEnd; readonly msPerCall: number | null }> {
  const [answers, startedAt] = [serviceClock.answers, clock.monotonic()];
  const end = await work();
  const calls = serviceClock.answers - answers;
  return { end, msPerCall: calls === 0 ? null : (clock.monotonic() - startedAt) / calls };
}
