// The rules of the row machine one by one: what each event makes of a row, and what the row needs next. What they are worth together, the search shows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import { HOLDS, HOLD_CODES } from '../../src/payouts/hold.ts';
import { FINAL, mayMove, STAGES } from '../../src/payouts/lifecycle.ts';
import type { KnownTransfer, QuotedPrice } from '../../src/payouts/progress.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/service/wire.ts';
import { apply } from '../../src/payouts/row-machine/apply.ts';
import { next } from '../../src/payouts/row-machine/next.ts';
import { FENCE } from '../../src/payouts/proof.ts';
import type { CallName, RowEvent } from '../../src/payouts/row-machine/row-event.ts';
import {
  attemptOf,
  freshRow,
  type Now,
  type RowState,
  stageOf,
} from '../../src/payouts/row-machine/row-state.ts';

const STARTS_AT = Date.parse('2026-11-20T09:00:00Z');
const MINUTE_MS = 60_000;
const WORDS = sameWords('Because.');
const WHY = { errorCode: 'cancelled', reason: WORDS };

const iso = (ms: number): string => new Date(ms).toISOString();

const PRICE: QuotedPrice = {
  quotationId: 'q-1',
  sendAmount: '100',
  feeAmount: '1',
  receiveAmount: '90',
  createdAt: iso(STARTS_AT),
  expiredAt: iso(STARTS_AT + 10 * MINUTE_MS),
};
const EXPIRES_AT = STARTS_AT + 10 * MINUTE_MS;

const transferOf = (status: string, statusCode: string, attempt = 1): KnownTransfer => ({
  transferId: `t-${String(attempt)}`,
  externalId: `e-${String(attempt)}`,
  quotationId: 'q-1',
  status,
  statusCode,
  sendAmount: '100',
  feeAmount: '1',
  receiveAmount: '90',
  createdAt: iso(STARTS_AT),
  expiredAt: iso(EXPIRES_AT),
});

const CREATED = transferOf('created', '10000');
const SUBMITTED = transferOf('submitted', '10001');
const PAID = transferOf('paid', '20000');
const FAILED = transferOf('failed', '100002');

const nowAt = (ms: number, more: Partial<Now> = {}, terms: Partial<Now['terms']> = {}): Now => ({
  lease: 'L1',
  local: ms,
  random: 1,
  service: ms,
  doubtSince: null,
  fence: FENCE,
  ...more,
  terms: {
    needsDocument: false,
    mayConfirm: true,
    areLimited: false,
    neededMs: 5_000,
    pollEveryMs: 30_000,
    priceStop: () => null,
    patience: { moments: 3, looks: 10, confirmsAgain: 3, attempts: 5, quotations: 1_000 },
    ...terms,
  },
});

const NOW = nowAt(STARTS_AT);
const LATE = nowAt(EXPIRES_AT + 30 * MINUTE_MS);

const quoted: RowEvent = { on: 'quoted', price: PRICE, isAdopted: false, differs: false, outside: null };
const shown = (transfer: KnownTransfer, at: number | null = STARTS_AT, more: object = {}): RowEvent => ({
  on: 'transfer',
  by: 'look',
  attempt: 1,
  transfer,
  differs: false,
  at,
  ...more,
});
const made = shown(CREATED, STARTS_AT, { by: 'create' });
const refusedWith = (call: CallName, errorCode: ErrorCode): RowEvent => ({
  on: 'refused',
  call,
  errorCode,
  words: '',
  at: STARTS_AT,
});

const after = (events: readonly RowEvent[], row = freshRow('L1'), now = NOW): RowState =>
  events.reduce((state, event) => apply(state, event, now), row);

const ROW_CREATED = after([quoted, made]);
const ROW_INTENDED = after([quoted, made, { on: 'intend' }]);
const ROW_CONFIRMED = after([quoted, made, { on: 'intend' }, { on: 'confirmed' }]);
const ROW_PAID = after([shown(PAID)], ROW_CONFIRMED);

