// What holds a batch up without failing a row: the service out of reach, a currency without funds, a key that is refused.
import type { Clock } from '../base/clock.ts';
import { backoffMs } from '../base/backoff.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import type { Verdict } from '../payouts/verdict.ts';

type BreakerVerdict = Extract<Verdict, { kind: 'breaker' }>;

/** Why nothing more is tried in this run. */
export type GateStop = 'credentials' | 'service';

/** An outage is asked about after a second at first, and every half minute at most. */
const SERVICE_BACKOFF = { firstMs: 1_000, mostMs: 30_000 } as const;

/** Funds arrive by a person's hand: asking every few seconds is soon enough. */
const FUNDS_BACKOFF = { firstMs: 2_000, mostMs: 30_000 } as const;

/** So many calls in a row without an answer are an outage. */
const UNANSWERED_MOST = 8;

/** Whether a call could have had an effect. */
export type CallKind = 'read' | 'mutation';

type Unanswered = { calls: number; readonly oddRows: Set<number> };

type Closed = { readonly until: number; readonly times: number };

/** A row that met the lack of funds, or found it ended: its currency, and the stage in which it was. */
export type FundedRow = { readonly currency: string; readonly stage: Stage };

export function fundedRow({ payout, progress }: RowRecord): FundedRow {
  return { currency: payout?.sourceCurrency ?? '', stage: progress.stage };
}

export class Gate {
  readonly #clock: Clock;
  readonly #funds = new Map<string, Closed & { readonly stage: Stage }>();
  #service: Closed = { until: 0, times: 0 };
  #stop: GateStop | null = null;
  readonly #unanswered: Record<CallKind, Unanswered> = { read: noneUnanswered(), mutation: noneUnanswered() };
  #answers = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get stop(): GateStop | null {
    return this.#stop;
  }

  /** When the service may be asked again (local ms). */
  get serviceClosedUntil(): number {
    return this.#service.until;
  }

  /** True while the last thing heard of the service was that it is out of reach. */
  get isServiceOut(): boolean {
    return this.#service.times > 0;
  }

  /** True while the last calls of a kind got no usable answer, be they too few for an outage. */
  get isUnanswered(): boolean {
    return Object.values(this.#unanswered).some((unanswered) => timesOf(unanswered) > 0);
  }

  /** How many usable answers the service has given so far. */
  get answers(): number {
    return this.#answers;
  }

  /** Currencies whose funds ran out and have not been seen again. */
  get currenciesOut(): readonly string[] {
    return [...this.#funds.keys()];
  }

  /** Currencies that must not be tried before their time. */
  currenciesClosed(): readonly string[] {
    const now = this.#clock.now();
    return [...this.#funds].filter(([, closed]) => closed.until > now).map(([currency]) => currency);
  }

  /** When the next closed currency may be tried again; null when none is closed. */
  fundsReopenAt(): number | null {
    const now = this.#clock.now();
    const times = [...this.#funds.values()].map(({ until }) => until).filter((until) => until > now);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** When a row that was stopped by this verdict may be tried again. */
  reopensAt(verdict: BreakerVerdict, { currency }: FundedRow): number {
    return verdict.breaker === 'funds' ? (this.#funds.get(currency)?.until ?? 0) : this.#service.until;
  }

  close(verdict: BreakerVerdict, row: FundedRow): void {
    if (verdict.final) this.#stop = verdict.breaker === 'credentials' ? 'credentials' : 'service';
    else if (verdict.breaker === 'funds') this.#closeFunds(row, verdict.retryAfterMs);
    else this.#closeService(verdict.retryAfterMs);
  }

  /** The service answered. That it can still be read says nothing of mutations that go unanswered, so only an answered mutation ends those. */
  serviceAnswered(to: CallKind): void {
    this.#answers += 1;
    this.#unanswered.read = noneUnanswered();
    if (to === 'mutation') this.#unanswered.mutation = noneUnanswered();
    if (timesOf(this.#unanswered.mutation) === 0) this.#service = { until: 0, times: 0 };
  }

  /**
   * A call got no usable answer: one is an accident, several in a row are an outage, and a throttle is for everybody.
   * @param oddRow the position of a row that was answered in a way that may be about this row alone; it counts once.
   */
  unanswered(to: CallKind, retryAfterMs: number | null, oddRow: number | null = null): void {
    const known = this.#unanswered[to];
    if (oddRow === null) known.calls += 1;
    else known.oddRows.add(oddRow);
    if (retryAfterMs !== null || timesOf(known) >= UNANSWERED_MOST) this.#closeService(retryAfterMs);
  }

  /** A row got past the step at which the funds of its currency were missing. */
  fundsSeen({ currency, stage }: FundedRow): void {
    if (this.#funds.get(currency)?.stage === stage) this.#funds.delete(currency);
  }

  #closeService(retryAfterMs: number | null): void {
    const now = this.#clock.now();
    // The calls under way fail together; they count as one failure.
    if (this.#service.until > now) return;
    const { times } = this.#service;
    const wait = Math.max(retryAfterMs ?? 0, backoffMs(SERVICE_BACKOFF, times, this.#clock.random()));
    this.#service = { until: now + wait, times: times + 1 };
  }

  #closeFunds({ currency, stage }: FundedRow, retryAfterMs: number | null): void {
    const now = this.#clock.now();
    const known = this.#funds.get(currency) ?? { until: 0, times: 0 };
    if (known.until > now) return;
    const wait = Math.max(retryAfterMs ?? 0, backoffMs(FUNDS_BACKOFF, known.times, this.#clock.random()));
    this.#funds.set(currency, { until: now + wait, times: known.times + 1, stage });
  }
}

function noneUnanswered(): Unanswered {
  return { calls: 0, oddRows: new Set() };
}

function timesOf({ calls, oddRows }: Unanswered): number {
  return calls + oddRows.size;
}
