// Runs the schedule of one seed and holds what happened against the invariants.
import { check, checkAgain } from '../invariants/check.ts';
import type { Evidence, Violation } from '../invariants/case-file.ts';
import type { Journal } from '../invariants/journal.ts';
import { finalRows, finalTotals } from './finals.ts';
import { API_KEY } from './life-tools.ts';
import { putBack, recordsIn } from './ledger-copy.ts';
import { areClocksRight, isCalm, isHonest, type Plan } from './plan.ts';
import { pathsTaken } from './sometimes.ts';
import { World } from './world.ts';

export type Outcome = {
  readonly seed: string;
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly paths: readonly string[];
  readonly journal: Journal;
};

export async function runSchedule(seed: string): Promise<Outcome> {
  const world = new World(seed);
  await world.run();
  const { plan, database, bugs } = world;
  const finals = finalRows(database);
  const totals = await finalTotals(database);
  const evidence: Evidence = {
    journal: [...world.journal],
    asked: world.asked,
    finals,
    totals,
    fileId: world.fileId,
    apiKey: API_KEY,
    isCalm: isCalm(plan),
    isHonest: isHonest(plan),
    isMessage: plan.isMessage,
    areClocksRight: areClocksRight(plan),
  };
  // A journal without an end would be held against the invariants for hours.
  const violations = bugs.length > 0 ? [] : [...check(evidence)];
  const paths = pathsTaken(evidence);
  const outcomeOf = (row: string) => finals.find((each) => each.row === row)?.cells['payout.outcome'] ?? '';
  // Before the ledger is rebuilt: what is told then, nobody tells here.
  const statuses =
    world.isSettled() && !isTakenBackUnseen(world)
      ? (world.message?.found(recordsIn(database), outcomeOf) ?? [])
      : [];
  if (plan.isRebuiltAtEnd && world.isSettled() && violations.length === 0) {
    await world.rebuildAtEnd();
    violations.push(...checkAgain({ ...evidence, journal: world.journal }, finalRows(database)));
  }
  violations.push(...world.conclusions.unproved);
  // What staff change, or a lie, nobody could know when it was told.
  if (evidence.isHonest) violations.push(...world.told.found(world.service.transfers));
  violations.push(...statuses);
  violations.push(...bugs.map((words) => ({ invariant: 'no bug', row: null, words })));
  world.closed?.remove();
  putBack(database);
  return { seed, plan, violations, paths, journal: world.journal };
}

/** An older ledger may not know that the service took a payment back, although it was told. The next look at what has ended, which no schedule makes, mends it. */
function isTakenBackUnseen({ service, database, journal }: World): boolean {
  const failed = new Set(service.transfers.filter(({ status }) => status === 'failed').map(({ id }) => id));
  const isOlder = journal.some((entry) => entry.kind === 'ledger' && entry.what === 'restored');
  return (
    isOlder &&
    recordsIn(database).some(
      ({ progress: { stage, transfer } }) => stage === 'paid' && failed.has(transfer?.transferId ?? ''),
    )
  );
}