describe('an ordinary row', () => {
  it('is quoted, created, intended, confirmed and followed to its end', () => {
    const steps: string[] = [];
    let row = freshRow('L1');
    const answers: Record<string, RowEvent> = {
      quote: quoted,
      create: made,
      intend: { on: 'intend' },
      confirm: { on: 'confirmed' },
      look: shown(PAID),
    };
    for (let at = STARTS_AT; row.end === null; at += 1_000) {
      const step = next(row, nowAt(at));
      steps.push(`${stageOf(row)}: ${step.do}`);
      const event = answers[step.do];
      if (event !== undefined) row = apply(row, event, nowAt(at));
    }
    expect(steps).toEqual([
      'ready: quote',
      'quoted: create',
      'created: intend',
      'confirming: confirm',
      'confirmed: look',
    ]);
    expect(stageOf(row)).toBe('paid');
  });

  it('has its document attached before its intent, and once more where the service misses it', () => {
    const now = nowAt(STARTS_AT, {}, { needsDocument: true });
    expect(next(ROW_CREATED, now).do).toBe('attach');
    const attached = apply(ROW_CREATED, { on: 'attached' }, now);
    expect(next(attached, now).do).toBe('intend');
    const demanded = after([{ on: 'intend' }, refusedWith('confirm', 10022)], attached, now);
    expect(next(demanded, now).do).toBe('attach');
    const again = apply(demanded, { on: 'attached' }, now);
    expect(next(again, now).do).toBe('confirm');
    expect(apply(again, refusedWith('confirm', 10022), now).hold?.code).toBe('document_demanded');
  });

  it('is counted by limits before its create, and held where there is no room', () => {
    const now = nowAt(STARTS_AT, {}, { areLimited: true });
    const row = after([quoted]);
    expect(next(row, now)).toEqual({ do: 'count', debit: '101' });
    expect(next(apply(row, { on: 'count', debit: '101' }, now), now).do).toBe('create');
    const held = apply(row, { on: 'hold', code: 'over_payee_limit', reason: WORDS }, now);
    expect(next(held, now).do).toBe('held');
    const released = apply(held, { on: 'release' }, now);
    expect(released.comparison.lifted).toEqual([
      { code: 'over_payee_limit', debit: '101', receiveAmount: '90' },
    ]);
    expect(next(released, now).do).toBe('count');
  });

  it('stops at a price that a person has to accept, and at one that is too old is quoted anew', () => {
    const stop = { code: 'over_fee_limit', reason: WORDS } as const;
    const now = nowAt(STARTS_AT, {}, { priceStop: () => stop });
    const step = next(after([quoted]), now);
    expect(step).toEqual({ do: 'stop-at-price', stop });
    expect(after([quoted, { on: 'stop-at-price', stop }]).hold?.code).toBe('over_fee_limit');
    expect(next(after([quoted]), LATE).do).toBe('requote');
    expect(after([quoted, { on: 'requote' }]).quotation).toBe(2);
  });

  it('of a file that is paid whole or not at all waits before its intent', () => {
    expect(next(ROW_CREATED, nowAt(STARTS_AT, {}, { mayConfirm: false })).do).toBe('reserved');
  });

  it.each(['quote', 'create', 'attach', 'confirm'] as const)(
    'waits where %s was certainly not executed, and loses nothing',
    (call) => {
      const waiting = apply(ROW_INTENDED, { on: 'unavailable', call, waitMs: 7_000 }, NOW);
      expect(next(waiting, NOW)).toEqual({ do: 'wait', until: STARTS_AT + 7_000 });
      // Of a confirm that was turned away a copy may have been taken.
      const mustLook = call === 'confirm';
      expect({ ...waiting, due: 0, tries: 0 }).toEqual({ ...ROW_INTENDED, mustLook });
    },
  );
});

