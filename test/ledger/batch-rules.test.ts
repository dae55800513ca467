// What becomes of an equal row of another file, for every state of a batch and whatever it waits for.
import { expect, it } from 'vitest';

import { checkedTo, commitmentOf } from '../../src/ledger/batch-rules.ts';
import { BATCH_STATES, type BatchState, PAYING } from '../../src/ledger/batch-states.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { waitFor } from '../../src/ledger/wait.ts';
import { BATCH } from './records.ts';

const CHECKED = { at: null, to: null, sameContent: null, pricesDecide: false } as const;
const PRICED: Partial<BatchRecord> = { checked: { ...CHECKED, pricesDecide: true } };
const UNPRICED: Partial<BatchRecord> = { onInvalidRows: 'refuse-file', checked: CHECKED };
const STANDING: Partial<BatchRecord> = {
  payAt: {
    at: '2026-11-28T08:00:00.000Z',
    timeZone: 'Africa/Douala',
    missed: 'pay',
    standing: { series: 'rent.csv', next: '2026-12-28T08:00:00.000Z' },
  },
};
const SCHEDULED: Partial<BatchRecord> = {
  payAt: { at: '2026-11-28T08:00:00.000Z', timeZone: 'Africa/Douala', missed: 'pay' },
};
const LIMITED: Partial<BatchRecord> = {
  wait: waitFor('limits', { en: 'too much', fr: 'trop', es: 'demasiado' }),
};
const REFUSED: Partial<BatchRecord> = {
  wait: waitFor('refusals', { en: 'too often', fr: 'trop souvent', es: 'demasiadas veces' }),
};
const WAIVED = { about: 'time', by: 'Ama', reason: 'today', at: '2026-11-28T07:00:00.000Z' } as const;

const BEFORE: readonly BatchState[] = ['checking', 'pricing'];

it.each<[string, Partial<BatchRecord>, readonly BatchState[]]>([
  ['whose rows are all to be paid', UNPRICED, []],
  ['that a price may refuse', { onInvalidRows: 'refuse-file', ...PRICED }, BEFORE],
  ['whose wrong rows are skipped', { onInvalidRows: 'skip-rows', ...PRICED }, []],
  ['that is not read to its end', { onInvalidRows: 'refuse-file', checked: undefined }, BEFORE],
  ['that is paid whole', { ...UNPRICED, whole: 'reserving' }, [...BEFORE, 'accepted', 'reserving']],
  ['that is decided to be paid whole', { ...UNPRICED, whole: 'confirming' }, BEFORE],
  ['that stands for its time', { ...UNPRICED, ...STANDING }, [...BEFORE, 'accepted']],
  ['that a day is set for', { ...UNPRICED, ...SCHEDULED }, [...BEFORE, 'accepted']],
  ['whose time was waived', { ...UNPRICED, ...STANDING, decisions: [WAIVED] }, []],
  ['that exceeds a limit', { ...UNPRICED, ...LIMITED }, [...BEFORE, 'accepted', 'reserving', 'sending']],
  ['that is refused too often', { ...UNPRICED, ...REFUSED }, [...BEFORE, 'accepted', 'reserving', 'sending']],
])('a batch %s counts as tentative only while it may come to nothing', (_which, change, tentative) => {
  const open = BATCH_STATES.filter((state) => !['taking', 'refused', 'resolving'].includes(state));
  const found = open.filter((state) => commitmentOf({ ...BATCH, ...change, state }) === 'tentative');
  expect(found).toEqual(open.filter((state) => tentative.includes(state)));
});

it('a message of several days is tentative until the last has come', () => {
  const days = [
    { day: '2026-11-28', at: '2026-11-28T08:00:00Z' },
    { day: '2026-12-01', at: '2026-12-01T08:00:00Z' },
  ];
  const payAt = { at: '2026-12-01T08:00:00Z', timeZone: 'Africa/Douala', missed: 'pay', days } as const;
  const paying = [...PAYING];
  const tentativeWith = (openTo: string) =>
    paying.filter((state) => commitmentOf({ ...BATCH, payAt: { ...payAt, openTo }, state }) === 'tentative');
  expect(tentativeWith('2026-11-28')).toEqual(paying);
  expect(tentativeWith('2026-12-01')).toEqual([]);
});

it('what nobody has approved yet is tentative as far as it is sent', () => {
  const approval = { kind: 'open' } as const;
  for (const state of ['pricing', 'accepted', 'sending'] as const)
    expect(commitmentOf({ ...BATCH, ...UNPRICED, state, approval })).toBe('tentative');
});

it('a refused batch counts for nothing, and a lost one as far as it is seen', () => {
  expect(commitmentOf({ ...BATCH, state: 'refused' })).toBe('none');
  expect(commitmentOf({ ...BATCH, state: 'resolving' })).toBe('firm');
  expect(commitmentOf({ ...BATCH, state: 'resolving', doubt: { since: 0 } })).toBe('unseen');
});

it('rows count from the moment at which they are held against others', () => {
  expect(checkedTo({ state: 'checking' })).toBe(0);
  expect(checkedTo({ state: 'checking', checked: { ...CHECKED, to: 250 } })).toBe(250);
  expect(checkedTo({ state: 'resolving', checked: CHECKED })).toBe(0);
  expect(checkedTo({ state: 'pricing', checked: CHECKED })).toBeGreaterThan(1_000_000);
});
