// Whether a call is made again right away, as one pure function. Only reads are: what follows a mutation without an answer is
// decided by delivery, which first finds out what happened.
import { backoffMs } from '../base/backoff.ts';
import { OPERATIONS, Refused, Unavailable, Unanswered, type Fault, type Operation } from './errors.ts';

export type RetryDecision = { readonly again: false } | { readonly again: true; readonly afterMs: number };

/** Three tries ride out a dropped keep-alive socket or one bad moment; longer outages are the caller's to wait for. */
const TRIES_MOST = 3;

/** A read that is told to wait longer than this returns to its caller, who has other rows to carry meanwhile. */
const WAIT_MOST_MS = 250;

/** Many rows wait for a page of a list, and nobody has anything else to do without corridors or balances. */
const WAIT_MOST_FOR_MANY_MS = 2_000;
const FOR_MANY: ReadonlySet<Operation> = new Set(['transfers', 'payoutCorridors', 'balances']);

const BACKOFF = { firstMs: 100, mostMs: 1_000 } as const;

/** `tries` is how many were made, this one included; `random` from 0 to 1. */
export function retryDecision(fault: Fault, tries: number, random: number): RetryDecision {
  // A mutation may have been executed: repeating it is never a matter of transport.
  if (OPERATIONS[fault.context.operation] === 'mutation') return { again: false };
  // A final no stays a no.
  if (fault instanceof Refused) return { again: false };
  // A refused key or a redirect is somebody's mistake or an attack; asking again changes nothing.
  if (fault instanceof Unavailable && (fault.reason === 'credentials' || fault.reason === 'redirected'))
    return { again: false };
  // A time-out already took the whole deadline once.
  if (fault instanceof Unanswered && fault.reason === 'timeout') return { again: false };
  if (tries >= TRIES_MOST) return { again: false };
  const afterMs = Math.max(fault.context.retryAfterMs ?? 0, backoffMs(BACKOFF, tries - 1, random));
  const mostMs = FOR_MANY.has(fault.context.operation) ? WAIT_MOST_FOR_MANY_MS : WAIT_MOST_MS;
  return afterMs > mostMs ? { again: false } : { again: true, afterMs };
}
