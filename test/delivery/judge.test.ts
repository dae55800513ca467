// The table of faults: what each code means on each operation, and why. Where nothing is said of a code, a person looks.
import { describe, expect, it } from 'vitest';

import { judge } from '../../src/delivery/judge.ts';
import { applyVerdict, type Verdict } from '../../src/payouts/verdict.ts';
import { CONFIRM_SENT, type Progress } from '../../src/payouts/progress.ts';
import {
  OPERATIONS,
  Refused,
  Unanswered,
  Unavailable,
  type FaultContext,
  type Operation,
  type UnansweredReason,
  type UnavailableReason,
} from '../../src/service/errors.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/service/wire.ts';
import type { Stage } from '../../src/payouts/lifecycle.ts';
import { progress, RUN } from './due-row.ts';

const NOW = Date.parse('2026-11-20T08:31:00.000Z');
const JUDGING = { run: RUN, doubtSince: null, now: NOW };
const SERVER_TIME = Date.parse('2026-11-20T08:50:00.000Z');

const contextOf = (operation: Operation, changes: Partial<FaultContext> = {}): FaultContext => ({
  operation,
  httpStatus: 500,
  serverTime: SERVER_TIME,
  retryAfterMs: null,
  ...changes,
});

const FENCE_MS = 15 * 60_000;

/** Where a payout stands when it makes this call. */
const STAGE_OF: Readonly<Record<Operation, Stage>> = {
  payoutCorridors: 'ready',
  createQuotation: 'ready',
  quotation: 'quoted',
  quotationByExternalId: 'ready',
  createTransfer: 'quoted',
  transfer: 'confirmed',
  transferByExternalId: 'quoted',
  transfers: 'confirmed',
  uploadAttachment: 'created',
  confirmTransfer: 'confirming',
  balances: 'ready',
};

const refused = (operation: Operation, code: ErrorCode, changes: Partial<Progress> = {}) =>
  judge(
    new Refused(code, '', contextOf(operation)),
    progress({ stage: STAGE_OF[operation], ...changes }),
    JUDGING,
  );

/** A verdict in a few words. */
function inWords(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'advanced':
      return `advanced to ${verdict.stage}`;
    case 'refused':
      return verdict.stage;
    case 'held':
      return `held: ${verdict.code}`;
    case 'breaker':
      return `stopped by ${verdict.breaker}${verdict.final ? ' for good' : ''}`;
    case 'stopped':
      return `stopped by ${verdict.stop.by}`;
    case 'later':
      return verdict.learned.lookedBy === null ? 'later, looking first' : 'later';
    case 'waiting':
    case 'interrupted':
      return verdict.kind;
  }
}

type Case = readonly [Operation, ErrorCode, string, string];

const CASES: readonly Case[] = [
  ['quotation', 10007, 'later, looking first', 'the read of a quotation may lag'],
  ['createQuotation', 10001, 'rejected', 'the request is wrong and nothing was reserved'],
  ['createQuotation', 10002, 'later', 'it exists and cannot be read yet'],
  ['createQuotation', 10003, 'later', 'a corridor may be switched on again'],
  ['createQuotation', 10024, 'stopped by funds', 'money is missing, not the row wrong'],
  ['quotationByExternalId', 10008, 'later', 'a read may lag'],
  ['createTransfer', 10001, 'later, looking first', 'an earlier try may have landed'],
  ['createTransfer', 10003, 'later, looking first', 'a corridor may be switched on again'],
  ['createTransfer', 10007, 'advanced to ready', 'the quotation is gone, a new one is harmless'],
  ['createTransfer', 10009, 'advanced to ready', 'the quotation ran out, a new one is harmless'],
  ['createTransfer', 10011, 'later, looking first', 'the transfer exists: look, compare, adopt'],
  ['createTransfer', 10018, 'later, looking first', 'an earlier try may have landed'],
  ['createTransfer', 10019, 'later, looking first', 'an earlier try may have landed'],
  ['createTransfer', 10024, 'stopped by funds', 'money is missing, not the row wrong'],
  ['transferByExternalId', 10013, 'advanced to quoted', 'not visible yet: the same id is sent again'],
  ['transfer', 10014, 'later, looking first', 'a known transfer that is gone proves nothing'],
  ['uploadAttachment', 10001, 'held: document_refused', 'the document will not get better'],
  ['uploadAttachment', 10014, 'later, looking first', 'a known transfer that is gone proves nothing'],
  ['uploadAttachment', 10015, 'later, looking first', 'the transfer itself tells how far it is'],
  ['uploadAttachment', 10016, 'later, looking first', 'the transfer itself tells how far it is'],
  ['confirmTransfer', 10014, 'later, looking first', 'a known transfer that is gone proves nothing'],
  ['confirmTransfer', 10015, 'advanced to confirmed', 'a confirm of ours arrived'],
  ['confirmTransfer', 10016, 'later, looking first', 'an earlier confirm may have been in time'],
  ['confirmTransfer', 10022, 'advanced to created', 'the document is attached again'],
  ['confirmTransfer', 10024, 'stopped by funds', 'money is missing, not the row wrong'],
  ['confirmTransfer', 10027, 'advanced to confirmed', 'never confirmed again, only followed'],
];

