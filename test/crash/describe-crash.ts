// The figures of a crash run, in words that say at once whether it was sound.
import type { BatchReport } from './crash-batch.ts';

type Tally = {
  readonly kills: number;
  readonly losses: number;
  readonly rows: number;
  readonly calls: number;
};

export function tallied(reports: readonly BatchReport[]): Tally {
  const sum = (of: (report: BatchReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    kills: sum(({ kills }) => kills.length),
    losses: sum(({ losses }) => losses.length),
    rows: sum(({ rows }) => rows),
    calls: sum(({ calls }) => calls),
  };
}

export function describeCrash(
  reports: readonly BatchReport[],
  { seed, tookMs }: { readonly seed: number; readonly tookMs: number },
): { readonly text: string; readonly isSound: boolean } {
  const { kills, losses, rows, calls } = tallied(reports);
  const violations = reports.flatMap((report) => report.violations);
  const count = (kind: string): string => String(violations.filter((found) => found.kind === kind).length);
  const oddWords = reports.flatMap((report) => report.oddWords).length;
  const perMinute = Math.round((kills * 60_000) / tookMs);
  const text = [
    `seed ${String(seed)}, ${String(Math.round(tookMs / 1000))} s`,
    `kills ${String(kills)} (${String(perMinute)} a minute), batches ${String(reports.length)}, rows ${String(rows)}, calls ${String(calls)}, ledgers lost ${String(losses)}`,
    `double payments ${count('double')}, rows lost ${count('lost')}, differences ${count('difference')}, odd words ${String(oddWords)}`,
    `first call after a kill: ${spread(reports.flatMap(({ firstCallMs }) => firstCallMs))}`,
    `finished after the last kill: ${spread(reports.map(({ finishedMs }) => finishedMs))}`,
    'killed at:',
    ...places(reports.flatMap((report) => report.kills)),
    '',
  ].join('\n');
  return { text, isSound: violations.length === 0 && oddWords === 0 };
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0));
  return `median ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms, slowest ${at(1)} ms`;
}

function places(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, times]) => `  ${String(times)} ${name}`);
}
