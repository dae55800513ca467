// What became of a row, in the words of the answers.
import type { StageOrHeld } from './lifecycle.ts';

export const OUTCOMES = ['paid', 'failed', 'submitted', 'rejected', 'duplicate', 'held', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const OUTCOME_OF: Readonly<Record<StageOrHeld, Outcome>> = {
  ready: 'pending',
  quoted: 'pending',
  created: 'pending',
  confirming: 'pending',
  confirmed: 'submitted',
  paid: 'paid',
  failed: 'failed',
  held: 'held',
  rejected: 'rejected',
  duplicate: 'duplicate',
};

export function outcomeOf(stage: StageOrHeld): Outcome {
  return OUTCOME_OF[stage];
}
