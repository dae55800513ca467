// The program is killed without warning a few times, at named points and by chance, and once its ledger is lost; each time it goes on, and in
// the end every row is paid exactly once and all books agree. `npm run trial -- crash` does the same for hours.
import { expect, test } from 'vitest';

import { crashBatch } from './crash-batch.ts';
import { openScene } from './crash-scene.ts';
import { newSeed, seeded } from './seeded.ts';

/** Enough for a kill in the taking, some in the paying, and often one in the ending. */
const KILLS = 4;
const ROWS = 60;
/** Another one each time; a failure names it. */
const SEED = newSeed();
const SEEDS_MOST = 4;

/** Some ten processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;

test.each([
  { fact: 'killed', lossesMost: 0, faultsPercent: 0 },
  { fact: 'killed, its ledger lost, one call in thirty gone wrong', lossesMost: 1, faultsPercent: 3 },
])(
  `${String(ROWS)} rows, $fact: each is paid once and all books agree (seed ${String(SEED)})`,
  { timeout: LIMIT_MS },
  async ({ lossesMost, faultsPercent }) => {
    let kills = 0;
    // A batch may end before the moment that was drawn for its kill: then the next seed draws another.
    for (let seed = SEED; kills === 0 && seed < SEED + SEEDS_MOST; seed++) {
      const scene = await openScene({ rows: ROWS, faultsPercent, seed, sandboxArgs: ['--latency', '10ms'] });
      try {
        const report = await crashBatch(scene, { dice: seeded(seed), killsMost: KILLS, lossesMost });
        expect(report.violations).toEqual([]);
        expect(report.oddWords).toEqual([]);
        kills = report.kills.length;
      } finally {
        await scene.close();
      }
    }
    expect(kills).toBeGreaterThan(0);
  },
);
