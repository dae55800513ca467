// How far the rows of a batch are carried in one run.
import type { Stage } from '../payouts/lifecycle.ts';
import { ENDED } from './next-look.ts';

/** `found`: to knowing whether a transfer exists; `priced`: to a quotation; `submitted`: to the confirm; `tracked`: from there to the end; `watched`: once more beyond it. */
export type Goal = 'found' | 'priced' | 'submitted' | 'tracked' | 'watched';

export const STAGES_OF: Readonly<Record<Goal, readonly Stage[]>> = {
  found: ['ready'],
  priced: ['ready'],
  submitted: ['ready', 'quoted', 'created', 'documented'],
  tracked: ['confirmed'],
  watched: ENDED,
};
