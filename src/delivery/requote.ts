// quoted → ready: the quotation is gone or too old, and another is asked for. The transfer keeps its id; a quotation costs nothing.
import { backoffMs } from '../base/backoff.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';

/** One that always runs out is asked for ever more rarely. */
const BACKOFF = { firstMs: 1_000, mostMs: 60_000 } as const;

/** So many quotations may run out by accident before there is a pause. */
const AT_ONCE_MOST = 3;

export function requote({ quotationAttempt }: Progress): Verdict & { readonly kind: 'advanced' } {
  const tries = quotationAttempt - AT_ONCE_MOST;
  return {
    kind: 'advanced',
    stage: 'ready',
    ...(tries < 0 ? {} : { afterMs: backoffMs(BACKOFF, tries, 1) }),
    learned: { price: null, quotationAttempt: quotationAttempt + 1 },
  };
}
