// What can go wrong in a call, one class for what the caller may do next. Nobody decides by the text of a message.
import type { NetworkCause } from './network-cause.ts';
import type { ErrorCode } from './wire.ts';

/** One operation of the interface; `reads` have no effect and are free to repeat. */
export const OPERATIONS = {
  payoutCorridors: 'read',
  createQuotation: 'mutation',
  quotation: 'read',
  quotationByExternalId: 'read',
  createTransfer: 'mutation',
  transfer: 'read',
  transferByExternalId: 'read',
  transfers: 'read',
  uploadAttachment: 'mutation',
  confirmTransfer: 'mutation',
  balances: 'read',
} as const;
export type Operation = keyof typeof OPERATIONS;

/** Where and when a fault happened: the HTTP status and the service's own time, when there was an answer at all. */
export type FaultContext = {
  readonly operation: Operation;
  readonly httpStatus: number | null;
  readonly serverTime: number | null;
  /** How long the service asked us to stay away (`Retry-After`), capped; null when it did not. */
  readonly retryAfterMs: number | null;
  /** What stands between us and the service; absent where it answered itself. */
  readonly networkCause?: NetworkCause;
};

abstract class ServiceFault extends Error {
  readonly context: FaultContext;

  constructor(message: string, context: FaultContext) {
    super(message);
    this.context = context;
  }
}

/** The service's final no, with its code. The request was not executed and will not be if repeated as it is. */
export class Refused extends ServiceFault {
  override readonly name = 'Refused';
  readonly errorCode: ErrorCode;
  /** The service's words, joined and bounded; they may contain what we sent, so they go to answers, never to logs. */
  readonly words: string;

  constructor(errorCode: ErrorCode, words: string, context: FaultContext) {
    super(`${context.operation} was refused with ${String(errorCode)}`, context);
    this.errorCode = errorCode;
    this.words = words;
  }
}

/** Why a request was not executed. `credentials`: the key was refused. `redirected`: somebody sends us elsewhere, where the key must not go. */
export type UnavailableReason = 'unreachable' | 'throttled' | 'overloaded' | 'credentials' | 'redirected';

/** Provably not executed: the same request may be sent later. */
export class Unavailable extends ServiceFault {
  override readonly name = 'Unavailable';
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, context: FaultContext) {
    super(`${context.operation}: the service is unavailable (${reason})`, context);
    this.reason = reason;
  }
}

/** Why a response is unusable. */
export type UnansweredReason =
  'timeout' | 'connection' | 'malformed' | 'server-error' | 'throttled' | 'unknown-code';

/** Nobody knows whether the request was executed: the caller must find out before it does anything else. */
export class Unanswered extends ServiceFault {
  override readonly name = 'Unanswered';
  readonly reason: UnansweredReason;
  /** An answer that the interface does not describe, in short, bounded like `Refused.words`; empty when there was none. */
  readonly said: string;

  constructor(reason: UnansweredReason, context: FaultContext, said = '') {
    super(`${context.operation} got no usable answer (${reason})`, context);
    this.reason = reason;
    this.said = said;
  }

  /** True when somebody answered, but the response says nothing about the health of the service: it may concern this one request only. */
  get isOdd(): boolean {
    const { httpStatus } = this.context;
    if (httpStatus === null || OVERLOADED.has(httpStatus)) return false;
    // The interface answers its own refusals with 500; a code that it does not list is still a response to this request.
    return this.reason === 'unknown-code' || (this.reason === 'malformed' && httpStatus < 500);
  }
}

/** Statuses by which a server or a proxy asks for patience. */
const OVERLOADED: ReadonlySet<number> = new Set([408, 425, 429]);

export type Fault = Refused | Unavailable | Unanswered;

/** True for the three faults above; anything else that is thrown is a bug. */
export function isFault(error: unknown): error is Fault {
  return error instanceof ServiceFault;
}
