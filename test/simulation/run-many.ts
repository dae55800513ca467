// Runs one schedule after another in this process: the seeds that it is given, or as many as a budget of processor time allows.
import { runSchedule } from './run-schedule.ts';
import { added, NOTHING, tallyOf, type Tally } from './tally.ts';

export type Many = {
  readonly from: number;
  /** The most schedules. */
  readonly seeds: number;
  /** Seeds are this far apart: other processes run those between. */
  readonly step: number;
  /** Nothing begins after so much processor time. */
  readonly cpuMsMost: number;
  readonly isFailFast: boolean;
};

/** Often enough to read a run that is cut short, seldom enough to cost nothing. */
const TOLD_EVERY = 100;

/** `tell` is given what was added since it was called last. */
export async function runMany(many: Many, tell: (part: Tally) => void): Promise<void> {
  const { from, seeds, step, cpuMsMost, isFailFast } = many;
  const isOver = (run: number): boolean => run >= seeds || cpuMs() >= cpuMsMost;
  let part = NOTHING;
  let startedMs = cpuMs();
  for (let run = 0; !isOver(run); run++) {
    const outcome = tallyOf(await runSchedule(String(from + run * step)));
    part = added(part, outcome);
    const mustStop = isFailFast && outcome.failures.length > 0;
    if (part.schedules < TOLD_EVERY && !mustStop && !isOver(run + 1)) continue;
    tell({ ...part, cpuMs: cpuMs() - startedMs });
    [part, startedMs] = [NOTHING, cpuMs()];
    if (mustStop) return;
  }
}

/** Of this process, however busy the machine is with others. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
