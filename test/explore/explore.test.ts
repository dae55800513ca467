// The row machine under every schedule within bounds, as far as a few seconds of processor go: the shortest schedules come first, so what breaks in few
// steps is found here. `at-length.test.ts` goes further, and `npm run trial -- explore` to the end.
import { describe, expect, it } from 'vitest';

import { CONFIGURATIONS } from './configurations.ts';
import { explored, isAsExpected, SHORT_WORLDS } from './explored.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';

/** Of each configuration. */
const WORLDS = 8_000;

describe('a row under every schedule of a few steps', () => {
  it('is paid once at most, and never told unpaid while it may pay', async () => {
    const all = await explored(['--worlds', String(WORLDS)]);
    expect(all.map(({ name }) => name)).toEqual(CONFIGURATIONS.map(({ name }) => name));
    expect(all.filter((one) => !isAsExpected(one))).toEqual([]);
    // A search that never sees a payment or an end, or follows nothing to its end, proves nothing.
    for (const { name, fairRuns } of all) expect([name, fairRuns > 50]).toEqual([name, true]);
    const seen = all.flatMap(({ standings }) => Object.keys(standings).join(' ')).join(' ');
    for (const end of ['paid', 'failed', 'rejected', 'cancelled', 'reference_undecided', 'over_payee_limit'])
      expect(seen).toContain(end);
  });

  const quick = PLANTED_BUGS.filter(({ found, worlds }) => found !== null && worlds <= SHORT_WORLDS);
  it.each(quick.map((bug) => [bug.name, bug] as const))(
    'with a planted bug is seen to break: %s',
    async (name, bug) => {
      const [one] = await explored(['--plant', name, '--worlds', String(bug.worlds)]);
      expect(one?.broken).toMatch(bug.found ?? /never/);
    },
  );

  it('has its planted bugs in configurations that there are, most of them found at once', () => {
    const names = CONFIGURATIONS.map(({ name }) => name);
    for (const { configuration } of PLANTED_BUGS) expect(names).toContain(configuration);
    expect(quick.length).toBeGreaterThanOrEqual(6);
  });
});
