// A call outside a payout (corridors, balances), asked again while the service is out of reach and somebody is willing to wait.
import type { Words } from '../../base/language.ts';
import { backoffMs } from '../../base/backoff.ts';
import { isFault, Refused, Unavailable, type Fault } from '../../service/errors.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from './run-options.ts';
import { waitFor, type Wait } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';

const BACKOFF = { firstMs: 1_000, mostMs: 30_000 } as const;

/** The value, or the fault that is left when the waiting time is over. */
export async function waitForService<T>(
  { clock }: Paydrop,
  { waitMs, signal }: Pick<RunControl, 'waitMs' | 'signal'>,
  call: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: Fault }> {
  const until = clock.now() + waitMs;
  for (let tries = 0; ; tries++) {
    try {
      return { value: await call() };
    } catch (error) {
      if (!isFault(error)) throw error;
      // `Retry-After: 0` is no reason to storm a service.
      const wait = Math.max(error.context.retryAfterMs ?? 0, backoffMs(BACKOFF, tries, clock.random()));
      if (isLasting(error) || signal.aborted || clock.now() + wait > until) return { fault: error };
      await clock.sleep(wait, signal);
    }
  }
}

function isLasting(fault: Fault): boolean {
  return (
    fault instanceof Refused ||
    (fault instanceof Unavailable && ['credentials', 'redirected'].includes(fault.reason))
  );
}

/** What a batch waits for because of a fault. */
export function describeFault(fault: Fault): Wait<'credentials' | 'service'> {
  const isKey = fault instanceof Unavailable && fault.reason === 'credentials';
  return isKey ? waitFor('credentials', CREDENTIALS_WORDS) : waitFor('service', SERVICE_WORDS);
}

export const CREDENTIALS_WORDS: Words = sentence('waitForService.credentials');
export const SERVICE_WORDS: Words = sentence('waitForService.service');
