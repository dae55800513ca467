// A figure is the median of its runs, with their spread: one run says nothing on a machine with other work.

/** Median, least and most. */
export type Spread = { readonly median: number; readonly least: number; readonly most: number };

export type Line = {
  readonly what: string;
  readonly value: string;
  /** What the figure has to reach, and whether it does. */
  readonly bar?: { readonly text: string; readonly isMet: boolean };
};
export type Group = {
  readonly name: string;
  readonly title: string;
  readonly lines: readonly Line[];
  readonly data: unknown;
};

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median =
    sorted.length % 2 === 1
      ? (sorted[Math.floor(middle)] ?? NaN)
      : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
  return { median, least: sorted[0] ?? NaN, most: sorted.at(-1) ?? NaN };
}

export function atLeast(bar: number, { median }: Spread, digits = 0): NonNullable<Line['bar']> {
  return { text: `at least ${number(bar, digits)}`, isMet: median >= bar };
}

export function atMost(bar: number, { median }: Spread, digits = 0): NonNullable<Line['bar']> {
  return { text: `at most ${number(bar, digits)}`, isMet: median <= bar };
}

export function shown({ median, least, most }: Spread, digits = 0): string {
  return `${number(median, digits)} (${number(least, digits)} to ${number(most, digits)})`;
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Runs all by turns, `runs` times, so that what else the machine does meets each of them alike. */
export async function byTurns<K extends string, T>(
  runs: number,
  contestants: Readonly<Record<K, () => Promise<T>>>,
): Promise<Readonly<Record<K, readonly T[]>>> {
  const names = Object.keys(contestants) as K[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let run = 0; run < runs; run++) for (const name of names) taken[name].push(await contestants[name]());
  return taken;
}
