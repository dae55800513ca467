// The same search with larger bounds, and the planted bugs that show late or do no harm: a minute of processor. `npm run trial -- explore` goes to the end.
import { describe, expect, it } from 'vitest';

import { explored, isAsExpected, SHORT_WORLDS } from './explored.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';

/** Of each configuration. */
const WORLDS = 40_000;

const HANGING_MS = 600_000;

describe('a row under every schedule of many steps', () => {
  it('is paid once at most, and never told unpaid while it may pay', { timeout: HANGING_MS }, async () => {
    const all = await explored(['--worlds', String(WORLDS)]);
    expect(all.filter((one) => !isAsExpected(one))).toEqual([]);
  });

  it('meets two rows of one payment of which one is a duplicate', { timeout: HANGING_MS }, async () => {
    const [two] = await explored(['--only', 'same payment', '--worlds', String(10 * WORLDS)]);
    expect(two).toMatchObject({ broken: null });
    expect(Object.keys(two?.standings ?? {})).toContain('paid duplicate');
  });

  const late = PLANTED_BUGS.filter(({ found, worlds }) => found === null || worlds > SHORT_WORLDS);
  it.each(late.map((bug) => [bug.name, bug] as const))(
    'with a planted bug: %s',
    { timeout: HANGING_MS },
    async (name, bug) => {
      const [one] = await explored(['--plant', name, '--worlds', String(bug.worlds)]);
      if (bug.found === null) expect(one?.broken).toBeNull();
      else expect(one?.broken).toMatch(bug.found);
    },
  );
});
