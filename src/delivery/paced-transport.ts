// Every call passes here, with each of its tries: it waits for its turn, and its result decides the rate of those that follow.
import { backoffMs, type Clock } from '../base/clock.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import {
  type Fault,
  type Operation,
  OPERATIONS,
  Refused,
  Unanswered,
  Unavailable,
} from '../service/errors.ts';
import { retryAfterMs } from '../service/read-answer.ts';
import {
  Cut,
  NotSent,
  type ServiceRequest,
  type Transport,
  type TransportResponse,
} from '../service/transport.ts';
import { isErrorCode } from '../service/wire.ts';
import type { CallKind } from './adaptive-rate.ts';
import type { RateControl } from './rate-control.ts';
import type { DeliveryTools } from './tools.ts';

/** The statuses of a key that is refused: they say nothing of how the service is. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** @param mayCall asked right before each call leaves. */
export function pacedTransport(
  transport: Transport,
  rateControl: RateControl,
  clock: Clock,
  mayCall: () => boolean = () => true,
): Transport {
  return async (request) => {
    const kind = OPERATIONS[request.operation];
    const turn = rateControl.turn(kind);
    const isWelcome = turn === true || (await turn);
    const sentAt = clock.monotonic();
    try {
      if (!isWelcome) throw new Held('the service refused the key');
      if (!mayCall()) throw new Held('the ledger may have given this run up');
      const response = await transport(request);
      hear(rateControl, request, response, { kind, sentAt, now: clock.now() });
      return response;
    } catch (error) {
      const isSilent = (error instanceof Cut || error instanceof NotSent) && !(error instanceof Held);
      if (isSilent) rateControl.heard(kind, 'unanswered', sentAt);
      throw error;
    } finally {
      rateControl.left();
    }
  };
}

/** Kept back by us, which says nothing of the service. */
class Held extends NotSent {}

type Sent = { readonly kind: CallKind; readonly sentAt: number; readonly now: number };

function hear(
  rateControl: RateControl,
  { operation }: ServiceRequest,
  { status, headers, body }: TransportResponse,
  { kind, sentAt, now }: Sent,
): void {
  const wait = retryAfterMs(headers.get('retry-after'), now);
  if (isKeyRefused(status, body)) rateControl.refused();
  if (status === 429) rateControl.heard(kind, 'throttled', sentAt, wait);
  else if (isUsable(status, body))
    rateControl.answered(kind, UNLIKE.has(operation) ? null : operation, sentAt);
  else rateControl.heard(kind, status === 503 ? 'overloaded' : 'unanswered', sentAt, wait);
}

/** A refusal by the interface is an answer as good as any; a page of a gateway or a fault of the service itself is none. */
function isUsable(status: number, body: Uint8Array): boolean {
  if (status < 300 || KEY_REFUSED.has(status)) return true;
  const code = codeOf(body);
  return code !== null && (code !== BROKEN || status === 400);
}

/** One with a business code refuses the call, and not the key. */
function isKeyRefused(status: number, body: Uint8Array): boolean {
  if (!KEY_REFUSED.has(status)) return false;
  const code = status === 403 ? codeOf(body) : null;
  return code === null || code === BROKEN || code === UNLINKED;
}

/** Null where it has none of the interface. */
function codeOf(body: Uint8Array): number | null {
  const head = Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1');
  const code = Number(/"errorCode"\s*:\s*(\d+)/.exec(head)?.[1] ?? '0');
  return isErrorCode(code) ? code : null;
}

/** The code stands within so many bytes, or not at all. */
const HEAD_BYTES = 1_024;

/** The code of a wrong request, with 400; with anything else, of a fault of the service. */
const BROKEN = 10_001;

/** The key belongs to no organization. */
const UNLINKED = 10_006;

/** Calls that do not take about as long as each other: the time of an upload is that of its document. */
const UNLIKE: ReadonlySet<Operation> = new Set<Operation>(['uploadAttachment']);

// Faults that stop a batch without failing a row: the service out of reach, a currency without funds, a refused key.

/** Why nothing more is tried in this run. */
type BreakerStop = 'credentials' | 'service';

/** Funds arrive by a person's hand: asking every few seconds is soon enough. */
const FUNDS_BACKOFF = { firstMs: 2_000, mostMs: 30_000 } as const;

