// How far a file is said to be: no step counts as done before it is, and none is shown that the file does not have.
import { expect, it } from 'vitest';

import { type FileStep, stepsOf } from '../../src/app/desk/file-steps.ts';
import type { BatchState } from '../../src/ledger/batch-states.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import type { Standing } from '../../src/results/standing.ts';

const GIVEN = { by: 'Marie Ngo' };
const ASKED = { kind: 'asked', isOutdated: false, given: null, declined: null };
const APPROVED = { ...ASKED, given: GIVEN };
const DECLINED = { ...ASKED, declined: GIVEN };
const NOT_ASKED = { kind: 'not-asked', upTo: null };

const SIGNS: Readonly<Record<FileStep['state'], string>> = {
  done: '✓',
  now: '●',
  waits: '▲',
  ended: '✕',
  open: '○',
};

it.each<[BatchState, object | undefined, Standing, string]>([
  ['taking', undefined, 'checking', 'checked● priced○ paid○'],
  ['pricing', undefined, 'asking-prices', 'checked✓ priced● paid○'],
  ['pricing', undefined, 'awaiting-service', 'checked✓ priced▲ paid○'],
  // Whether somebody has to be asked is known only now.
  ['accepted', undefined, 'asking-prices', 'checked✓ priced✓ approved● paid○'],
  ['accepted', ASKED, 'awaiting-approval', 'checked✓ priced✓ approved▲ paid○'],
  // The question has to be asked again.
  ['accepted', { ...APPROVED, isOutdated: true }, 'ready', 'checked✓ priced✓ approved● paid○'],
  ['accepted', NOT_ASKED, 'awaiting-funds', 'checked✓ priced✓ paid▲'],
  ['accepted', APPROVED, 'scheduled', 'checked✓ priced✓ approved✓ paid▲'],
  ['sending', APPROVED, 'paying', 'checked✓ priced✓ approved✓ paid●'],
  ['following', NOT_ASKED, 'in-transit', 'checked✓ priced✓ paid●'],
  ['following', NOT_ASKED, 'needs-decision', 'checked✓ priced✓ paid▲'],
  ['closed', APPROVED, 'done', 'checked✓ priced✓ approved✓ paid✓'],
  ['closed', NOT_ASKED, 'done-not-paid', 'checked✓ priced✓ paid✕'],
  ['closed', DECLINED, 'done-not-paid', 'checked✓ priced✓ approved✕ paid○'],
  ['refused', undefined, 'refused', 'checked✕ priced○ paid○'],
])('%s, %j, %s', (state, approval, standing, steps) => {
  const batch = { state, approval, wait: null, decisions: [] } as unknown as BatchRecord;
  const told = stepsOf(batch, standing).map(({ step, state: at }) => step + SIGNS[at]);
  expect(told.join(' ')).toBe(steps);
});
