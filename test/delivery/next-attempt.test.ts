// When a created transfer may be called dead, and what the record says then: on both sides of every boundary. One step too early pays twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { judgeExpiry } from '../../src/delivery/next-attempt.ts';
import { applyVerdict } from '../../src/payouts/verdict.ts';
import { attemptNumberOf, laterNumberOf, type Progress } from '../../src/payouts/progress.ts';
import { deadForAnyone, evidenceOf, FENCE, isProvedDead, proving } from '../../src/payouts/proof.ts';
import { EXPIRY_MS, KNOWN, progress, RUN, deadBefore } from './due-row.ts';

const MINUTE_MS = 60_000;
const judged = (changes: Partial<Progress>, serverTime: number | null) =>
  judgeExpiry(progress(changes), KNOWN, { run: RUN, doubtSince: null, serverTime });

const MAYBE = { stage: 'confirming', confirm: 'sent' } as const;
const REFUSED = { stage: 'confirming', confirm: 'refused-late' } as const;

describe('a read of created', () => {
  it.each<[string, Partial<Progress>, number]>([
    ['of its own, never meant to be confirmed', {}, FENCE.own],
    ['of another run', { begunBy: null }, FENCE.other],
    ['with an intent on record', { stage: 'confirming' }, FENCE.other],
    ['with a confirm without an answer', MAYBE, FENCE.other],
    ['with a confirm that came too late (10016), which proves nothing', REFUSED, FENCE.other],
  ])('proves it dead behind its fence, and only waits before: %s', (_name, changes, fenceMs) => {
    for (const beyondMs of [0, fenceMs - 1, fenceMs]) {
      const verdict = judged(changes, EXPIRY_MS + beyondMs);
      expect(verdict).toMatchObject({ kind: 'waiting', lookAgainMs: fenceMs - beyondMs + 1 });
      expect(applyVerdict(progress(changes), verdict, 0)).toMatchObject({ lookedBy: null, deadAttempts: [] });
    }
    expect(judged(changes, EXPIRY_MS + fenceMs + 1)).toMatchObject({ kind: 'advanced', stage: 'ready' });
    expect(judged(changes, EXPIRY_MS + 1_440 * MINUTE_MS)).toMatchObject({
      kind: 'advanced',
      stage: 'ready',
    });
  });

  it('without a Date proves nothing', () => {
    for (const changes of [{}, MAYBE, REFUSED])
      expect(judged(changes, null)).toMatchObject({ kind: 'waiting', lookAgainMs: MINUTE_MS });
  });

  it('whose expiry cannot be read is a matter for a person', () => {
    const odd = { ...KNOWN, expiredAt: '2026-11-20 08:45' };
    const looked = { run: RUN, doubtSince: null, serverTime: EXPIRY_MS * 2 };
    expect(judgeExpiry(progress(), odd, looked)).toMatchObject({ kind: 'held', code: 'confirm_uncertain' });
  });
});

describe('a dead attempt', () => {
  it.each<[string, Partial<Progress>, string]>([
    ['without a confirm', { document: 'attached' }, 'expired-unconfirmed'],
    ['whose confirm was refused', REFUSED, 'expired-confirm-refused'],
  ])('is recorded with its proof, and the next one starts from a new price: %s', (_name, changes, proof) => {
    const after = applyVerdict(progress(changes), judged(changes, EXPIRY_MS + FENCE.other + 1), 0);
    expect(after).toMatchObject({
      stage: 'ready',
      deadAttempts: [{ attempt: 1, proof, transfer: KNOWN }],
      quotationAttempt: 2,
      price: null,
      transfer: null,
      confirm: 'none',
      lookedBy: null,
      silentAt: null,
      document: 'none',
    });
  });

  it('of a row in doubt may have another behind it, made before the doubt began: nothing proves that it has not until that is over', () => {
    const doubtSince = EXPIRY_MS - MINUTE_MS;
    const taken = progress({ begunBy: null });
    const serverTime = EXPIRY_MS + FENCE.other + 1;
    const after = applyVerdict(taken, judgeExpiry(taken, KNOWN, { run: RUN, doubtSince, serverTime }), 0);
    expect(after).toMatchObject({ deadAttempts: [{ attempt: 1 }], begunBy: null });
    expect(deadForAnyone(after)).toBe(doubtSince + FENCE.other);
  });

  it('is followed by four more at most: then a person is asked', () => {
    const long = EXPIRY_MS + 60 * MINUTE_MS;
    expect(judged({ deadAttempts: deadBefore(4) }, long)).toMatchObject({ kind: 'advanced' });
    expect(judged({ deadAttempts: deadBefore(5) }, long)).toMatchObject({
      kind: 'held',
      code: 'too_many_attempts',
    });
  });
});

/** Few moments, each on one side of a boundary. */
const moment = fc.constantFrom(0, 1, FENCE.own, FENCE.own + 1, FENCE.other, FENCE.other + 1, 40 * MINUTE_MS);
const anyEvidence = fc.record({
  stage: fc.constantFrom('created' as const, 'confirming' as const),
  begunBy: fc.constantFrom(RUN, 'another run', null),
  confirm: fc.constantFrom('none' as const, 'sent' as const, 'refused-late' as const),
});
const anyDoubt = fc.option(moment.map((ms) => EXPIRY_MS + ms));

describe('S2: the number of an attempt', () => {
  it('is the first that was not given up, and the later one is none that was, also where a row went back to an earlier one', () => {
    const anyNumbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(anyNumbers, (numbers) => {
        const deadAttempts = deadBefore(7).filter(({ attempt }) => numbers.includes(attempt));
        const [present, later] = [attemptNumberOf({ deadAttempts }), laterNumberOf({ deadAttempts })];
        const free = [1, 2, 3, 4, 5, 6, 7, 8].filter((number) => !numbers.includes(number));
        expect([present, later]).toEqual(free.slice(0, 2));
        const [dead] = deadBefore(present + 1).slice(-1);
        expect(
          attemptNumberOf({ deadAttempts: [...deadAttempts, ...(dead === undefined ? [] : [dead])] }),
        ).toBe(later);
      }),
    );
  });

  it('is raised only when it can pay no more, and only a run that knows it from its beginning vouches for the next', () => {
    fc.assert(
      fc.property(anyEvidence, anyDoubt, moment, (changes, doubtSince, ms) => {
        const before = progress(changes);
        const serverTime = EXPIRY_MS + ms;
        const verdict = judgeExpiry(before, KNOWN, { run: RUN, doubtSince, serverTime });
        const after = applyVerdict(before, verdict, 0);
        const isRaised = attemptNumberOf(after) > attemptNumberOf(before);
        const by = proving(RUN, doubtSince);
        expect(isRaised).toBe(isProvedDead(evidenceOf(before), KNOWN, serverTime, by));
        const isOwn = before.begunBy === RUN && doubtSince === null;
        if (isRaised) expect(after.begunBy).toBe(isOwn ? RUN : null);
      }),
    );
  });
});
