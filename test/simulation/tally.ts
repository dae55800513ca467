// What a run of many schedules comes to: sums that several processes can add up, and whether all of it was sound.
import type { Outcome } from './run-schedule.ts';
import { isAgreed, type Compared } from './side-by-side.ts';
import { SOMETIMES } from './sometimes.ts';

export type Failure = Pick<Outcome, 'seed' | 'violations'>;

export type Tally = {
  readonly schedules: number;
  readonly cpuMs: number;
  /** How many schedules took each rare path. */
  readonly paths: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
  /** How often a conclusion met what the evidence says, with the first seeds of each pair. */
  readonly compared: Readonly<Record<string, Met>>;
};

export type Met = { readonly times: number; readonly seeds: readonly string[] };

/** As many as somebody looks at. */
const SEEDS_SHOWN = 5;

export const NOTHING: Tally = {
  schedules: 0,
  cpuMs: 0,
  paths: Object.fromEntries(SOMETIMES.map((path) => [path, 0])),
  failures: [],
  compared: {},
};

export function tallyOf({ seed, paths, violations, compared }: Outcome): Tally {
  const pairs = Object.groupBy(compared, pairOf);
  return {
    schedules: 1,
    cpuMs: 0,
    paths: Object.fromEntries(paths.map((path) => [path, 1])),
    failures: violations.length === 0 ? [] : [{ seed, violations }],
    compared: Object.fromEntries(
      Object.entries(pairs).map(([pair, met = []]) => [pair, { times: met.length, seeds: [seed] }]),
    ),
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
    compared: bothMet(one.compared, other.compared),
  };
}

function pairOf(compared: Compared): string {
  const { concluded, evidence, because } = compared;
  return isAgreed(compared)
    ? `${concluded}: agreed`
    : `${concluded}, and the evidence says ${evidence} (${because})`;
}

function bothMet(one: Tally['compared'], other: Tally['compared']): Tally['compared'] {
  const pairs = new Set([...Object.keys(one), ...Object.keys(other)]);
  const met = (pair: string): Met => {
    const both = [one[pair], other[pair]].filter((each) => each !== undefined);
    return {
      times: both.reduce((sum, { times }) => sum + times, 0),
      seeds: both.flatMap(({ seeds }) => seeds).slice(0, SEEDS_SHOWN),
    };
  };
  return Object.fromEntries([...pairs].toSorted().map((pair) => [pair, met(pair)]));
}

/** Rare paths that nobody took. */
export function neverTaken({ paths }: Tally): readonly string[] {
  return Object.entries(paths).flatMap(([path, times]) => (times === 0 ? [path] : []));
}
