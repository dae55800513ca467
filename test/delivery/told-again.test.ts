// Which records a row goes on without: only what the service tells again under the same ids. What guards money is durable before the next call.
import { describe, expect, it } from 'vitest';

import { isToldAgain } from '../../src/delivery/recorder.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { STAGES, type Stage } from '../../src/payouts/lifecycle.ts';
import { begunBy, type Progress } from '../../src/payouts/progress.ts';

const OWN = begunBy('run');
const advanced = (stage: Stage) => ({ kind: 'advanced', stage, learned: {} }) as const;
const at = (stage: Stage, changes: Partial<Progress> = {}): Progress => ({ ...OWN, stage, ...changes });

describe('a record that no step waits for', () => {
  it('is one of these moves, and none else', () => {
    const moves = STAGES.flatMap((from) =>
      STAGES.filter((to) => isToldAgain(advanced(to), at(from), at(to))).map((to) => `${from} to ${to}`),
    );
    expect(moves).toEqual([
      'ready to quoted',
      'quoted to created',
      'confirming to confirmed',
      'confirmed to confirmed',
      'confirmed to paid',
    ]);
  });

  it.each<readonly [string, Partial<Progress>]>([
    ['a new attempt', { transferAttempt: 2 }],
    ['a confirm that may have arrived', { confirm: 'sent' }],
    ['a create that may still arrive', { mayArriveUntil: '2026-11-20T09:00:00.000Z' }],
    ['a silence beyond the fence', { silentAt: 1 }],
    ['a no of the service', { errorCode: '10018', reason: { en: 'No.', fr: 'Non.' } }],
    ['an error of the network', { errorCode: '10027' }],
    ['a doubt', { doubts: 1 }],
    ['a hold', { hold: newHold('echo_mismatch', 0, { en: 'No.', fr: 'Non.' }) }],
    ['a call without an answer', { lookedBy: null }],
  ])('tells of no %s', (_, fact) => {
    expect(isToldAgain(advanced('created'), at('quoted'), at('created', fact))).toBe(false);
  });

  it('is never a refusal, a wait for a person, or a step that is tried again', () => {
    const stop = { by: 'limits', words: { en: 'No.', fr: 'Non.' } } as const;
    const { learned } = advanced('paid');
    for (const verdict of [
      { kind: 'refused', stage: 'failed', learned },
      { kind: 'held', code: 'echo_mismatch', learned },
      { kind: 'later', retryAfterMs: null, isUnanswered: true, learned },
      { kind: 'stopped', stop, learned },
    ] as const)
      expect(isToldAgain(verdict, at('confirmed'), at('confirmed'))).toBe(false);
  });
});
