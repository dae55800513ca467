// The stages and their arrows: where a payout can come to, and where it can never go again.
import { describe, expect, it } from 'vitest';

import {
  FINAL,
  mayMove,
  SETTLED,
  STAGES,
  type Stage,
  outcomeOf,
  OUTCOMES,
} from '../../src/payouts/lifecycle.ts';

/** Every arrow as `from → to`. A change of the lifecycle is a change of this list, to be thought over. */
const ARROWS = {
  ready: ['quoted', 'created', 'confirming', 'confirmed', 'paid', 'failed', 'rejected'],
  quoted: ['ready', 'created', 'confirming', 'confirmed', 'paid', 'failed', 'rejected'],
  created: ['ready', 'confirming', 'confirmed', 'paid', 'failed'],
  confirming: ['ready', 'created', 'confirmed', 'paid', 'failed'],
  confirmed: ['paid', 'failed'],
  paid: ['failed'],
  failed: [],
  rejected: [],
  duplicate: [],
} as const satisfies Readonly<Record<Stage, readonly Stage[]>>;

function arrowsFrom(from: Stage): readonly Stage[] {
  return STAGES.filter((to) => to !== from && mayMove(from, to));
}

describe('the lifecycle', () => {
  it.each(STAGES)('the arrows from %s are these and no others', (from) => {
    expect(arrowsFrom(from)).toEqual(ARROWS[from]);
  });

  it.each(STAGES)('staying %s is always allowed', (stage) => expect(mayMove(stage, stage)).toBe(true));

  it('every arrow can be walked: a payout that is ready comes to every stage but duplicate', () => {
    const reached = new Set<Stage>(['ready']);
    for (const stage of reached) for (const next of arrowsFrom(stage)) reached.add(next);
    expect(STAGES.filter((stage) => !reached.has(stage))).toEqual(['duplicate']);
  });

  it('nothing leads out of failed', () => {
    expect(arrowsFrom('failed')).toEqual([]);
  });

  it.each(['rejected', 'duplicate'] as const)('nothing leads out of %s', (stage) => {
    expect(arrowsFrom(stage)).toEqual([]);
  });

  it('what is paid is never paid again: only a reversal follows', () => {
    expect(arrowsFrom('paid')).toEqual(['failed']);
  });

  it('nothing goes back behind a confirm that the service took', () => {
    for (const stage of ['ready', 'quoted', 'created', 'confirming'] as const)
      expect(mayMove('confirmed', stage)).toBe(false);
  });

  it('a batch may close over final stages, and rests over held ones', () => {
    expect([...FINAL].sort()).toEqual(['duplicate', 'failed', 'paid', 'rejected']);
    expect([...SETTLED].sort()).toEqual([...FINAL, 'held'].sort());
  });
});

describe('the outcome of a stage', () => {
  it.each([
    ['ready', 'pending'],
    ['quoted', 'pending'],
    ['created', 'pending'],
    ['confirming', 'pending'],
    ['confirmed', 'submitted'],
    ['paid', 'paid'],
    ['failed', 'failed'],
    ['held', 'held'],
    ['rejected', 'rejected'],
    ['duplicate', 'duplicate'],
  ] as const)('%s is %s', (stage, outcome) => expect(outcomeOf(stage)).toBe(outcome));

  it('every outcome is that of some stage', () => {
    expect(new Set([...STAGES, 'held' as const].map(outcomeOf))).toEqual(new Set(OUTCOMES));
  });
});
