// What a verdict makes of a payout's progress: the stage it moves to, and what was learned.
import { describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import { applyVerdict, BREAKERS, type Verdict } from '../../src/payouts/verdict.ts';
import { HOLD_CODES, HOLDS } from '../../src/payouts/hold.ts';
import { mayMove, STAGES } from '../../src/payouts/lifecycle.ts';
import { FRESH, whyOf, type Progress } from '../../src/payouts/progress.ts';

const TRIED: Progress = { ...FRESH, stage: 'quoted', doubts: 2 };
const LEARNED = { lookedBy: null, why: { errorCode: '10024', reason: sameWords('No funds.') } };

describe('a verdict', () => {
  it('advanced moves on with what was learned, and the next step starts without doubts', () => {
    const verdict: Verdict = { kind: 'advanced', stage: 'created', learned: LEARNED };
    expect(applyVerdict(TRIED, verdict, 0)).toEqual({
      ...TRIED,
      ...LEARNED,
      stage: 'created',
      doubts: 0,
    });
  });

  it('advanced to where it stood keeps its doubts, so that a contradiction does not go on for ever', () => {
    const verdict: Verdict = { kind: 'advanced', stage: 'quoted', learned: {} };
    expect(applyVerdict(TRIED, verdict, 0)).toEqual(TRIED);
  });

  it.each(['failed', 'rejected'] as const)('refused ends as %s', (stage) => {
    const verdict: Verdict = { kind: 'refused', stage, learned: LEARNED };
    expect(applyVerdict(TRIED, verdict, 0)).toEqual({ ...TRIED, ...LEARNED, stage, doubts: 0 });
  });

  it('waiting stays, and costs nothing', () => {
    const verdict: Verdict = { kind: 'waiting', lookAgainMs: 1, learned: LEARNED };
    expect(applyVerdict(TRIED, verdict, 0)).toEqual({ ...TRIED, ...LEARNED });
  });

  it('later stays where it is', () => {
    const verdict: Verdict = { kind: 'later', retryAfterMs: null, isUnanswered: false, learned: LEARNED };
    expect(applyVerdict(TRIED, verdict, 0)).toEqual({ ...TRIED, ...LEARNED });
  });

  it.each(BREAKERS)('a breaker for %s leaves the row where it is', (breaker) => {
    const verdict: Verdict = { kind: 'breaker', breaker, retryAfterMs: null, final: false, learned: LEARNED };
    expect(applyVerdict(TRIED, verdict, 0)).toEqual({ ...TRIED, ...LEARNED });
  });

  it('interrupted changes nothing', () => {
    expect(applyVerdict(TRIED, { kind: 'interrupted' }, 0)).toBe(TRIED);
  });

  it('moves along the arrows of the lifecycle, and nowhere else', () => {
    for (const from of STAGES) {
      for (const to of STAGES) {
        const move = () =>
          applyVerdict({ ...FRESH, stage: from }, { kind: 'advanced', stage: to, learned: {} }, 0);
        if (mayMove(from, to)) expect(move().stage).toBe(to);
        else expect(move).toThrow(`A payout cannot go from ${from} to ${to}.`);
      }
    }
  });

  it('leaves the progress that it was given as it was', () => {
    const before = structuredClone(TRIED);
    applyVerdict(TRIED, { kind: 'held', code: 'echo_mismatch', learned: LEARNED }, 0);
    expect(TRIED).toEqual(before);
  });
});

describe('a payout is held', () => {
  it.each(HOLD_CODES)('%s: with its code and its words', (code) => {
    const held = applyVerdict(TRIED, { kind: 'held', code, learned: {} }, 0);
    expect(held).toEqual({
      ...TRIED,
      hold: {
        code,
        reason: HOLDS[code].words,
        errorCode: null,
        since: '1970-01-01T00:00:00.000Z',
      },
      doubts: 0,
    });
    expect(whyOf(held)).toEqual({ errorCode: code, reason: HOLDS[code].words });
  });

  it('what the service said of it wins over our own words', () => {
    const said = { errorCode: '10019', reason: sameWords('The service misses cardNumber.') };
    const held = applyVerdict(TRIED, { kind: 'held', code: 'unexpected_refusal', ...said, learned: {} }, 0);
    expect(held.why).toBe(TRIED.why);
    expect(held.hold).toMatchObject({ ...said, code: 'unexpected_refusal' });
    expect(whyOf(held)).toEqual(said);
  });

  it('what stood on record as its end stands there still, whatever was learned of it', () => {
    const ended = { ...TRIED, ...LEARNED };
    const learned = { why: null };
    expect(applyVerdict(ended, { kind: 'held', code: 'id_collision', learned }, 0).why).toBe(ended.why);
    const before = { ...ended, stage: 'failed' } as const;
    expect(applyVerdict(before, { kind: 'held', code: 'status_went_back', learned: {} }, 0).why).toBeNull();
  });
});
