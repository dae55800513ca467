// Which calls are repeated at once: only reads, only faults that a moment cures, at most three tries.
import { describe, expect, it } from 'vitest';

import {
  OPERATIONS,
  Refused,
  Unanswered,
  Unavailable,
  type Fault,
  type Operation,
  type UnansweredReason,
  type UnavailableReason,
} from '../../src/service/errors.ts';
import { retryDecision } from '../../src/service/http-payout-service.ts';

const UNAVAILABLE: readonly UnavailableReason[] = [
  'unreachable',
  'throttled',
  'overloaded',
  'credentials',
  'redirected',
];
const UNANSWERED: readonly UnansweredReason[] = [
  'timeout',
  'connection',
  'malformed',
  'server-error',
  'throttled',
  'unknown-code',
];
const operations = Object.keys(OPERATIONS) as Operation[];
const MUTATIONS = operations.filter((operation) => OPERATIONS[operation] === 'mutation');
const READS = operations.filter((operation) => OPERATIONS[operation] === 'read');

const context = (operation: Operation, retryAfterMs: number | null = null) => ({
  operation,
  httpStatus: null,
  serverTime: null,
  retryAfterMs,
});
const faultsOf = (operation: Operation, retryAfterMs: number | null = null): readonly Fault[] => [
  ...UNAVAILABLE.map((reason) => new Unavailable(reason, context(operation, retryAfterMs))),
  ...UNANSWERED.map((reason) => new Unanswered(reason, context(operation, retryAfterMs))),
  new Refused(10001, '', context(operation, retryAfterMs)),
];
const isAgain = (fault: Fault, tries = 1) => retryDecision(fault, tries, 0.5).again;
const reasonsAgain = (operation: Operation, tries = 1) =>
  faultsOf(operation)
    .filter((fault) => isAgain(fault, tries))
    .map((fault) => (fault instanceof Refused ? 'refused' : `${fault.name} ${fault.reason}`));

describe('a mutation', () => {
  it.each(MUTATIONS)('%s is never repeated, whatever happened', (operation) => {
    expect(reasonsAgain(operation)).toEqual([]);
    expect(faultsOf(operation, 0).filter((fault) => isAgain(fault))).toEqual([]);
  });

  it('is one of the four that the interface has', () => {
    expect(MUTATIONS).toEqual(['createQuotation', 'createTransfer', 'uploadAttachment', 'confirmTransfer']);
  });
});

describe('a read', () => {
  it.each(READS)(
    '%s is repeated after everything but a no, a refused key, a redirect and a time-out',
    (operation) => {
      expect(reasonsAgain(operation)).toEqual([
        'Unavailable unreachable',
        'Unavailable throttled',
        'Unavailable overloaded',
        'Unanswered connection',
        'Unanswered malformed',
        'Unanswered server-error',
        'Unanswered throttled',
        'Unanswered unknown-code',
      ]);
    },
  );

  it.each([
    [1, true],
    [2, true],
    [3, false],
    [4, false],
  ])('is tried three times at most: after try %i again %j', (tries, again) => {
    expect(isAgain(new Unavailable('unreachable', context('transfer')), tries)).toBe(again);
  });

  it.each([
    ['transfer', 0, { again: true, afterMs: 75 }],
    ['transfer', 250, { again: true, afterMs: 250 }],
    ['transfer', 251, { again: false }],
    ['transfers', 2_000, { again: true, afterMs: 2_000 }],
    ['transfers', 2_001, { again: false }],
    ['payoutCorridors', 300_000, { again: false }],
  ] as const)('(%s) told to wait %i ms: %j', (operation, retryAfterMs, decision) => {
    expect(retryDecision(new Unavailable('throttled', context(operation, retryAfterMs)), 1, 0.5)).toEqual(
      decision,
    );
  });

  it('waits longer before the third try than before the second', () => {
    const fault = new Unavailable('unreachable', context('transfer'));
    expect(retryDecision(fault, 1, 0.5)).toEqual({ again: true, afterMs: 75 });
    expect(retryDecision(fault, 2, 0.5)).toEqual({ again: true, afterMs: 150 });
  });
});
