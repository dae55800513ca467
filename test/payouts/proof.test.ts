// When silence, or `created`, allows a conclusion: the cases as tables, on both sides of every boundary. What they are worth together, `test/explore` shows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isoTime } from '../../src/base/clock.ts';
import { externalId } from '../../src/payouts/payout.ts';
import {
  deadForAnyone,
  deadFrom,
  doubtEndsAt,
  type Evidence,
  evidenceOf,
  FENCE,
  isCertainlyUnpaid,
  isProvedDead,
  landsUntil,
  mayHaveNext,
  nextHiddenUntil,
  proving,
  unseenUntil,
  untilReadMs,
} from '../../src/payouts/proof.ts';
import { EXPIRED_AT, EXPIRY_MS, KNOWN, PRICE, progress, RUN } from '../delivery/due-row.ts';

const OTHER = 'another run';
const MINUTE_MS = 60_000;
const UNREADABLE = { ...KNOWN, expiredAt: '2026-11-20 08:45' };
const SHORT = EXPIRY_MS + FENCE.own;
const LONG = EXPIRY_MS + FENCE.other;

const REVERSED = { transfer: { ...KNOWN, status: 'failed', statusCode: '100001' } };

const OWN: Evidence = { vouchedBy: RUN, transfer: KNOWN, mayLandUntil: null, isIntended: false };
const of = (changes: Partial<Evidence>): Evidence => ({ ...OWN, ...changes });
const me = (doubtSince: number | null = null) => proving(RUN, doubtSince);

describe('the fences', () => {
  it('are those of the interface: clocks a minute apart, reads a quarter of an hour old, times of whole seconds', () => {
    expect(FENCE).toEqual({ own: 61_001, other: 961_001 });
  });
});

describe('an attempt is dead from', () => {
  it.each<[string, Partial<Evidence>, number]>([
    ['its own, never meant to be confirmed', {}, SHORT],
    ['of another run', { vouchedBy: OTHER }, LONG],
    ['that nobody vouches for', { vouchedBy: null }, LONG],
    ['with an intent on record', { isIntended: true }, LONG],
    [
      'that was known with a later expiry',
      { transfer: { ...KNOWN, expiredAt: isoTime(EXPIRY_MS + 5) } },
      SHORT + 5,
    ],
    [
      'that was known with an earlier expiry',
      { transfer: { ...KNOWN, expiredAt: isoTime(EXPIRY_MS - 5) } },
      SHORT,
    ],
    ['that was known with an expiry that cannot be read', { transfer: UNREADABLE }, Infinity],
  ])('a moment that depends on who made it: %s', (_name, changes, moment) => {
    expect(deadFrom(of(changes), KNOWN, me())).toBe(moment);
    // What the ledger forgot changes nothing: nobody can confirm it any more.
    expect(deadFrom(of(changes), KNOWN, me(EXPIRY_MS + 60 * MINUTE_MS))).toBe(moment);
  });

  it.each([
    ['its own', OWN, SHORT],
    ['another’s', of({ vouchedBy: null }), LONG],
    ['with an intent', of({ isIntended: true }), LONG],
  ])('the read behind it, and no sooner: %s', (_name, attempt, moment) => {
    expect(isProvedDead(attempt, KNOWN, moment, me())).toBe(false);
    expect(isProvedDead(attempt, KNOWN, moment + 1, me())).toBe(true);
    expect(isProvedDead(attempt, KNOWN, null, me())).toBe(false);
  });

  it.each(['submitted', 'paid', 'failed', 'queued'])('no read that shows `%s`', (status) => {
    expect(isProvedDead(OWN, { ...KNOWN, status }, LONG * 2, me())).toBe(false);
  });

  it('no read at all where the expiry cannot be read', () => {
    expect(isProvedDead(OWN, UNREADABLE, LONG * 2, me())).toBe(false);
  });
});

describe('of an attempt that no read shows', () => {
  it.each<[string, Partial<Evidence>, number | null, number | null]>([
    ['its own, of which nothing was sent', {}, null, null],
    ['its own, in any doubt', {}, EXPIRY_MS, null],
    ['its own, whose create may land', { mayLandUntil: EXPIRY_MS }, null, LONG],
    ['another’s, in doubt', { vouchedBy: null }, EXPIRY_MS, LONG],
    ['another’s, in doubt longer than it may land', { vouchedBy: null, mayLandUntil: 0 }, EXPIRY_MS, LONG],
    ['one that may land for ever', { mayLandUntil: Infinity }, null, Infinity],
  ])('%s', (_name, changes, doubtSince, until) => {
    const attempt = of({ transfer: null, ...changes });
    expect(unseenUntil(attempt, null, me(doubtSince))).toBe(until);
    if (until === null || until === Infinity) return;
    expect(unseenUntil(attempt, until, me(doubtSince))).toBe(until);
    expect(unseenUntil(attempt, until + 1, me(doubtSince))).toBeNull();
  });

  it.each<[string, number | null, typeof PRICE | null, number | null]>([
    ['at this price', null, PRICE, EXPIRY_MS],
    ['at no price', null, null, null],
    ['at an earlier price that lives longer', LONG, PRICE, LONG],
    ['at an earlier price that has run out', 0, PRICE, EXPIRY_MS],
    ['at a price whose end cannot be read', 0, { ...PRICE, expiredAt: 'soon' }, Infinity],
  ])('a create may land until the last price has run out: %s', (_name, mayLandUntil, price, until) => {
    expect(landsUntil({ mayLandUntil, price })).toBe(until);
  });

  it.each<[string, Parameters<typeof isCertainlyUnpaid>[0], boolean]>([
    ['nothing was sent', { ...of({ transfer: null }), confirmedAt: null, deadAttempts: [] }, true],
    ['another run had it', { ...of({ vouchedBy: null }), confirmedAt: null, deadAttempts: [] }, false],
    ['a confirm was meant', { ...of({ isIntended: true }), confirmedAt: null, deadAttempts: [] }, false],
    ['a create may land', { ...of({ mayLandUntil: 0 }), confirmedAt: null, deadAttempts: [] }, false],
    ['another one was given up', { ...OWN, confirmedAt: null, deadAttempts: [1] }, false],
    ['it was confirmed', { ...OWN, confirmedAt: EXPIRED_AT, deadAttempts: [] }, false],
  ])('an end without a look is had only where nothing was sent: %s', (_name, row, isCertain) => {
    expect(isCertainlyUnpaid(row, me())).toBe(isCertain);
  });
});