describe('the proof that an attempt is dead', () => {
  const dies = (row: RowState, afterMs: number): boolean =>
    apply(row, shown(CREATED, EXPIRES_AT + afterMs), LATE).isDead;

  it('takes 61 seconds where this lease made it and no confirm was intended', () => {
    expect(dies(ROW_CREATED, 61_001)).toBe(false);
    expect(dies(ROW_CREATED, 61_002)).toBe(true);
  });

  it.each([
    ['a confirm was intended', ROW_INTENDED],
    ['another lease made it', { ...ROW_CREATED, vouchedBy: 'L0' }],
    ['it was found', after([quoted, shown(CREATED)])],
    [
      'the service has said that it exists (10011)',
      after([quoted, refusedWith('create', 10011), shown(CREATED)]),
    ],
  ])('takes 16 minutes and a second where %s', (_, row) => {
    expect(dies(row, 16 * MINUTE_MS + 1_001)).toBe(false);
    expect(dies(row, 16 * MINUTE_MS + 1_002)).toBe(true);
  });

  it('is not had from a read without a time, from 10016, or from silence', () => {
    expect(apply(ROW_INTENDED, shown(CREATED, null), LATE).isDead).toBe(false);
    expect(apply(ROW_INTENDED, refusedWith('confirm', 10016), LATE).isDead).toBe(false);
    expect(
      apply(ROW_INTENDED, { on: 'nothing', attempt: 1, at: EXPIRES_AT + 60 * MINUTE_MS }, LATE).isDead,
    ).toBe(false);
  });

  it('of an end is not had within 16 minutes after the ledger was lost: the next attempt may be hidden', () => {
    const row = { ...ROW_INTENDED, vouchedBy: 'L0' };
    const since = EXPIRES_AT + 10 * MINUTE_MS;
    const doubting = { ...LATE, doubtSince: since };
    const failed = apply(row, shown(FAILED, since), doubting);
    const seen = (at: number) => apply(failed, { on: 'nothing', attempt: 2, at }, doubting).end;
    expect([seen(since + 16 * MINUTE_MS), seen(since + 17 * MINUTE_MS)]).toEqual([null, 'failed']);
  });

  it('never comes nearer by a look that shows an earlier expiry', () => {
    const sooner = { ...CREATED, expiredAt: iso(STARTS_AT) };
    expect(apply(ROW_CREATED, shown(sooner, EXPIRES_AT), LATE).isDead).toBe(false);
  });

  it('is for a person where the expiry cannot be read', () => {
    const odd = { ...CREATED, expiredAt: 'soon' };
    const row = after([refusedWith('confirm', 10016), shown(odd, EXPIRES_AT)], ROW_INTENDED, LATE);
    expect(row.hold?.code).toBe('confirm_uncertain');
  });

  it('leads to the next attempt under a new id, which is vouched for only where this one was', () => {
    const dead = apply(ROW_CREATED, shown(CREATED, EXPIRES_AT + 2 * MINUTE_MS), LATE);
    expect(next(dead, LATE).do).toBe('raise');
    expect(apply(dead, { on: 'raise' }, LATE)).toMatchObject({
      vouchedBy: 'L1',
      transfer: null,
      deadAttempts: [{ attempt: 1 }],
    });
    const found = after(
      [quoted, shown(CREATED), shown(CREATED, EXPIRES_AT + 60 * MINUTE_MS)],
      freshRow('L1'),
      LATE,
    );
    expect(apply(found, { on: 'raise' }, LATE)).toMatchObject({ vouchedBy: null });
  });

  it('is the only way to a raise', () => {
    for (const row of [ROW_CREATED, ROW_INTENDED, ROW_CONFIRMED, ROW_PAID])
      expect(attemptOf(apply(row, { on: 'raise' }, LATE))).toBe(1);
  });

  it('is not had of an attempt that was never seen: it is created again under the same id', () => {
    const row = after([
      quoted,
      { on: 'unanswered', call: 'create', waitMs: 0 },
      { on: 'nothing', attempt: 1, at: EXPIRES_AT + 60 * MINUTE_MS },
    ]);
    expect(next(row, NOW)).toEqual({ do: 'create', attempt: 1 });
  });
});

describe('a confirm', () => {
  it('without an answer is repeated on the same transfer, once a look shows that it may still be taken', () => {
    const row = apply(ROW_INTENDED, { on: 'unanswered', call: 'confirm', waitMs: 0 }, NOW);
    const later = nowAt(STARTS_AT + MINUTE_MS);
    expect(next(row, later).do).toBe('look');
    const looked = apply(row, shown(CREATED, STARTS_AT + MINUTE_MS), later);
    expect(next(looked, later)).toEqual({ do: 'confirm', transferId: 't-1' });
    expect(next(looked, LATE).do).toBe('look');
  });

  it('that was taken already (10015) is looked at before anything is said', () => {
    const row = apply(ROW_INTENDED, refusedWith('confirm', 10015), NOW);
    expect(stageOf(row)).toBe('confirmed');
    expect(stageOf(apply(row, shown(FAILED), NOW))).toBe('failed');
  });

  it('that the network refused (10027) is never sent again, and is for a person where the service never says how it ended', () => {
    let row = apply(ROW_INTENDED, refusedWith('confirm', 10027), NOW);
    for (let look = 0; row.hold === null; look++) {
      expect(look).toBeLessThan(10);
      const later = nowAt(STARTS_AT + (look + 2) * MINUTE_MS);
      expect(next(row, later).do).toBe('look');
      row = apply(row, shown(CREATED, later.local), later);
    }
    expect(row.hold.code).toBe('network_undecided');
  });

  it('that was answered, and of which the service shows nothing for a minute, is sent once more', () => {
    const soon = nowAt(STARTS_AT + 2 * MINUTE_MS);
    const row = apply(ROW_CONFIRMED, shown(CREATED, soon.local), soon);
    expect(next(row, soon).do).toBe('confirm');
    const never = apply(ROW_CONFIRMED, shown(CREATED, EXPIRES_AT + 17 * MINUTE_MS), LATE);
    expect(never.hold?.code).toBe('status_went_back');
  });
});

