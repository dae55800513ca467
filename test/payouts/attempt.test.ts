// When silence allows a conclusion: the cases as tables, on both sides of every boundary, and the sentences that hold for all of them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isoTime } from '../../src/base/clock.ts';
import {
  attemptOf,
  canStillPay,
  doubtEndsAt,
  isLast,
  isPastAnyLag,
  provableAt,
  silentAfter,
  hiddenSince,
  unvouched,
  type Attempt,
  type Shown,
} from '../../src/payouts/attempt.ts';
import { externalId } from '../../src/payouts/payout.ts';
import { EXPIRY_MS, KNOWN, progress, RUN } from '../delivery/due-row.ts';
import {
  AttemptWorld,
  DELAY_MOST_MS,
  LAG_MOST_MS,
  MINUTE_MS,
  SKEW_MOST_MS,
  type Event,
} from './attempt-world.ts';

const OTHER = 'another run';
/** Beyond this a record that nobody vouches for proves something. */
const FENCE_MS = 15 * MINUTE_MS;
const LONG = EXPIRY_MS + FENCE_MS;
const SHORT = EXPIRY_MS + MINUTE_MS;
/** A later attempt was not found. */
const NONE: Shown = { transfer: null, at: LONG };

const OWN: Attempt = {
  begunBy: RUN,
  lookedBy: RUN,
  transfer: KNOWN,
  mayArriveUntil: null,
  confirm: 'none',
  silentAt: null,
};

const of = (changes: Partial<Attempt>): Attempt => ({ ...OWN, ...changes });
const created = (at: number | null): Shown => ({ transfer: KNOWN, at });
const nothing = (at: number | null): Shown => ({ transfer: null, at });
const as = (status: string, statusCode = '10001'): Shown => ({
  transfer: { ...KNOWN, status, statusCode },
  at: LONG,
});

describe('provableAt', () => {
  it.each<[string, Partial<Attempt>, number | null, number]>([
    ['of its own, never meant to be confirmed', {}, null, SHORT],
    ['of another run', { begunBy: OTHER }, null, LONG],
    ['that nobody vouches for', { begunBy: null }, null, LONG],
    ['with an intent on record', { confirm: 'intended' }, null, LONG],
    ['with a confirm that was sent', { confirm: 'sent' }, null, LONG],
    ['with a confirm that was refused', { confirm: 'refused-late' }, null, LONG],
    ['that has not been seen yet', { transfer: null, mayArriveUntil: EXPIRY_MS }, null, LONG],
    ['that was never created', { transfer: null }, null, -Infinity],
    ['with an expiry that cannot be read', { transfer: { ...KNOWN, expiredAt: 'soon' } }, null, Infinity],
    ['of a ledger in doubt since later', {}, EXPIRY_MS, LONG],
    ['of a ledger in doubt since long before', {}, 0, SHORT],
    ['never created, of a ledger in doubt', { transfer: null }, EXPIRY_MS, LONG],
  ])('an attempt %s', (_name, changes, doubtSince, moment) => {
    expect(provableAt(of(changes), RUN, doubtSince)).toBe(moment);
  });
});

