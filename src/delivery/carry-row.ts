// Carries one row: asks the machine what it needs next, makes that call, and tells it the answer, as far as the goal of the run goes. What a call rests on is durable
// before it; everything else is written when the row waits.
import { isoTime } from '../base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { isAged, lifeMsOf, mayCreate } from '../payouts/lifetime.ts';
import { apply } from '../payouts/row-machine/apply.ts';
import { next } from '../payouts/row-machine/next.ts';
import { progressOf, stateOf } from '../payouts/row-machine/record.ts';
import type { RowEvent } from '../payouts/row-machine/row-event.ts';
import {
  attemptOf,
  type Now,
  type RowCall,
  type RowState,
  type RowStep,
  stageOf,
} from '../payouts/row-machine/row-state.ts';
import type { Stop } from '../payouts/stop.ts';
import { type Fault, Unanswered, Unavailable } from '../service/errors.ts';
import type { CallKind } from './adaptive-rate.ts';
import { countRow } from './before-money.ts';
import { reached } from './goal.ts';
import { type Heard, makeCall } from './make-call.ts';
import { toKnownTransfer } from './known-transfer.ts';
import { nowOf } from './now.ts';
import { isSameTransfer, type ShownTransfer } from './observe.ts';
import { OddAnswers } from './odd-answers.ts';
import { type CircuitBreakers, fundedRow } from './paced-transport.ts';
import { stopAsPaidOtherWay } from './paid-other-way.ts';
import type { ListedRow } from './poll-by-list.ts';
import { type Recorded, type Recorder, RecordGroup, type Recording, UnusedIntents } from './recorder.ts';
import { nextLook } from './time-left.ts';
import type { DueRow } from './tools.ts';

/** Whether a row may take its next step; `isBroken`: a bug or a full disk, and nothing more is written. */
type Halting = { readonly mustStop: (state: RowState) => boolean; readonly isBroken: () => boolean };

export type Carrying = Recording & { readonly fileId: string };

/** A row under way: as it was recorded last, how it stands now, and the fault that it met last. */
type UnderWay = Recorded & {
  readonly saved: RowState;
  readonly fault: Fault | null;
  /** This run recorded the intent to confirm, and has sent no confirm since. */
  readonly isIntentUnused: boolean;
};

export class RowCarrier {
  readonly #options: Carrying;
  readonly #breakers: CircuitBreakers;
  readonly #recorder: Recorder;
  readonly #group: RecordGroup;
  readonly #halting: Halting;
  readonly #odd = new OddAnswers();
  readonly #unused = new UnusedIntents();
  /** Tries without success, by position: they only make the next one later. */
  readonly #tries = new Map<number, number>();
  /** The question that a person has to answer before anything more is sent. */
  stop: Stop | null = null;

  constructor(
    options: Carrying,
    { breakers, recorder }: { readonly breakers: CircuitBreakers; readonly recorder: Recorder },
    halting: Halting,
  ) {
    this.#options = options;
    this.#breakers = breakers;
    this.#recorder = recorder;
    this.#group = new RecordGroup(options.ledger, options.tools.rateControl.rows);
    this.#halting = halting;
  }

  async carry(row: RowRecord): Promise<void> {
    let at: UnderWay | null = this.#takenUp(row);
    while (at !== null) at = await this.#onward(at);
  }

  /** What the list shows of rows that are followed; those that are still on their way keep together. Gives the rows that it does not settle. */
  async hearList(listed: readonly ListedRow[]): Promise<readonly RowRecord[]> {
    const heard = listed.map(({ row, shown }) => this.#listed(this.#takenUp(row), shown));
    const isSettled = ({ state }: UnderWay): boolean => !state.mustLook && state.closing === null;
    const settled = heard.filter(isSettled);
    const dues = settled.flatMap(({ state: { end, due } }) => (end === null ? due : []));
    const due = dues.reduce((least, each) => Math.min(least, each), Infinity);
    const { ledger } = this.#options;
    await Promise.all(
      settled.map((at) => {
        const state = at.state.end === null ? { ...at.state, due } : at.state;
        this.#recorder.tell(at.due.row, at.saved, state);
        return this.#leave({ ...at, state }, { do: 'wait', until: due }, (...written) =>
          ledger.record(...written),
        );
      }),
    );
    return heard.filter((at) => !isSettled(at)).map((at) => at.due.row);
  }