/** The balance of the currency does not suffice (interface: 10024). */
const NO_FUNDS = 10_024;

/** Waiting does not help: the key is refused; or configuration or an attack leads elsewhere, and the key goes nowhere else. */
const FINAL_REASONS: ReadonlySet<Unavailable['reason']> = new Set(['credentials', 'redirected']);

type Closed = { readonly until: number; readonly times: number };

/** A row that met the lack of funds, or found it ended: its currency, and the stage in which it was. */
type FundedRow = { readonly currency: string; readonly stage: Stage };

export function fundedRow({ payout, progress }: RowRecord): FundedRow {
  return { currency: payout?.sourceCurrency ?? '', stage: progress.stage };
}

export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #rateControl: RateControl;
  /** The kind of call that the rows of this run mostly make. */
  readonly #kind: CallKind;
  readonly #funds = new Map<string, Closed & { readonly stage: Stage }>();
  #stop: BreakerStop | null = null;
  readonly #isUnanswered: Record<CallKind, boolean> = { read: false, mutation: false };
  #answers = 0;

  constructor({ clock, rateControl }: Pick<DeliveryTools, 'clock' | 'rateControl'>, kind: CallKind) {
    this.#clock = clock;
    this.#rateControl = rateControl;
    this.#kind = kind;
  }

  get stop(): BreakerStop | null {
    return this.#stop;
  }

  /** When the service may be asked again (local ms). */
  get serviceTriedAgainAt(): number {
    const ms = this.#rateControl.stoppedForMs(this.#kind);
    return ms === 0 ? 0 : this.#clock.now() + Math.ceil(ms);
  }

  /** True while the last thing heard of the service was that it is out of reach. */
  get isServiceOut(): boolean {
    return this.#rateControl.isOut(this.#kind);
  }

  /** True while the last call of a kind got no usable answer. */
  get isUnanswered(): boolean {
    return this.#isUnanswered.read || this.#isUnanswered.mutation;
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
  currenciesBarred(): readonly string[] {
    const now = this.#clock.now();
    return [...this.#funds].filter(([, tripped]) => tripped.until > now).map(([currency]) => currency);
  }

  /** When the next barred currency may be tried again; null when none is barred. */
  fundsTriedAgainAt(): number | null {
    const now = this.#clock.now();
    const times = [...this.#funds.values()].map(({ until }) => until).filter((until) => until > now);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** When a row that met this fault may be tried again, in addition to its own delay; 0 for at once. */
  triedAgainAt(fault: Fault, { currency }: FundedRow): number {
    if (fault instanceof Refused && fault.errorCode === NO_FUNDS)
      return this.#funds.get(currency)?.until ?? 0;
    return fault instanceof Unavailable ? this.serviceTriedAgainAt : 0;
  }

  /** A call of this kind ended in a fault. */
  met(fault: Fault, to: CallKind, row: FundedRow): void {
    const isFinal = fault instanceof Unavailable && FINAL_REASONS.has(fault.reason);
    if (isFinal) this.#stop = fault.reason === 'credentials' ? 'credentials' : 'service';
    else if (fault instanceof Refused && fault.errorCode === NO_FUNDS)
      this.#tripFunds(row, fault.context.retryAfterMs);
    else if (fault instanceof Unanswered || fault instanceof Unavailable) this.#isUnanswered[to] = true;
    else this.serviceAnswered(to);
  }

  /** The service answered. That it can still be read says nothing of mutations that go unanswered, so only an answered mutation ends those. */
  serviceAnswered(to: CallKind): void {
    this.#answers += 1;
    this.#isUnanswered.read = false;
    if (to === 'mutation') this.#isUnanswered.mutation = false;
  }

  /** A row got past the step at which the funds of its currency were missing. */
  fundsSeen({ currency, stage }: FundedRow): void {
    if (this.#funds.get(currency)?.stage === stage) this.#funds.delete(currency);
  }

  #tripFunds({ currency, stage }: FundedRow, retryAfterMs: number | null): void {
    const now = this.#clock.now();
    const known = this.#funds.get(currency) ?? { until: 0, times: 0 };
    if (known.until > now) return;
    const wait = Math.max(retryAfterMs ?? 0, backoffMs(FUNDS_BACKOFF, known.times, this.#clock.random()));
    this.#funds.set(currency, { until: now + wait, times: known.times + 1, stage });
  }
}
