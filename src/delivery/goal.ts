// How far the rows of a batch are carried in one run, and when one has got there.
import { type Stage, STAGES_BEFORE_CONFIRM } from '../payouts/lifecycle.ts';
import { type RowState, type RowStep, stageOf } from '../payouts/row-machine/row-state.ts';
import type { CallKind } from './adaptive-rate.ts';
import { ENDED } from './time-left.ts';

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

/** Goals of runs that send nothing: a pending decision must not keep them from finding out what was sent. */
export const SENDS_NOTHING: ReadonlySet<Goal> = new Set<Goal>(['found', 'known', 'priced']);

/** `here`: nothing more is to be done for the row in a run to this goal; `beyond`: it has left the stages of such a run. Null for a row to carry on. */
export function reached(goal: Goal, row: RowState, step: RowStep): 'here' | 'beyond' | null {
  if (isHere(goal, row, step)) return 'here';
  return STAGES_OF[goal].includes(stageOf(row)) ? null : 'beyond';
}

function isHere(goal: Goal, row: RowState, step: RowStep): boolean {
  switch (goal) {
    case 'found':
      return !row.mustLook;
    case 'watched':
      return step.do === 'ended';
    case 'known':
      // What is dead, or has failed, must not pass for one that can be confirmed.
      return !row.mustLook && row.closing === null && step.do !== 'raise';
    case 'priced':
      return row.price !== null || row.transfer !== null;
    case 'reserved':
      return step.do === 'reserved';
    case 'submitted':
    case 'tracked':
      return false;
  }
}
