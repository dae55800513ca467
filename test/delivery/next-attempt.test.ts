// When a created transfer may be called dead: both grades of proof, on both sides of every boundary. One step too early pays twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { judgeExpiry } from '../../src/delivery/next-attempt.ts';
import { settleEnd } from '../../src/delivery/settle.ts';
import { applyVerdict } from '../../src/payouts/verdict.ts';
import { attemptOf, canStillPay, isLast, hiddenSince, provableByAnyone } from '../../src/payouts/attempt.ts';
import { attemptNumberOf, laterNumberOf, type Progress } from '../../src/payouts/progress.ts';
import { dueRow, EXPIRY_MS, KNOWN, progress, RUN, deadBefore } from './due-row.ts';

const MINUTE_MS = 60_000;
const judged = (changes: Partial<Progress>, serverTime: number | null) =>
  judgeExpiry(progress(changes), KNOWN, { run: RUN, doubtSince: null, serverTime });

describe('when no confirm can have been sent', () => {
  it.each([
    ['at the expiry', 0, 'waiting'],
    ['exactly a minute beyond it', MINUTE_MS, 'waiting'],
    ['one millisecond later', MINUTE_MS + 1, 'advanced'],
    ['a day later', 1_440 * MINUTE_MS, 'advanced'],
  ])('%s a read of created is %s', (_name, beyondMs, kind) => {
    expect(judged({}, EXPIRY_MS + beyondMs).kind).toBe(kind);
  });

  it('the next look comes after the fence, never at it', () => {
    const verdict = judged({}, EXPIRY_MS + 10_000);
    expect(verdict.kind === 'waiting' && verdict.lookAgainMs).toBeGreaterThan(50_000);
  });

  it('a dead attempt is recorded with its proof, and the next one starts from a new price', () => {
    const after = applyVerdict(
      progress({ document: 'attached' }),
      judged({ document: 'attached' }, EXPIRY_MS + MINUTE_MS + 1),
      0,
    );
    expect(after).toMatchObject({
      stage: 'ready',
      deadAttempts: [{ attempt: 1 }],
      quotationAttempt: 2,
      price: null,
      transfer: null,
      confirm: 'none',
      lookedBy: null,
      document: 'none',
    });
    expect(after.deadAttempts).toMatchObject([{ attempt: 1, proof: 'expired-unconfirmed', transfer: KNOWN }]);
  });
});

describe('when another run had the row, and its ledger may have been put back', () => {
  const taken = { begunBy: null } as const;
  const fence = EXPIRY_MS + 15 * MINUTE_MS;

  it('the longer fence counts, and two reads a minute apart', () => {
    expect(judged(taken, EXPIRY_MS + MINUTE_MS + 1).kind).toBe('waiting');
    expect(judged(taken, fence).kind).toBe('waiting');
    const first = applyVerdict(progress(taken), judged(taken, fence + 1), 0);
    expect(first).toMatchObject({ stage: 'created', silentAt: fence + 1 });
    const twice = { ...taken, silentAt: fence + 1 };
    expect(judged(twice, fence + 2).kind).toBe('waiting');
    const after = applyVerdict(progress(twice), judged(twice, fence + 1 + MINUTE_MS), 0);
    expect(after).toMatchObject({ stage: 'ready', deadAttempts: [{ attempt: 1 }], begunBy: null });
    expect(after.deadAttempts).toMatchObject([{ proof: 'expired-unconfirmed' }]);
  });

  it('the next attempt may exist already, made before the doubt began: nothing proves that it does not until that is over', () => {
    const doubtSince = EXPIRY_MS - MINUTE_MS;
    const seenOnce = progress({ ...taken, silentAt: fence + 1 });
    const verdict = judgeExpiry(seenOnce, KNOWN, {
      run: RUN,
      doubtSince,
      serverTime: fence + 1 + MINUTE_MS,
    });
    const after = applyVerdict(seenOnce, verdict, 0);
    expect(after.deadAttempts).toHaveLength(1);
    expect(provableByAnyone(after)).toBe(doubtSince + 15 * MINUTE_MS);
  });
});