  #listed(at: UnderWay, { value, serverTime }: ShownTransfer): UnderWay {
    const { transfer } = at.state;
    const event = {
      on: 'transfer',
      by: 'list',
      attempt: attemptOf(at.state),
      transfer: toKnownTransfer(value),
      differs: transfer === null || !isSameTransfer(transfer, value),
      at: serverTime,
    } as const;
    return { ...at, state: apply({ ...at.state, mustLook: false }, event, this.#now(at.due)) };
  }

  /** As the run takes it up. */
  #takenUp(row: RowRecord): UnderWay {
    const { fileId, tenure, goal, tools } = this.#options;
    const { payout, position } = row;
    if (payout === null) throw new Error('A row without a payout was taken up.');
    const due = { fileId, row: { ...row, payout } };
    const taken = stateOf(row.progress, tenure, tools.doubtSince() === null);
    const known = { ...taken, tries: this.#tries.get(position) ?? 0 };
    const at = { due, saved: known, fault: null, isIntentUnused: this.#unused.has(row) };
    const isOwn = !known.mustLook && known.transfer === null && known.vouchedBy === tenure;
    const isToLook = goal === 'watched' || (goal === 'known' && !isOwn);
    return { ...at, state: isToLook ? apply(known, { on: 'ask' }, this.#now(due)) : known };
  }

  /** Intents that no confirm has followed say for ever that one may have arrived: at the end of a run they are taken back. */
  takeBackUnused(): Promise<void> {
    const { tools, tenure } = this.#options;
    return this.#unused.takeBack(this.#options, tools.clock, ({ due, state }) =>
      progressOf(apply(state, { on: 'unsent' }, this.#now(due)), tenure),
    );
  }

  #now({ row: { payout } }: DueRow): Now {
    return nowOf({ ...this.#options, payout });
  }

  async #onward(at: UnderWay): Promise<UnderWay | null> {
    const now = this.#now(at.due);
    const step = next(at.state, now);
    if (at.state.hold !== null || reached(this.#options.goal, at.state, step) !== null)
      return this.#leave(at, step);
    if (isRest(step)) return this.#leave(at, step);
    if (this.#halting.mustStop(at.state)) return this.#giveBack(at);
    switch (step.do) {
      case 'intend':
      case 'raise':
        return this.#durably(at, { on: step.do }, now);
      case 'count':
        return this.#count(at, step.debit);
      case 'requote':
        this.#noteLife(at);
        return this.#changed(at, { on: 'requote' });
      case 'stop-at-price':
        return this.#changed(at, { on: 'stop-at-price', stop: step.stop });
      case 'create':
        return (await this.#stoppedBeforeCreate(at)) ?? this.#call(at, step);
      default:
        return this.#call(at, step);
    }
  }

  #changed(at: UnderWay, event: RowEvent): UnderWay {
    const state = apply(at.state, event, this.#now(at.due));
    this.#recorder.tell(at.due.row, at.state, state);
    return { ...at, state };
  }

  /** What the next call rests on: nobody makes that call before the record is durable. */
  async #durably(
    at: UnderWay,
    event: RowEvent & { on: 'intend' | 'raise' },
    now: Now,
  ): Promise<UnderWay | null> {
    const state = apply(at.state, event, now);
    if (state.hold !== null) return { ...at, state };
    const isExpected = event.on === 'intend' && at.fault === null;
    const recorded = await this.#record({ due: at.due, state }, { dueAt: now.local }, isExpected);
    if (recorded === null) return null;
    this.#recorder.tell(at.due.row, at.state, state);
    return { ...recorded, saved: state, fault: null, isIntentUnused: event.on === 'intend' };
  }

  #record(
    recorded: Recorded,
    writing: Parameters<Recorder['record']>[1],
    isExpected: boolean,
  ): Promise<Recorded | null> {
    return this.#recorder.record(recorded, writing, isExpected ? this.#group.whenUnused : this.#group.atOnce);
  }

  async #count(at: UnderWay, debit: string): Promise<UnderWay | null> {
    const { tenure, tools } = this.#options;
    const row = { ...at.due.row, progress: progressOf(at.state, tenure) };
    const counted = await countRow(row, debit, tools);
    // Another process has the batch.
    if (counted === 'gone') return null;
    if ('event' in counted) return this.#changed(at, counted.event);
    this.stop ??= counted.stop;
    // The next run looks at the transfer first.
    const state = { ...at.state, mustLook: at.state.transfer !== null };
    const writing = { dueAt: tools.clock.now(), event: `stopped: ${counted.stop.by}` };
    await this.#record({ due: at.due, state }, writing, false);
    return null;
  }

  /** Null where the create may be sent. */
  async #stoppedBeforeCreate(at: UnderWay): Promise<UnderWay | null> {
    this.#noteLife(at);
    const { price, comparison } = at.state;
    if (price === null || comparison.otherWays === null) return null;
    const stop = await stopAsPaidOtherWay({ row: at.due.row, price, comparison }, this.#options.tools);
    return stop === null ? null : this.#changed(at, { on: 'stop-at-price', stop });
  }

  /** Where quotations live hardly longer than a row takes, fewer rows at a time are the cure, not more quotations. */
  #noteLife({ due, state: { price } }: UnderWay): void {
    const { rateControl } = this.#options.tools;
    const seenMs = rateControl.times.seenMs(due.row.payout.document !== null);
    const lifeMs = price === null ? null : lifeMsOf(price);
    if (lifeMs !== null && FITS_TIMES * seenMs > lifeMs) rateControl.late(seenMs);
  }

  async #call(at: UnderWay, call: RowCall): Promise<UnderWay | null> {
    const { tools } = this.#options;
    const { row } = at.due;
    // From here on its confirm may arrive.
    if (call.do === 'confirm') this.#unused.delete(row);
    const startedAt = tools.clock.monotonic();
    const heard = await makeCall(call, { ...at.due, state: at.state }, tools);
    const tookMs = tools.clock.monotonic() - startedAt;
    const state = apply(at.state, this.#eventOf(heard, row), this.#now(at.due));
    this.#tellBreakers(heard, call, { row, before: at.state, after: state });
    if (heard.fault === null) this.#noteTime(call, at.state, tookMs);
    this.#recorder.tell(row, at.state, state);
    const isIntentUnused = at.isIntentUnused && call.do !== 'confirm';
    const after = { ...at, state, fault: heard.fault, isIntentUnused };
    // What is missing for all is waited for by the run, and this row is free meanwhile.
    return heard.event.on === 'unavailable' ? this.#leave(after, call) : this.#priced(after, heard);
  }

  #eventOf({ event, fault }: Heard, { position }: RowRecord): RowEvent {
    if (fault === null || event.on !== 'unanswered') return event;
    const oddity = this.#odd.judge(position, fault, this.#breakers.answers);
    return oddity === null ? event : { ...event, oddity };
  }

  #tellBreakers(
    { fault }: Heard,
    call: RowCall,
    { row, before, after }: { readonly row: RowRecord; readonly before: RowState; readonly after: RowState },
  ): void {
    const to: CallKind = READS.has(call.do) ? 'read' : 'mutation';
    const funded = { ...fundedRow(row), stage: stageOf(before) };
    if (fault !== null) {
      this.#breakers.met(fault, to, funded);
      return;
    }
    this.#breakers.serviceAnswered(to);
    if (to === 'mutation' && stageOf(after) !== stageOf(before)) this.#breakers.fundsSeen(funded);
    if (stageOf(after) !== stageOf(before)) this.#odd.forget(row.position);
  }

  /** How long the way to the confirm is; a look says nothing of it. */
  #noteTime({ do: call }: RowCall, before: RowState, tookMs: number): void {
    if (!READS.has(call)) this.#options.tools.rateControl.times.took(stageOf(before), tookMs);
  }

  /** The first price to run out ends a file that is paid whole for all rows, so one that a preview had got is given up for a new one. */
  #priced(at: UnderWay, { event }: Heard): UnderWay {
    const { price } = at.state;
    if (event.on !== 'quoted' || price === null) return at;
    const { goal, tools } = this.#options;
    const latestNow = tools.serviceClock.latestNow();
    const isOld = goal === 'reserved' && isAged(price, latestNow) && at.state.quotation <= AGED_MOST;
    // One that was found may be about to run out; a fresh one is used, however short its life.
    if (isOld || (event.isAdopted && !mayCreate(price, latestNow)))
      return this.#changed(at, { on: 'requote' });
    tools.rates.add(at.due.row.position, price, at.due.row.payout);
    return at;
  }

  /** The run has no more to do for the row now. */
  async #leave(at: UnderWay, step: RowStep, write?: Ledger['record']): Promise<null> {
    const { position } = at.due.row;
    const { tries } = at.state;
    if (tries === 0) this.#tries.delete(position);
    else this.#tries.set(position, tries);
    const writing = { dueAt: this.#dueAt(at, step), ...eventOfFault(at) };
    const isExpected = at.fault === null && stageOf(at.state) !== stageOf(at.saved);
    const way = write ?? (isExpected ? this.#group.whenUnused : this.#group.atOnce);
    await this.#recorder.record(at, writing, way);
    return null;
  }

  #dueAt({ due, state, fault }: UnderWay, step: RowStep): number | null {
    const { goal, tools } = this.#options;
    const now = tools.clock.now();
    if (
      state.hold !== null ||
      state.end === 'rejected' ||
      state.end === 'cancelled' ||
      state.end === 'duplicate'
    )
      return null;
    if (state.end !== null && !state.mustLook)
      return nextLook(state.finalAt === null ? null : isoTime(state.finalAt), now, tools.reversalWindowMs);
    if (reached(goal, state, step) === 'here') return null;
    const isOnItsWay = state.confirmedAt !== null && !state.mustLook && state.networkRefusal === null;
    // The service itself reports its end; if that is lost, the longest pause finds it.
    if (isOnItsWay && fault === null && state.end === null && tools.isNotified?.() === true)
      return now + tools.pollEveryMs;
    const triedAgainAt = fault === null ? 0 : this.#breakers.triedAgainAt(fault, fundedRow(due.row));
    return Math.max(triedAgainAt, now, Math.ceil(state.due));
  }

  /** Stopped between two steps: the row is free for the next run. */
  async #giveBack(at: UnderWay): Promise<null> {
    const { tools } = this.#options;
    if (this.#halting.isBroken()) return null;
    const writing = { dueAt: tools.clock.now(), event: 'given back' };
    const recorded = at.state === at.saved ? at : await this.#record(at, writing, false);
    if (at.isIntentUnused && recorded !== null) this.#unused.add(recorded);
    return null;
  }
}

/** What the history says of a row that waits because of a fault. */
function eventOfFault({ fault, state }: UnderWay): { readonly event?: string } {
  if (fault === null || state.hold !== null) return {};
  if (fault instanceof Unanswered) return { event: 'later' };
  if (fault instanceof Unavailable)
    return { event: `stopped by ${fault.reason === 'credentials' ? 'credentials' : 'service'}` };
  return fault.errorCode === 10024 ? { event: 'stopped by funds' } : {};
}

function isRest(step: RowStep): step is Extract<RowStep, { do: 'wait' | 'held' | 'reserved' | 'ended' }> {
  return step.do === 'wait' || step.do === 'held' || step.do === 'reserved' || step.do === 'ended';
}

const READS: ReadonlySet<RowStep['do']> = new Set(['find', 'look', 'read-quotation']);

/** A row must fit twice into the life of its quotation, or its neighbours are too many. */
const FITS_TIMES = 2;

/** Prices that are all born old tell of the service's clock, not of their age: then the next is taken as it is. */
const AGED_MOST = 5;
