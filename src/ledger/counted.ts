// What a row counts for against the limits once it stands as it does: from its reservation on or, where none was asked for, from its
// transfer, so that a limit that is set at noon knows the morning.
import { addDecimals, type DecimalText } from '../base/decimal.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import type { Progress } from '../payouts/progress.ts';

/** An amount on a day (`yyyy-mm-dd`, UTC). */
export type Counted = { readonly day: string; readonly amount: DecimalText };

/** `kept`: what was reserved still counts; `transfer`: a transfer counts; `nothing`: no money can go out. */
const COUNTS: Readonly<Record<Stage, 'kept' | 'transfer' | 'nothing'>> = {
  // Whatever comes of it is asked for again before it is created or confirmed.
  ready: 'nothing',
  quoted: 'kept',
  created: 'transfer',
  confirming: 'transfer',
  confirmed: 'transfer',
  paid: 'transfer',
  failed: 'nothing',
  rejected: 'nothing',
  duplicate: 'nothing',
};

export function countedAfter(progress: Progress, before: Counted | null): Counted | null {
  const { stage, transfer, hold } = progress;
  // What is held counts with its transfer, if it has one; so does what was cancelled while its transfer may still pay.
  const mayStillPay = stage === 'rejected' && transfer !== null && progress.confirm !== 'none';
  const counts = mayStillPay || hold !== null ? 'transfer' : COUNTS[stage];
  if (counts === 'nothing') return null;
  if (counts === 'kept' || (before !== null && transfer !== null)) return before;
  return transfer === null
    ? null
    : { day: transfer.createdAt.slice(0, 10), amount: addDecimals(transfer.sendAmount, transfer.feeAmount) };
}