describe('when a confirm may have been sent', () => {
  const maybe = { stage: 'confirming', confirm: 'sent' } as const;
  const late = { ...maybe, confirm: 'refused-late' } as const;
  const fence = EXPIRY_MS + 15 * MINUTE_MS;

  it('the write path is asked first: the same transfer is confirmed again, never another made', () => {
    for (const beyondMs of [MINUTE_MS + 1_001, 14 * MINUTE_MS, 15 * MINUTE_MS]) {
      expect(judged(maybe, EXPIRY_MS + beyondMs)).toMatchObject({ kind: 'advanced', stage: 'confirming' });
    }
  });

  it.each(['none', 'attached', 'demanded'] as const)(
    'and only once it is over by the clock of each machine of the service, whichever run asks (document: %s)',
    (document) => {
      const sent = { confirm: 'sent', document } as const;
      const early = judged(sent, EXPIRY_MS + 1);
      expect(early).toMatchObject({ kind: 'waiting', learned: { lookedBy: null } });
      expect(early.kind === 'waiting' && early.lookAgainMs).toBe(MINUTE_MS + 1_000);
      expect(judged(sent, EXPIRY_MS + MINUTE_MS).kind).toBe('waiting');
      const late = { kind: 'advanced', stage: 'confirming' };
      expect(judged(sent, EXPIRY_MS + MINUTE_MS + 1_001)).toMatchObject(late);
    },
  );

  it('and beyond the fence, when nobody expects a confirm any more, a person is', () => {
    expect(judged(maybe, fence + 1)).toMatchObject({ kind: 'held', code: 'confirm_uncertain' });
  });

  it.each([
    ['before the fence', fence - 1],
    ['exactly at it', fence],
  ])('refused as too late, a read %s only waits, and counts for nothing', (_name, serverTime) => {
    const verdict = judged(late, serverTime);
    expect(verdict.kind).toBe('waiting');
    expect(applyVerdict(progress(late), verdict, 0).silentAt).toBeNull();
  });

  it('a look at the next id by another machine, whose clock is behind, is not the first read', () => {
    const foreign = { ...maybe, begunBy: null, stage: 'created' } as const;
    const [own, behind] = [fence + MINUTE_MS, fence + MINUTE_MS / 2];
    const looked = { run: RUN, doubtSince: null, serverTime: own };
    const verdict = judgeExpiry(progress(foreign), KNOWN, looked);
    expect(verdict).toMatchObject({ kind: 'held', code: 'confirm_uncertain' });
    const next = { value: null, serverTime: behind };
    const settled = settleEnd(verdict, dueRow({}, foreign), next, { run: RUN, latestNow: own });
    expect(settled).toMatchObject({ kind: 'advanced', stage: 'created', learned: { silentAt: own } });
  });

  it('the first read beyond the fence is remembered and waits another minute', () => {
    const verdict = judged(late, fence + 1);
    expect(verdict.kind === 'waiting' && verdict.lookAgainMs).toBeGreaterThan(MINUTE_MS);
    expect(applyVerdict(progress(late), verdict, 0).silentAt).toBe(fence + 1);
  });

  it.each([
    [MINUTE_MS - 1, 'waiting'],
    [MINUTE_MS, 'advanced'],
  ])('a second read %i ms after the first is %s', (apartMs, kind) => {
    const seenOnce = { ...late, silentAt: fence + 1 };
    const verdict = judged(seenOnce, fence + 1 + apartMs);
    expect(verdict.kind).toBe(kind);
    if (kind !== 'advanced') return;
    const after = applyVerdict(progress(seenOnce), verdict, 0);
    expect(after.deadAttempts).toMatchObject([{ proof: 'expired-confirm-refused' }]);
    expect(after).toMatchObject({ deadAttempts: [{ attempt: 1 }], confirm: 'none', silentAt: null });
  });

  it('no single read ever begins a new attempt, at whatever time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -3_600_000, max: 86_400_000 }),
        fc.option(fc.integer({ min: 0, max: 86_400_000 })),
        (afterMs, lateMs) => {
          const before = progress({ ...maybe, confirm: lateMs === null ? 'sent' : 'refused-late' });
          const after = applyVerdict(
            before,
            judgeExpiry(before, KNOWN, { run: RUN, doubtSince: null, serverTime: EXPIRY_MS + afterMs }),
            0,
          );
          expect(after.deadAttempts).toEqual([]);
        },
      ),
    );
  });
});

describe('in any case', () => {
  it('a read without a Date proves nothing', () => {
    for (const changes of [
      {},
      { confirm: 'sent' } as const,
      { confirm: 'refused-late', silentAt: 1 } as const,
    ]) {
      expect(judged(changes, null)).toMatchObject({ kind: 'waiting', lookAgainMs: MINUTE_MS });
    }
  });

  it('an expiry that cannot be read is a matter for a person', () => {
    const odd = { ...KNOWN, expiredAt: '2026-11-20 08:45' };
    expect(
      judgeExpiry(progress(), odd, { run: RUN, doubtSince: null, serverTime: EXPIRY_MS * 2 }),
    ).toMatchObject({
      kind: 'held',
      code: 'confirm_uncertain',
    });
  });

  it('after the fifth attempt a person is asked instead of a sixth', () => {
    const long = EXPIRY_MS + 60 * MINUTE_MS;
    expect(judged({ deadAttempts: deadBefore(4) }, long)).toMatchObject({ kind: 'advanced' });
    expect(judged({ deadAttempts: deadBefore(5) }, long)).toMatchObject({
      kind: 'held',
      code: 'too_many_attempts',
    });
  });
});

/** Few moments, each on one side of a boundary. */
const moment = fc.constantFrom(0, 1, MINUTE_MS + 1, 15 * MINUTE_MS + 1, 17 * MINUTE_MS, 40 * MINUTE_MS);
const anyEvidence = fc.record({
  stage: fc.constantFrom('created' as const, 'confirming' as const),
  begunBy: fc.constantFrom(RUN, 'another run', null),
  confirm: fc.constantFrom('none' as const, 'sent' as const, 'refused-late' as const),
  silentAt: fc.option(moment.map((ms) => EXPIRY_MS + ms)),
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

  it('is raised only when it can pay no more, and only a run that knows it for the last vouches for the next', () => {
    fc.assert(
      fc.property(anyEvidence, anyDoubt, moment, (changes, doubtSince, ms) => {
        const before = progress(changes);
        const serverTime = EXPIRY_MS + ms;
        const after = applyVerdict(
          before,
          judgeExpiry(before, KNOWN, { run: RUN, doubtSince, serverTime }),
          0,
        );
        const shown = { transfer: KNOWN, at: serverTime };
        const evidence = [attemptOf(before), shown] as const;
        const isRaised = attemptNumberOf(after) > attemptNumberOf(before);
        expect(isRaised).toBe(canStillPay(...evidence, RUN, hiddenSince(before, doubtSince)) === 'no');
        const isKnownLast = isLast(...evidence, { transfer: null, at: null }, RUN, doubtSince) === 'yes';
        if (isRaised) expect(after.begunBy).toBe(isKnownLast && serverTime > EXPIRY_MS ? RUN : null);
      }),
    );
  });
});