describe('canStillPay', () => {
  it.each<[string, Partial<Attempt>, Shown, ReturnType<typeof canStillPay>]>([
    ['shown as submitted', {}, as('submitted'), 'yes'],
    ['shown as paid', {}, as('paid', '20000'), 'yes'],
    ['shown as failed', {}, as('failed', '100002'), 'no'],
    ['shown with an unknown status', {}, as('queued'), 'ask-a-person'],
    ['its own, before its expiry', {}, created(EXPIRY_MS - 1), { lookAgainAt: SHORT + 1_001 }],
    ['its own, at the fence', {}, created(SHORT), { lookAgainAt: SHORT + 1_001 }],
    ['its own, beyond the fence', {}, created(SHORT + 1), 'no'],
    ['its own, shown without a time', {}, created(null), { lookAgainAt: null }],
    ['another run’s, at the long fence', { begunBy: OTHER }, created(LONG), { lookAgainAt: LONG + 1_001 }],
    [
      'another run’s, beyond it for the first time',
      { begunBy: OTHER },
      created(LONG + 1),
      { lookAgainAt: LONG + MINUTE_MS + 1_002 },
    ],
    [
      'another run’s, a moment too early for the second time',
      { begunBy: OTHER, silentAt: LONG + 1 },
      created(LONG + MINUTE_MS),
      { lookAgainAt: LONG + MINUTE_MS + 1_002 },
    ],
    [
      'another run’s, for the second time',
      { begunBy: null, silentAt: LONG + 1 },
      created(LONG + 1 + MINUTE_MS),
      'no',
    ],
    [
      'another run’s, whose first silence came before the fence',
      { begunBy: null, silentAt: LONG },
      created(LONG + MINUTE_MS),
      { lookAgainAt: LONG + 2 * MINUTE_MS + 1_001 },
    ],
    ['with an intent on record', { confirm: 'intended' }, created(SHORT), 'ask-by-confirming'],
    ['with a confirm that was sent, at the fence', { confirm: 'sent' }, created(LONG), 'ask-by-confirming'],
    ['with a confirm that was sent, beyond it', { confirm: 'sent' }, created(LONG + 1), 'ask-a-person'],
    [
      'with a confirm that was refused, beyond it',
      { confirm: 'refused-late' },
      created(LONG + 1),
      { lookAgainAt: LONG + MINUTE_MS + 1_002 },
    ],
    [
      'with a confirm that was refused, for the second time',
      { confirm: 'refused-late', silentAt: LONG + 1 },
      created(LONG + MINUTE_MS + 1),
      'no',
    ],
    [
      'with an expiry that cannot be read',
      { transfer: { ...KNOWN, expiredAt: '' } },
      created(LONG),
      'ask-a-person',
    ],
    ['its own, never created, by whatever time', { transfer: null }, nothing(null), 'no'],
    [
      'its own, whose create may arrive',
      { transfer: null, mayArriveUntil: EXPIRY_MS },
      nothing(LONG),
      { lookAgainAt: LONG + 1_001 },
    ],
    [
      'its own, whose create can arrive no more',
      { transfer: null, mayArriveUntil: EXPIRY_MS },
      nothing(LONG + 1),
      'no',
    ],
    ['known, and not shown any more', {}, nothing(SHORT + 1), 'ask-a-person'],
    [
      'another run’s of which nothing is known, from the first look on',
      { transfer: null, begunBy: OTHER },
      nothing(EXPIRY_MS),
      { lookAgainAt: LONG + 1_001 },
    ],
  ])('an attempt %s', (_name, changes, shown, verdict) => {
    expect(canStillPay(of(changes), shown, RUN, null)).toEqual(verdict);
  });

  it('believes nothing of another run’s attempt sooner because its batch was in doubt before', () => {
    const attempt = of({ transfer: null, begunBy: OTHER });
    const long = EXPIRY_MS - 2 * FENCE_MS;
    expect(canStillPay(attempt, nothing(EXPIRY_MS), RUN, long)).toEqual({ lookAgainAt: LONG + 1_001 });
  });

  it('waits for the end of a doubt that outlasts the expiry', () => {
    const doubtSince = EXPIRY_MS + 2 * FENCE_MS;
    const ends = doubtSince + FENCE_MS;
    expect(canStillPay(OWN, created(ends), RUN, doubtSince)).toEqual({ lookAgainAt: ends + 1_001 });
    expect(canStillPay(OWN, created(ends + 1), RUN, doubtSince)).toBe('no');
  });

  it('goes by the later of two expiries that the service told', () => {
    const shown = { transfer: { ...KNOWN, expiredAt: isoTime(EXPIRY_MS - FENCE_MS) }, at: SHORT };
    expect(canStillPay(OWN, shown, RUN, null)).toEqual({ lookAgainAt: SHORT + 1_001 });
  });
});