describe('behind an attempt that has failed', () => {
  it.each<[string, Partial<Evidence>, number | null, boolean]>([
    ['its own', {}, LONG, false],
    ['another’s, read before its expiry', { vouchedBy: null }, EXPIRY_MS, false],
    ['another’s, read after it', { vouchedBy: null }, EXPIRY_MS + 1, true],
    ['another’s, by a read without a time', { vouchedBy: OTHER }, null, true],
    ['another’s, reversed after it was paid', { ...REVERSED, vouchedBy: OTHER }, null, false],
  ])('another one may follow: %s', (_name, changes, at, mayFollow) => {
    expect(mayHaveNext({ ...of(changes), confirmedAt: null }, at, me())).toBe(mayFollow);
  });

  it('none is hidden once a read without one comes 16 minutes after the doubt began', () => {
    const attempt = of({ vouchedBy: null });
    expect(nextHiddenUntil(attempt, LONG, me(EXPIRY_MS))).toBe(LONG);
    expect(nextHiddenUntil(attempt, LONG + 1, me(EXPIRY_MS))).toBeNull();
    expect(nextHiddenUntil(attempt, null, me(EXPIRY_MS))).toBe(LONG);
    expect(doubtEndsAt(EXPIRY_MS)).toBe(LONG);
  });
});

describe('the evidence of a record', () => {
  it.each([
    ['nothing', {}, false],
    ['the intent', { stage: 'confirming' }, true],
    ['a confirm without an answer', { confirm: 'sent' }, true],
    ['a confirm that came too late', { confirm: 'refused-late' }, true],
    ['a confirm that was taken', { stage: 'confirmed', confirmedAt: EXPIRED_AT }, true],
  ] as const)('of a confirm: %s', (_name, changes, isIntended) => {
    expect(evidenceOf(progress(changes)).isIntended).toBe(isIntended);
  });

  it('says until when a create may land, for ever where that cannot be read', () => {
    expect(evidenceOf(progress({ mayArriveUntil: EXPIRED_AT })).mayLandUntil).toBe(EXPIRY_MS);
    expect(evidenceOf(progress({ mayArriveUntil: 'soon' })).mayLandUntil).toBe(Infinity);
  });

  it('proves for anyone what it proves by the longer fence', () => {
    expect(deadForAnyone(progress())).toBe(LONG);
    expect(deadForAnyone(progress({ transfer: null }))).toBe(-Infinity);
    expect(deadForAnyone(progress({ transfer: null, mayArriveUntil: EXPIRED_AT }))).toBe(LONG);
  });
});

describe('in any case', () => {
  const moments = fc.integer({ min: EXPIRY_MS - 3_600_000, max: EXPIRY_MS + 3_600_000 });
  const anyAttempt = fc.record({
    vouchedBy: fc.constantFrom(RUN, OTHER, null),
    transfer: fc.option(moments.map((ms) => ({ ...KNOWN, expiredAt: isoTime(ms) }))),
    mayLandUntil: fc.option(moments),
    isIntended: fc.boolean(),
  });

  it('who knows less proves nothing sooner, and a later read takes nothing back', () => {
    fc.assert(
      fc.property(anyAttempt, moments, moments, fc.option(moments), (attempt, at, later, doubtSince) => {
        const [early, late] = at < later ? [at, later] : [later, at];
        const less = { ...attempt, vouchedBy: null, isIntended: true };
        const by = me(doubtSince);
        expect(deadFrom(less, KNOWN, by)).toBeGreaterThanOrEqual(deadFrom(attempt, KNOWN, by));
        if (isProvedDead(attempt, KNOWN, early, by))
          expect(isProvedDead(attempt, KNOWN, late, by)).toBe(true);
        if (unseenUntil(attempt, early, by) === null) expect(unseenUntil(attempt, late, by)).toBeNull();
        if (unseenUntil(less, early, by) === null) expect(unseenUntil(attempt, early, by)).toBeNull();
      }),
    );
  });

  it('a wait ends when a read can tell', () => {
    expect(untilReadMs(LONG, LONG - 500)).toBe(501);
    expect(untilReadMs(LONG, LONG)).toBe(1);
    expect(untilReadMs(LONG, null)).toBe(MINUTE_MS);
  });

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
});