describe('an end', () => {
  const cancel: RowEvent = { on: 'cancel', why: WHY };

  it('is told at once of a row of which nothing was meant to be sent', () => {
    expect(apply(freshRow('L1'), cancel, NOW).end).toBe('cancelled');
    expect(apply(ROW_CREATED, cancel, NOW).end).toBe('cancelled');
    expect(apply(freshRow('L1'), refusedWith('quote', 10001), NOW).end).toBe('rejected');
  });

  it.each([
    ['a confirm was intended', ROW_INTENDED],
    ['its create had no answer', after([quoted, { on: 'unanswered', call: 'create', waitMs: 0 }])],
    ['another lease had it', freshRow('L0')],
  ])('waits for a look where %s', (_, row) => {
    const closing = apply(row, cancel, NOW);
    expect(closing.end).toBeNull();
    expect(['find', 'look', 'wait']).toContain(next(closing, NOW).do);
    expect(next(closing, LATE).do).toMatch(/find|look/);
  });

  it('of an attempt that nobody vouches for waits for a look at the next id', () => {
    const row = { ...ROW_INTENDED, vouchedBy: 'L0' };
    const failed = apply(row, shown(FAILED, EXPIRES_AT + 1), LATE);
    expect(failed.end).toBeNull();
    expect(next(failed, LATE)).toEqual({ do: 'find', attempt: 2 });
    const none = (at: number | null): RowEvent => ({ on: 'nothing', attempt: 2, at });
    expect(apply(failed, none(null), LATE).end).toBeNull();
    const once = apply(failed, none(EXPIRES_AT), LATE);
    expect(once.end).toBeNull();
    expect(apply(once, none(EXPIRES_AT + FENCE.other), LATE).end).toBeNull();
    expect(apply(once, none(EXPIRES_AT + FENCE.other + 1), LATE).end).toBe('failed');
    const found = apply(failed, shown(transferOf('paid', '20000', 2), STARTS_AT, { attempt: 2 }), LATE);
    expect([found.end, attemptOf(found)]).toEqual(['paid', 2]);
  });

  it('needs no such look where the failure was read before its expiry', () => {
    expect(apply({ ...ROW_INTENDED, vouchedBy: 'L0' }, shown(FAILED, EXPIRES_AT), NOW).end).toBe('failed');
  });

  it('by a refusal waits for a look with a time, and for 16 minutes after it, where nobody vouches for the row', () => {
    const refused = apply(freshRow('L0'), refusedWith('quote', 10001), NOW);
    const seen = (row: RowState, at: number | null) => apply(row, { on: 'nothing', attempt: 1, at }, NOW);
    const looked = seen(seen(refused, null), STARTS_AT);
    expect([looked.end, seen(looked, STARTS_AT + 16 * MINUTE_MS).end]).toEqual([null, null]);
    expect(seen(looked, STARTS_AT + 17 * MINUTE_MS).end).toBe('rejected');
  });

  it('is taken back where an earlier try had landed', () => {
    const refused = after([
      quoted,
      { on: 'unanswered', call: 'create', waitMs: 0 },
      refusedWith('create', 10001),
    ]);
    expect(refused.end).toBeNull();
    expect(stageOf(apply(refused, shown(CREATED), NOW))).toBe('created');
  });

  it('of a person is not had of what is on its way', () => {
    expect(apply(ROW_CONFIRMED, cancel, NOW)).toEqual(ROW_CONFIRMED);
    const closing = apply(ROW_INTENDED, cancel, NOW);
    expect(stageOf(apply(closing, shown(SUBMITTED), NOW))).toBe('confirmed');
  });

  it('is taken back by the same person', () => {
    const row = after([cancel, { on: 'release' }], ROW_INTENDED);
    expect(next(row, NOW).do).toBe('confirm');
  });

  it('`paid` is left by a reversal alone', () => {
    const reversed = transferOf('failed', '100001');
    expect(apply(ROW_PAID, shown(reversed), NOW).end).toBe('failed');
    expect(apply(ROW_PAID, shown(FAILED), NOW).hold?.code).toBe('status_went_back');
    expect(apply(ROW_PAID, shown(SUBMITTED), NOW)).toEqual(ROW_PAID);
  });
});

