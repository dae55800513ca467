// The status of the service against our stage: every status at every stage at which a transfer is read.
import { describe, expect, it } from 'vitest';

import { judgeTransfer, toKnownTransfer, type Look } from '../../src/delivery/judge-transfer.ts';
import { FENCE } from '../../src/payouts/proof.ts';
import { applyVerdict, statusWords } from '../../src/payouts/verdict.ts';
import type { Stage } from '../../src/payouts/lifecycle.ts';
import type { Progress } from '../../src/payouts/progress.ts';
import { NETWORK_REFUSED } from '../../src/delivery/judge.ts';
import { EXPIRY_MS, RUN, TRANSFER, progress } from './due-row.ts';

const NOW = EXPIRY_MS - 600_000;
const TIMES: Look = {
  run: RUN,
  doubtSince: null,
  now: NOW,
  serverTime: NOW,
  latestNow: NOW + 1_000,
  pollEveryMs: 30_000,
};
const REFUSED = { errorCode: '10027', reason: NETWORK_REFUSED } as const;
const FINAL_CODES = { paid: '20000', failed: '100002', submitted: '10001', created: '10000' } as const;

function judged(
  stage: Stage,
  status: string,
  statusCode: string,
  changes: Partial<Progress> = {},
  times = TIMES,
) {
  return judgeTransfer(progress({ stage, ...changes }), { ...TRANSFER, status, statusCode }, times);
}

describe('in time, a transfer that is', () => {
  it.each<readonly [keyof typeof FINAL_CODES, Stage, string]>([
    ['created', 'created', 'advanced created'],
    ['created', 'confirming', 'advanced confirming'],
    ['created', 'confirmed', 'waiting'],
    ['created', 'paid', 'held status_went_back'],
    ['submitted', 'created', 'advanced confirmed'],
    ['submitted', 'confirming', 'advanced confirmed'],
    ['submitted', 'confirmed', 'waiting'],
    ['submitted', 'paid', 'held status_went_back'],
    ['paid', 'created', 'advanced paid'],
    ['paid', 'confirming', 'advanced paid'],
    ['paid', 'confirmed', 'advanced paid'],
    ['paid', 'paid', 'waiting'],
    ['failed', 'created', 'refused failed'],
    ['failed', 'confirming', 'refused failed'],
    ['failed', 'confirmed', 'refused failed'],
    ['failed', 'paid', 'held status_went_back'],
    ['created', 'failed', 'held status_went_back'],
    ['submitted', 'failed', 'held status_went_back'],
    ['paid', 'failed', 'held status_went_back'],
    ['failed', 'failed', 'waiting'],
  ])('%s, of a payout that is %s: %s', (status, stage, words) => {
    const verdict = judged(stage, status, FINAL_CODES[status]);
    const detail = 'stage' in verdict ? ` ${verdict.stage}` : 'code' in verdict ? ` ${verdict.code}` : '';
    expect(verdict.kind + detail).toBe(words);
    expect(() => applyVerdict(progress({ stage }), verdict, 0)).not.toThrow();
  });
});

describe('an end that we have just seen', () => {
  const MINUTE_MS = 60_000;
  const judgedAfter = (minutes: number, stage: Stage, status: keyof typeof FINAL_CODES) => {
    const finalAt = new Date(NOW - minutes * MINUTE_MS).toISOString();
    return judged(stage, status, FINAL_CODES[status], { finalAt });
  };
  const EARLIER = [
    ['created', 'paid'],
    ['created', 'failed'],
    ['submitted', 'paid'],
    ['submitted', 'failed'],
  ] as const;

  it.each(EARLIER)('is not taken back by a read that lags: %s after %s', (status, stage) => {
    for (const minutes of [0, 1, 15, 16])
      expect(judgedAfter(minutes, stage, status)).toMatchObject({ kind: 'waiting', learned: {} });
  });

  it.each(EARLIER)('is, once no read can be so old: %s after %s', (status, stage) => {
    // Or by a clock that was set back since, which tells nothing of how long it was.
    for (const minutes of [17, 600, -600])
      expect(judgedAfter(minutes, stage, status)).toMatchObject({ kind: 'held', code: 'status_went_back' });
  });

  it('is at once by another end, which no read can show too early', () => {
    expect(judgedAfter(0, 'failed', 'paid')).toMatchObject({ kind: 'held', code: 'status_went_back' });
    expect(judgedAfter(0, 'paid', 'failed')).toMatchObject({ kind: 'held', code: 'status_went_back' });
  });
});

describe('out of paid', () => {
  it('leads a reversal (100001), and nothing else', () => {
    expect(judged('paid', 'failed', '100001')).toMatchObject({ kind: 'refused', stage: 'failed' });
    for (const code of ['100000', '100002', '100003', '100004', '100005', '100006', '100008', '100007']) {
      expect(judged('paid', 'failed', code)).toMatchObject({ kind: 'held', code: 'status_went_back' });
    }
  });

  it('a reversal says so to the owner of the file', () => {
    const verdict = judged('paid', 'failed', '100001');
    expect(verdict).toMatchObject({ learned: { why: { errorCode: '100001' } } });
    expect('learned' in verdict && verdict.learned.why?.reason.en).toContain('reversed');
  });
});

