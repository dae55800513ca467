// Where a person decides about held rows, rows have to be held: half of those schedules have more of what leads there.
import type { Plan } from './plan.ts';
import type { Random } from './random.ts';

/** The share of the schedules with faults in which somebody decides. */
const SHARE = 0.2;

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

type Hold = (plan: Plan) => Plan;

/** The service, or somebody who meddles, says something else than was asked. */
const contradicted: Hold = (plan) => ({
  ...plan,
  faults: { ...plan.faults, wrongEcho: 0.25, answerForged: 0.05, strangers: 2 },
});

/** The payout network refuses, and the transfer stands. */
const undecided: Hold = (plan) => ({
  ...plan,
  networkRefuses: 0.5,
  holes: { ...plan.holes, refusedConfirm: 'stays-created' },
});

/** A confirm gets no answer, and nobody looks before its time is over. */
const uncertain: Hold = (plan) => ({
  ...plan,
  holes: { ...plan.holes, quotationLifeMs: 30 * SECOND_MS },
  faults: { ...plan.faults, confirmLost: 0.5, death: 0.05, deathsMost: 4 },
  startsLate: true,
});

/** Documents are missed again and again. */
const demanding: Hold = (plan) => ({ ...plan, faults: { ...plan.faults, documentLost: 0.8 } });

/** What the interface does not describe. */
const refusing: Hold = (plan) => ({
  ...plan,
  faults: { ...plan.faults, refusedAtRandom: 0.2, createUnanswered: 0.3 },
});

/** The ledger is lost, or an older one put back, after much was decided. */
function forgetful(plan: Plan, random: Random): Plan {
  return {
    ...plan,
    faults: { ...plan.faults, deathsMost: Math.max(plan.faults.deathsMost, 4) },
    faultsMs: Math.max(plan.faultsMs, HOUR_MS),
    ...random.pick([{ restoreShare: 0.8 }, { restoreShare: 0.8 }, { restoreShare: 0, wipeShare: 0.8 }]),
  };
}

export function withDecisions(plan: Plan, random: Random): Plan {
  if (plan.faultsMs === 0 || !random.chance(SHARE)) return plan;
  const decided = { ...plan, decisions: random.between(3, 10) };
  if (random.chance(0.4)) return decided;
  const hold = random.pick([contradicted, undecided, uncertain, demanding, refusing]);
  return random.chance(0.5) ? forgetful(hold(decided), random) : hold(decided);
}