describe('a transfer that is not what the row asks for', () => {
  it('is never confirmed, and never taken for its own', () => {
    const row = after([quoted, shown(CREATED, STARTS_AT, { by: 'create', differs: true })]);
    expect(row.hold).toMatchObject({ code: 'echo_mismatch', foreign: CREATED });
    expect([row.transfer, next(row, NOW).do]).toEqual([null, 'held']);
    expect(after([quoted, shown(CREATED, STARTS_AT, { differs: true })]).hold?.code).toBe('id_collision');
  });

  it('keeps a cancelled row from its end until it can pay no more', () => {
    const row = after([
      quoted,
      shown(CREATED, STARTS_AT, { by: 'create', differs: true }),
      { on: 'cancel', why: WHY },
    ]);
    expect(row.end).toBeNull();
    const seen = (transfer: KnownTransfer, at: number) =>
      apply(row, shown(transfer, at, { differs: true }), LATE);
    expect(seen(SUBMITTED, STARTS_AT).hold?.code).toBe('id_collision');
    expect(seen(CREATED, EXPIRES_AT).end).toBeNull();
    expect(seen(CREATED, EXPIRES_AT + 17 * MINUTE_MS).end).toBe('cancelled');
  });

  it('by the list decides nothing: the row is looked at', () => {
    const row = apply(ROW_CONFIRMED, shown(CREATED, STARTS_AT, { by: 'list' }), NOW);
    expect(next(row, NOW).do).toBe('look');
    expect(apply(ROW_CONFIRMED, shown(PAID, STARTS_AT, { by: 'list' }), NOW).end).toBe('paid');
  });
});

describe('a held row', () => {
  it('is known as silent from the first read beyond every fence on, also where an earlier look came too soon', () => {
    const held = apply(ROW_CREATED, { on: 'hold', code: 'confirm_uncertain', reason: null }, NOW);
    const from = EXPIRES_AT + FENCE.other;
    const early = { ...held, silentAt: EXPIRES_AT };
    expect(apply(early, shown(CREATED, from), LATE).silentAt).toBe(EXPIRES_AT);
    const silent = apply(early, shown(CREATED, from + 1), LATE);
    expect(silent.silentAt).toBe(from + 1);
    expect(apply(silent, shown(CREATED, from + 2), LATE).silentAt).toBe(from + 1);
  });
});

describe('an attempt that was given up and then reinstated', () => {
  const dead = apply(ROW_CREATED, shown(CREATED, EXPIRES_AT + 2 * MINUTE_MS), LATE);
  const raised = after(
    [{ on: 'raise' }, { ...quoted, price: { ...PRICE, expiredAt: iso(LATE.local + 10 * MINUTE_MS) } }],
    dead,
    LATE,
  );

  it('is looked for before the next create', () => {
    expect(next(raised, LATE)).toEqual({ do: 'look', attempt: 1, transferId: 't-1' });
    expect(next(apply(raised, shown(CREATED), LATE), LATE)).toEqual({ do: 'create', attempt: 2 });
  });

  it('holds the row, and is no reason to tell it as cancelled', () => {
    const held = apply(raised, shown(SUBMITTED), LATE);
    expect(held.hold?.code).toBe('transfer_reinstated');
    const closing = apply(held, { on: 'cancel', why: WHY }, LATE);
    expect(closing.end).toBeNull();
    const own = apply(closing, { on: 'nothing', attempt: 2, at: LATE.local }, LATE);
    expect(apply(own, shown(SUBMITTED), LATE).hold?.code).toBe('transfer_reinstated');
    const paid = apply(own, shown(PAID), LATE);
    expect([paid.end, paid.hold?.code]).toEqual([null, 'transfer_reinstated']);
  });
});