describe('isLast', () => {
  const failed = as('failed', '100002');
  it.each<[string, Partial<Attempt>, Shown, Shown, number | null, ReturnType<typeof isLast>]>([
    ['with a later one', {}, failed, { transfer: KNOWN, at: null }, null, 'no'],
    ['its own', {}, failed, NONE, null, 'yes'],
    [
      'its own, in a ledger in doubt',
      {},
      failed,
      NONE,
      LONG - 1,
      { lookAgainAt: LONG - 1 + FENCE_MS + 1_001 },
    ],
    [
      'another run’s, first asked now',
      { begunBy: OTHER },
      failed,
      NONE,
      null,
      { lookAgainAt: LONG + FENCE_MS + 1_001 },
    ],
    [
      'another run’s, within the doubt',
      { begunBy: OTHER },
      failed,
      NONE,
      LONG - FENCE_MS,
      { lookAgainAt: LONG + 1_001 },
    ],
    ['another run’s, beyond the doubt', { begunBy: OTHER }, failed, NONE, LONG - FENCE_MS - 1, 'yes'],
    ['another run’s, without a time', { begunBy: OTHER }, failed, nothing(null), 0, { lookAgainAt: null }],
    [
      'another run’s, at its expiry',
      { begunBy: OTHER },
      { ...failed, at: EXPIRY_MS },
      nothing(null),
      null,
      'yes',
    ],
    [
      'another run’s, beyond it',
      { begunBy: OTHER },
      { ...failed, at: EXPIRY_MS + 1 },
      nothing(null),
      null,
      { lookAgainAt: null },
    ],
    [
      'whose expiry nobody can read',
      { begunBy: OTHER, transfer: { ...KNOWN, expiredAt: '' } },
      failed,
      nothing(null),
      null,
      { lookAgainAt: null },
    ],
    ['that is on its way', { begunBy: OTHER }, as('submitted'), NONE, null, 'yes'],
    ['that was paid', { begunBy: OTHER }, as('paid', '20000'), NONE, null, 'yes'],
    ['that was paid and came back', { begunBy: OTHER }, as('failed', '100001'), NONE, null, 'yes'],
  ])('an attempt %s', (_name, changes, shown, later, doubtSince, verdict) => {
    expect(isLast(of(changes), shown, later, RUN, doubtSince)).toEqual(verdict);
  });
});

describe('what a lag can hide', () => {
  it('is over a quarter of an hour after the loss, and a second for the time that has whole seconds', () => {
    expect(doubtEndsAt(EXPIRY_MS)).toBe(LONG + 1_001);
    expect([isPastAnyLag(FENCE_MS), isPastAnyLag(FENCE_MS + 1)]).toEqual([false, true]);
  });
});

describe('attemptOf', () => {
  it.each([
    ['its own', {}, { begunBy: RUN, lookedBy: RUN, confirm: 'none' }],
    ['taken over', { begunBy: null }, { begunBy: null, lookedBy: RUN }],
    ['to be looked at', { lookedBy: null }, { begunBy: RUN, lookedBy: null }],
    ['with its intent on record', { stage: 'confirming' }, { confirm: 'intended' }],
    ['maybe confirmed', { confirm: 'sent' }, { confirm: 'sent' }],
    ['confirmed too late', { confirm: 'refused-late' }, { confirm: 'refused-late' }],
    ['seen silent', { silentAt: 7 }, { silentAt: 7 }],
    ['that may arrive', { mayArriveUntil: isoTime(EXPIRY_MS) }, { mayArriveUntil: EXPIRY_MS }],
    ['that may arrive until nobody knows when', { mayArriveUntil: 'soon' }, { mayArriveUntil: Infinity }],
  ] as const)('a row %s', (_name, changes, attempt) => {
    expect(attemptOf(progress(changes))).toMatchObject(attempt);
  });
});

/** Few moments, each on one side of a boundary: among any others hardly one in a thousand would matter. */
const skewMs = fc.constantFrom(-SKEW_MOST_MS, 0, SKEW_MOST_MS);

const passing = fc.record({
  kind: fc.constant('time passes' as const),
  ms: fc.constantFrom(1_000, 20_000, 61_000, 5 * MINUTE_MS, 10 * MINUTE_MS, 16 * MINUTE_MS),
});

const changing = fc.record({
  kind: fc.constantFrom('intend', 'take back', 'restart', 'keep a copy', 'lose the ledger'),
});

const confirming = fc.record({
  kind: fc.constant('confirm' as const),
  delayMs: fc.constantFrom(0, 5_000, 50_000, 10 * MINUTE_MS, DELAY_MOST_MS),
  skewMs,
  isAnswered: fc.boolean(),
});

const puttingBack = fc.record({
  kind: fc.constant('put a copy back' as const),
  copy: fc.nat(3),
  isNoticed: fc.boolean(),
});

const looking = fc.record({
  kind: fc.constant('look' as const),
  lagMs: fc.constantFrom(0, MINUTE_MS, LAG_MOST_MS),
  skewMs,
  tellsTime: fc.constantFrom(true, true, true, false),
});