describe('the first refusal with', () => {
  it.each(CASES)('%s %i is "%s", because %s', (operation, code, words) => {
    expect(inWords(refused(operation, code))).toBe(words);
  });

  const known = new Set(CASES.map(([operation, code]) => `${operation} ${String(code)}`));
  const others = (Object.keys(OPERATIONS) as Operation[]).flatMap((operation) =>
    (Object.keys(ERROR_CODES).map(Number) as ErrorCode[])
      // 10006 never comes as a refusal: the client reads it as the key.
      .filter((code) => code !== 10006 && !known.has(`${operation} ${String(code)}`))
      .map((code) => [operation, code] as const),
  );
  it('any other code is held for a person, and says its number', () => {
    for (const [operation, code] of others) {
      const verdict = refused(operation, code);
      expect([operation, code, inWords(verdict)]).toEqual([operation, code, 'held: unexpected_refusal']);
      expect(verdict).toMatchObject({ errorCode: String(code) });
    }
  });

  it.each(CASES)('%s %i moves along an arrow of the lifecycle', (operation, code) => {
    const before = progress({ stage: STAGE_OF[operation] });
    expect(() => applyVerdict(before, refused(operation, code), 0)).not.toThrow();
  });
});

describe('patience', () => {
  it.each<readonly [Operation, ErrorCode, number, string]>([
    ['createQuotation', 10002, 2, 'later'],
    ['createQuotation', 10002, 3, 'advanced to ready'],
    ['createQuotation', 10003, 2, 'later'],
    ['createQuotation', 10003, 3, 'rejected'],
    ['quotationByExternalId', 10008, 3, 'advanced to ready'],
    ['transferByExternalId', 10013, 9, 'advanced to quoted'],
    ['transferByExternalId', 10013, 10, 'held: id_collision'],
  ])('%s %i after %i doubts is "%s"', (operation, code, doubts, words) => {
    expect(inWords(refused(operation, code, { doubts }))).toBe(words);
  });

  it('a corridor that stays off makes the create refused, but only after a look', () => {
    const verdict = refused('createTransfer', 10003, { doubts: 3 });
    expect(inWords(verdict)).toBe('later, looking first');
    expect(verdict).toMatchObject({ learned: { why: { errorCode: '10003' } } });
  });

  it.each([
    ['none', 'advanced to created'],
    ['attached', 'advanced to created'],
    ['demanded', 'held: document_demanded'],
    ['attached-again', 'held: document_demanded'],
  ] as const)('a document that was %s and is demanded is "%s"', (document, words) => {
    expect(inWords(refused('confirmTransfer', 10022, { document }))).toBe(words);
  });
});