describe('every event in every state', () => {
  const STATUSES = [
    CREATED,
    SUBMITTED,
    PAID,
    FAILED,
    transferOf('failed', '100001'),
    transferOf('halted', '5'),
    transferOf('paid', '10000'),
  ];
  const CALLS: readonly CallName[] = [
    'quote',
    'read-quotation',
    'create',
    'find',
    'look',
    'attach',
    'confirm',
  ];
  const CODES = Object.keys(ERROR_CODES).map(Number) as ErrorCode[];
  const moment = fc.integer({ min: STARTS_AT, max: EXPIRES_AT + 40 * MINUTE_MS });
  const call = fc.constantFrom(...CALLS);
  const anyEvent: fc.Arbitrary<RowEvent> = fc.oneof(
    fc
      .record({ differs: fc.boolean(), isAdopted: fc.boolean(), outside: fc.constantFrom(null, WORDS) })
      .map((more) => ({ on: 'quoted' as const, price: PRICE, ...more })),
    fc
      .record({
        by: fc.constantFrom('create' as const, 'look' as const, 'list' as const),
        attempt: fc.integer({ min: 1, max: 3 }),
        transfer: fc.constantFrom(...STATUSES),
        differs: fc.boolean(),
        at: fc.option(moment),
      })
      .map((more) => ({ on: 'transfer' as const, ...more })),
    fc
      .record({ attempt: fc.integer({ min: 1, max: 3 }), at: fc.option(moment) })
      .map((more) => ({ on: 'nothing' as const, ...more })),
    fc.constantFrom<RowEvent>(
      { on: 'attached' },
      { on: 'confirmed' },
      { on: 'intend' },
      { on: 'raise' },
      { on: 'requote' },
      { on: 'release' },
      { on: 'ask' },
      { on: 'cancel', why: WHY },
      { on: 'duplicate', why: WHY },
      { on: 'count', debit: '101' },
    ),
    fc
      .constantFrom('changed' as const, 'too-large' as const)
      .map((fault) => ({ on: 'document' as const, fault })),
    fc.constantFrom(...HOLD_CODES).map((code) => ({ on: 'hold' as const, code, reason: null })),
    fc
      .record({ call, errorCode: fc.constantFrom(...CODES), at: fc.option(moment) })
      .map((more) => ({ on: 'refused' as const, words: '', ...more })),
    fc.record({
      on: fc.constantFrom('unanswered' as const, 'unavailable' as const),
      call,
      waitMs: fc.nat(60_000),
    }),
  );

  it('gives a record, a stage and a step, and moves along the arrows of the lifecycle', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyEvent, moment), { maxLength: 30 }),
        fc.boolean(),
        (events, isLimited) => {
          let row = freshRow('L1');
          for (const [event, ms] of events) {
            const now = nowAt(ms, {}, { areLimited: isLimited, needsDocument: isLimited });
            const before = stageOf(row);
            const attempt = attemptOf(row);
            row = apply(row, event, now);
            const to = stageOf(row);
            expect(STAGES).toContain(to);
            expect(next(row, now).do).toBeTypeOf('string');
            // A hold takes an end back, the next attempt begins anew, and a person's word ends a row wherever it stands.
            const isSame = attemptOf(row) === attempt && !(FINAL.has(before) && row.hold !== null);
            const isByDecision = row.end === 'cancelled' || row.end === 'duplicate';
            if (isSame && !isByDecision && !mayMove(before, to))
              expect.fail(`${before} to ${to} by ${JSON.stringify(event)}`);
          }
        },
      ),
      { seed: 41, numRuns: 3_000 },
    );
  });

  it('looks again at a payment that has ended, where somebody asks', () => {
    const asked = apply(ROW_PAID, { on: 'ask' }, NOW);
    expect(next(asked, NOW).do).toBe('look');
    expect(next(apply(asked, shown(PAID), NOW), NOW).do).toBe('ended');
  });

  it('lifts only the holds that a person may lift', () => {
    for (const code of HOLD_CODES) {
      const held = apply({ ...ROW_CREATED }, { on: 'hold', code, reason: null }, NOW);
      const isLifted = apply(held, { on: 'release' }, NOW).hold === null;
      expect([code, isLifted]).toEqual([code, HOLDS[code].lifts !== 'never']);
    }
  });
});
