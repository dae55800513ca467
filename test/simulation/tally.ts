// The totals of many schedules: sums that several processes can add up, and whether all of them were sound.
import type { Outcome } from './run-schedule.ts';
import { SOMETIMES } from './sometimes.ts';

export type Failure = Pick<Outcome, 'seed' | 'violations'>;

export type Tally = {
  readonly schedules: number;
  readonly cpuMs: number;
  /** How many schedules took each rare path. */
  readonly paths: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
};

export const NOTHING: Tally = {
  schedules: 0,
  cpuMs: 0,
  paths: Object.fromEntries(SOMETIMES.map((path) => [path, 0])),
  failures: [],
};

export function tallyOf({ seed, paths, violations }: Outcome): Tally {
  return {
    schedules: 1,
    cpuMs: 0,
    paths: Object.fromEntries(paths.map((path) => [path, 1])),
    failures: violations.length === 0 ? [] : [{ seed, violations }],
  };
}

export function added(one: Tally, other: Tally): Tally {
  return {
    schedules: one.schedules + other.schedules,
    cpuMs: one.cpuMs + other.cpuMs,
    paths: Object.fromEntries(
      SOMETIMES.map((path) => [path, (one.paths[path] ?? 0) + (other.paths[path] ?? 0)]),
    ),
    failures: [...one.failures, ...other.failures],
  };
}

/** Rare paths that nobody took. */
export function neverTaken({ paths }: Tally): readonly string[] {
  return Object.entries(paths).flatMap(([path, times]) => (times === 0 ? [path] : []));
}