describe('a no to the create', () => {
  it.each([10001, 10018, 10019] as const)('%i is believed once a look finds no transfer', (code) => {
    const quoted = progress({ stage: 'quoted', transfer: null });
    const after = applyVerdict(quoted, refused('createTransfer', code), 0);
    expect(after).toMatchObject({ stage: 'quoted', lookedBy: null });
    const verdict = judge(new Refused(10013, '', contextOf('transferByExternalId')), after, JUDGING);
    expect(applyVerdict(after, verdict, 0)).toMatchObject({
      stage: 'rejected',
      why: { errorCode: String(code) },
    });
  });

  it('to another run’s is believed a quarter of an hour after the first look, however old the doubt about its batch is', () => {
    const doubtSince = SERVER_TIME - 2 * FENCE_MS;
    const others = progress({ stage: 'quoted', transfer: null, begunBy: 'another run' });
    let kept = applyVerdict(others, refused('createTransfer', 10019), 0);
    for (const [lookMs, stage] of [
      [0, 'quoted'],
      [FENCE_MS, 'quoted'],
      [FENCE_MS + 1_001, 'quoted'],
      [FENCE_MS + 62_000, 'rejected'],
    ] as const) {
      const context = contextOf('transferByExternalId', { serverTime: SERVER_TIME + lookMs });
      kept = applyVerdict(kept, judge(new Refused(10013, '', context), kept, { ...JUDGING, doubtSince }), 0);
      expect([lookMs, kept.stage]).toEqual([lookMs, stage]);
    }
  });

  it('asks for a new price under the same transfer id', () => {
    for (const code of [10007, 10009] as const) {
      const after = applyVerdict(progress({ stage: 'quoted' }), refused('createTransfer', code), 0);
      expect(after).toMatchObject({ stage: 'ready', deadAttempts: [], quotationAttempt: 2, price: null });
    }
  });
});

describe('no verdict on a fault', () => {
  it('ever begins a new attempt', () => {
    for (const [operation, code] of CASES)
      for (const doubts of [0, 1, 3, 10, 50])
        for (const confirm of CONFIRM_SENT) {
          const before = progress({ stage: STAGE_OF[operation], doubts, confirm });
          const after = applyVerdict(before, refused(operation, code, { doubts, confirm }), 0);
          expect(after.deadAttempts).toEqual([]);
          // What was known to be possible stays so.
          if (confirm !== 'none') expect(after.confirm).not.toBe('none');
          if (confirm === 'refused-late') expect(after.confirm).toBe('refused-late');
        }
  });
});

describe('a confirm refused', () => {
  it('as too late (10016) remembers when, by the service', () => {
    expect(refused('confirmTransfer', 10016)).toMatchObject({ learned: { confirm: 'refused-late' } });
  });

  it('by the network (10027) keeps the code for the end', () => {
    expect(refused('confirmTransfer', 10027)).toMatchObject({ learned: { why: { errorCode: '10027' } } });
  });
});

describe('a service that cannot be reached', () => {
  it.each<readonly [UnavailableReason, string]>([
    ['unreachable', 'stopped by service'],
    ['throttled', 'stopped by service'],
    ['overloaded', 'stopped by service'],
    ['credentials', 'stopped by credentials for good'],
    ['redirected', 'stopped by service for good'],
  ])('%s: %s, and the row stays where it is', (reason, words) => {
    for (const operation of Object.keys(OPERATIONS) as Operation[]) {
      const context = contextOf(operation, { retryAfterMs: 7_000 });
      const verdict = judge(new Unavailable(reason, context), progress(), JUDGING);
      expect(inWords(verdict)).toBe(words);
      expect(verdict).toMatchObject({ retryAfterMs: 7_000, learned: {} });
    }
  });
});

describe('no answer', () => {
  const REASONS: readonly UnansweredReason[] = [
    'timeout',
    'connection',
    'malformed',
    'server-error',
    'throttled',
    'unknown-code',
  ];
  it.each(REASONS)('(%s) to what has an effect makes us look first, to a read it does not', (reason) => {
    for (const operation of Object.keys(OPERATIONS) as Operation[]) {
      const verdict = judge(new Unanswered(reason, contextOf(operation)), progress(), JUDGING);
      const isMutation = OPERATIONS[operation] === 'mutation';
      expect(inWords(verdict)).toBe(isMutation ? 'later, looking first' : 'later');
    }
  });

  it('to an upload that is too large for the way is held', () => {
    const context = contextOf('uploadAttachment', { httpStatus: 413 });
    expect(inWords(judge(new Unanswered('malformed', context), progress(), JUDGING))).toBe(
      'held: document_refused',
    );
  });
});