const events = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: passing },
    { weight: 2, arbitrary: changing },
    { weight: 2, arbitrary: confirming },
    { weight: 1, arbitrary: puttingBack },
    { weight: 5, arbitrary: looking },
  ),
  { maxLength: 40, size: 'max' },
) as fc.Arbitrary<readonly Event[]>;

const lives = fc.constantFrom(8_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS);
const arrivals = fc.constantFrom(0, 0, 0, 5_000, 30_000, 2 * MINUTE_MS, null);

/** Any interleaving of facts and looks. */
function worlds(hold: (world: AttemptWorld, event: Event, before: AttemptWorld['ledger']) => void): void {
  fc.assert(
    fc.property(lives, arrivals, events, (life, arrival, all) => {
      const world = new AttemptWorld(life, arrival);
      for (const event of all) {
        const before = world.ledger;
        world.happen(event);
        hold(world, event, before);
      }
    }),
    { numRuns: 5_000 },
  );
}

describe('the five sentences', () => {
  it('S1: an id is made of file, row, kind and attempt alone, and of no two of them alike', () => {
    const part = fc.record({ row: fc.string(), attempt: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(part, part, (one, two) => {
        const idOf = ({ row, attempt }: typeof one) => externalId('f'.repeat(64), row, 'transfer', attempt);
        expect(idOf(one)).toBe(idOf({ ...one }));
        expect(idOf(one) === idOf(two)).toBe(one.row === two.row && one.attempt === two.attempt);
        expect(idOf(one)).not.toBe(externalId('f'.repeat(64), one.row, 'quotation', one.attempt));
      }),
    );
  });

  it('S3: what is called dead was not confirmed, and never is', () => {
    worlds((world) => {
      const dead = world.verdicts.find(({ verdict }) => verdict === 'no');
      if (dead === undefined) return;
      // A confirm that is still under way arrives when it is too late.
      expect(world.taken).toEqual([]);
    });
  });

  it('S3: what is called dead without having been seen does not exist', () => {
    worlds((world, event, before) => {
      if (event.kind !== 'look' || before.attempt.transfer !== null) return;
      const isSeen = world.ledger.attempt.transfer !== null;
      if (!isSeen && world.verdicts.at(-1)?.verdict === 'no') expect(world.exists).toBe(false);
    });
  });

  it('S3: one look is enough for nobody but the run that began it and never meant to confirm it', () => {
    worlds((world, event, { attempt }) => {
      if (event.kind !== 'look' || world.verdicts.at(-1)?.verdict !== 'no') return;
      const isOwn = attempt.begunBy === world.run && attempt.confirm === 'none';
      if (!isOwn) expect(attempt.silentAt).not.toBeNull();
    });
  });

  it('S4: the moment of proof never comes nearer, but by taking back an intent, or by seeing what was in question', () => {
    worlds((world, { kind }, { attempt, doubtSince }) => {
      const isForgotten = kind === 'put a copy back' || kind === 'lose the ledger' || kind === 'take back';
      const isSeen = attempt.transfer === null && world.ledger.attempt.transfer !== null;
      if (isForgotten || isSeen) return;
      expect(world.provableAt).toBeGreaterThanOrEqual(provableAt(attempt, world.run, doubtSince));
    });
  });

  it('S4: what nobody vouches for is proved no sooner', () => {
    worlds(({ ledger: { attempt, doubtSince }, run, provableAt: own }) => {
      expect(provableAt(unvouched(attempt), run, doubtSince)).toBeGreaterThanOrEqual(own);
    });
  });

  it('S5: a look that tells no time changes no fact', () => {
    worlds((world) => {
      const { attempt, doubtSince } = world.ledger;
      for (const transfer of [attempt.transfer, null])
        expect(silentAfter(attempt, { transfer, at: null }, world.run, doubtSince)).toBe(attempt.silentAt);
    });
  });
});

it('a doubt hides what may have been created, and nothing of a transfer on record', () => {
  const { transfer } = OWN;
  expect(hiddenSince({ transfer: null }, 7)).toBe(7);
  expect(hiddenSince({ transfer: null }, null)).toBeNull();
  expect(hiddenSince({ transfer }, 7)).toBeNull();
});
