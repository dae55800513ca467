// What is stored of a progress is all that is needed to know it whole again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readProgress, storeProgress } from '../../src/ledger/stored-rows.ts';
import { STAGES } from '../../src/payouts/lifecycle.ts';
import { FRESH, type Progress } from '../../src/payouts/progress.ts';

const RUN = 'run-1';
const anyRun = fc.constantFrom(RUN, 'run-2', null);

const anyProgress: fc.Arbitrary<Progress> = fc
  .record(
    {
      stage: fc.constantFrom(...STAGES),
      quotationAttempt: fc.nat(3),
      confirm: fc.constantFrom('none', 'sent', 'refused-late'),
      begunBy: anyRun,
      lookedBy: anyRun,
      mayArriveUntil: fc.option(fc.constant('2026-11-20T08:30:00.000Z')),
      deadAttempts: fc.constant([]),
      why: fc.option(
        fc.record({
          errorCode: fc.constant('10027'),
          reason: fc.record({ en: fc.string(), fr: fc.string(), es: fc.string() }),
        }),
      ),
    },
    { requiredKeys: [] },
  )
  .map((changes) => ({ ...FRESH, ...changes }));

describe('a stored progress', () => {
  it('is read as the run that wrote it may say it, whatever of it has changed', () => {
    fc.assert(
      fc.property(anyProgress, (progress) => {
        const own = (by: string | null) => (by === RUN ? RUN : null);
        const { begunBy, lookedBy } = progress;
        const known = { ...progress, begunBy: own(begunBy), lookedBy: own(lookedBy) };
        expect(readProgress(storeProgress(progress, RUN), RUN)).toEqual(known);
      }),
    );
  });

  it('of a row before its first step is its stage alone', () => {
    expect(storeProgress(FRESH, RUN)).toBe('{"stage":"ready"}');
  });

  it('keeps its meaning: what a missing field says is pinned', () => {
    expect(readProgress('{"stage":"ready"}', RUN)).toEqual({
      stage: 'ready',
      quotationAttempt: 1,
      price: null,
      transfer: null,
      confirm: 'none',
      mayArriveUntil: null,
      begunBy: null,
      lookedBy: null,
      silentAt: null,
      document: 'none',
      deadAttempts: [],
      hold: null,
      why: null,
      comparison: { lifted: [], shownPrice: null, otherWays: null },
      confirmedAt: null,
      finalAt: null,
      doubts: 0,
    });
  });
});
