// The row machine beside the steps that carry rows today, in the schedules of the simulation: at every record it stands where the record stands, or elsewhere for a
// reason that the list of differences names.
import { describe, expect, it } from 'vitest';

import { runSchedule } from '../run-schedule.ts';
import { DIFFERENCES } from './differences.ts';

const FIRST_SEED = 1;

/** Some 8,000 records, among them each difference. */
const SEEDS = 150;

describe('the row machine beside the steps of today', () => {
  it(
    `stands where the record stands, or says why not (seeds from ${String(FIRST_SEED)})`,
    { timeout: 900_000 },
    async () => {
      const explained = new Map<string, number>();
      let compared = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        const { beside } = await runSchedule(String(seed));
        expect(beside.unexplained, `seed ${String(seed)}`).toEqual([]);
        compared += beside.compared;
        for (const [why, times] of Object.entries(beside.explained))
          explained.set(why, (explained.get(why) ?? 0) + times);
      }
      const differing = [...explained.values()].reduce((sum, times) => sum + times, 0);
      expect(compared).toBeGreaterThan(5_000);
      // Most records are the same: a list that explained them all would say nothing.
      expect(differing / compared).toBeLessThan(0.35);
      // A reason that explains nothing any more is taken out.
      expect(DIFFERENCES.map(({ why }) => why).filter((why) => !explained.has(why))).toEqual([]);
    },
  );
});
