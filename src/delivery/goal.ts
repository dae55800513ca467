// How far the rows of a batch are carried in one run, and when one has got there.
import { STAGES_BEFORE_CONFIRM, type Stage } from '../payouts/lifecycle.ts';
import { ENDED } from './time-left.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { CallKind } from './adaptive-rate.ts';
import { isReserved } from './reserved.ts';

/**
 * `found`: to knowing whether a transfer exists; `known`: the same in every stage before the confirm; `priced`: to a quotation; `reserved`: to a
 * transfer that lacks nothing but its confirm; `submitted`: to the confirm; `tracked`: from there to the end; `watched`: once more beyond it.
 */
export type Goal = 'found' | 'known' | 'priced' | 'reserved' | 'submitted' | 'tracked' | 'watched';

export const STAGES_OF: Readonly<Record<Goal, readonly Stage[]>> = {
  found: ['ready'],
  known: STAGES_BEFORE_CONFIRM,
  priced: ['ready'],
  reserved: STAGES_BEFORE_CONFIRM,
  submitted: STAGES_BEFORE_CONFIRM,
  tracked: ['confirmed'],
  watched: ENDED,
};

/** The kind of call that a run to each goal mostly makes. */
export const MOSTLY: Readonly<Record<Goal, CallKind>> = {
  found: 'read',
  known: 'read',
  priced: 'mutation',
  reserved: 'mutation',
  submitted: 'mutation',
  tracked: 'read',
  watched: 'read',
};

/** True when nothing more is to be done for the row in a run to this goal. */
export function isReached(
  goal: Goal,
  verdict: Verdict,
  row: { readonly progress: Progress; readonly payout: RowRecord['payout'] },
): boolean {
  if (verdict.kind !== 'advanced') return false;
  switch (goal) {
    case 'found':
    case 'watched':
      return true;
    case 'known':
      return verdict.afterMs === undefined;
    case 'priced':
      return row.progress.stage !== 'ready';
    case 'reserved':
      return verdict.afterMs === undefined && isReserved(row);
    case 'submitted':
    case 'tracked':
      return false;
  }
}