describe('out of failed', () => {
  it('leads nothing but a person, who is told what the service says now', () => {
    const verdict = judged('failed', 'paid', '20000');
    const { en, fr } = (verdict.kind === 'held' && verdict.reason) || { en: '', fr: '' };
    expect(en).toMatch(/^The service said of this payment: failed\. It now says: paid to the recipient\. /);
    expect(fr).toMatch(/paiement : échoué\. Il indique maintenant : payé au bénéficiaire\. /);
    const back = judged('paid', 'failed', '100002');
    expect(back.kind === 'held' && back.reason?.en).toMatch(
      /: paid\. It now says: rejected by the payout network \(100002\)\. /,
    );
  });

  it('a reason that the service corrects is taken over, and one that it repeats is left as it is', () => {
    const transfer = { ...toKnownTransfer({ ...TRANSFER, status: 'failed', statusCode: '100002' }) };
    const corrected = judged('failed', 'failed', '100001', { transfer, why: REFUSED });
    expect(corrected).toMatchObject({ kind: 'waiting', learned: { why: { errorCode: '100001' } } });
    expect('learned' in corrected && corrected.learned.why?.reason.en).toContain('reversed');
    const repeated = judged('failed', 'failed', '100002', { transfer, why: REFUSED });
    expect('learned' in repeated && repeated.learned).not.toHaveProperty('why');
  });
});

describe('a failure', () => {
  it('with a code that the interface does not show is a failure all the same', () => {
    const verdict = judged('confirmed', 'failed', '100007');
    expect(verdict).toMatchObject({
      kind: 'refused',
      stage: 'failed',
      learned: { why: { errorCode: '100007' } },
    });
    expect('learned' in verdict && verdict.learned.why?.reason.en).toContain('100007');
  });

  it('of a confirm that the network refused keeps that code', () => {
    expect(judged('confirmed', 'failed', '100002', { why: REFUSED })).toMatchObject({
      learned: { why: { errorCode: '10027' } },
    });
  });
});

describe('a status that we do not know', () => {
  it.each(['cancelled', 'PAID', '', 'processing', 'constructor'])(
    '(%j) is for a person, at every stage',
    (status) => {
      for (const stage of ['created', 'confirming', 'confirmed', 'paid'] as const) {
        expect(judged(stage, status, '77777')).toMatchObject({ kind: 'held', code: 'unknown_status' });
      }
    },
  );
});

describe('a code that contradicts its status', () => {
  it.each([
    ['paid', '100002'],
    ['failed', '20000'],
    ['submitted', '20000'],
    ['created', '10001'],
  ])('(%s with %s) is read again, and after three times is for a person', (status, code) => {
    for (const doubts of [0, 1, 2]) expect(judged('confirmed', status, code, { doubts }).kind).toBe('later');
    expect(judged('confirmed', status, code, { doubts: 3 })).toMatchObject({
      kind: 'held',
      code: 'unknown_status',
    });
  });
});

describe('after the confirm, a read that still says created', () => {
  const at = (serverTime: number | null, changes: Partial<Progress> = {}) =>
    judged('confirmed', 'created', '10000', changes, { ...TIMES, serverTime });
  const fence = EXPIRY_MS + FENCE.other;

  it('may be stale until a quarter of an hour after the expiry, and is only read again', () => {
    for (const serverTime of [NOW, EXPIRY_MS, fence, null]) expect(at(serverTime).kind).toBe('waiting');
  });

  it('does not take back what we know', () => {
    const submitted = { ...progress().transfer, status: 'submitted' } as Progress['transfer'];
    const verdict = at(NOW, { transfer: submitted });
    expect(applyVerdict(progress({ stage: 'confirmed' }), verdict, 0).transfer?.status).toBe('submitted');
  });

  it('beyond that is for a person, with the reason that fits', () => {
    expect(at(fence + 1)).toMatchObject({ kind: 'held', code: 'status_went_back' });
  });

  it('once the network has refused, is looked at a few times and then is for a person', () => {
    const refused = (doubts: number) => at(NOW, { why: REFUSED, doubts });
    expect(refused(0)).toMatchObject({ kind: 'waiting', learned: { doubts: 1 } });
    expect(refused(6)).toMatchObject({ kind: 'held', code: 'network_undecided' });
  });
});

describe('a created transfer that is over', () => {
  it('by the Date of the read, or too near to its end to be confirmed, is judged by its expiry', () => {
    const over = { ...TIMES, serverTime: EXPIRY_MS + FENCE.own + 1, latestNow: NOW };
    expect(judged('created', 'created', '10000', {}, over)).toMatchObject({ stage: 'ready' });
    const near = { ...TIMES, serverTime: EXPIRY_MS - 500, latestNow: EXPIRY_MS - 400 };
    expect(judged('created', 'created', '10000', {}, near).kind).toBe('waiting');
  });
});

describe('looking again', () => {
  const waitAfter = (ms: number) => {
    const confirmedAt = new Date(NOW - ms).toISOString();
    const verdict = judged('confirmed', 'submitted', '10001', { confirmedAt });
    return verdict.kind === 'waiting' ? verdict.lookAgainMs : null;
  };
  it.each([
    [0, 500],
    [1_000, 500],
    [10_000, 5_000],
    [60_000, 30_000],
    [86_400_000, 30_000],
    // A clock that was set back since.
    [-86_400_000, 30_000],
  ])('%i ms after the confirm it is %i ms until the next look', (sinceMs, ms) => {
    expect(waitAfter(sinceMs)).toBe(ms);
  });

  it('at what a person has released, and nobody knows the confirm of, does not hurry', () => {
    const verdict = judged('confirmed', 'submitted', '10001', { confirmedAt: null });
    expect(verdict).toMatchObject({ kind: 'waiting', lookAgainMs: TIMES.pollEveryMs });
  });
});

describe('a status code in words', () => {
  it.each([
    ['100003', 'invalid or restricted beneficiary details'],
    ['100007', 'status code 100007, which the interface does not explain'],
    ['toString', 'status code toString, which the interface does not explain'],
  ])('%s: %s', (code, words) => {
    expect(statusWords(code).en).toBe(words);
  });
});
