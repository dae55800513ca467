// The text format in which Prometheus reads numbers. The usual library for it has not been released for years and brings three more packages; what
// is needed of it is this page.

export type Labels = Readonly<Record<string, string>>;
export type Sample = { readonly labels: Labels; readonly value: number };

/** Upper bounds of a histogram, and how many lay at or below each; the last count is of all. */
export type Spread = {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
};

export type Family = { readonly name: string; readonly help: string } & (
  | { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  | { readonly type: 'histogram'; readonly spreads: readonly Spread[] }
);

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function renderMetrics(families: readonly Family[]): string {
  return families.map(renderFamily).join('');
}

function renderFamily(family: Family): string {
  const { name, help, type } = family;
  const lines = type === 'histogram' ? family.spreads.flatMap((spread) => spreadLines(name, spread)) : [];
  const samples = type === 'histogram' ? [] : family.samples;
  return [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => lineOf(name, labels, value)),
    ...lines,
    '',
  ].join('\n');
}

function spreadLines(name: string, { labels, bounds, counts, sum }: Spread): readonly string[] {
  const all = counts.at(-1) ?? 0;
  return [
    ...bounds.map((bound, index) =>
      lineOf(`${name}_bucket`, { ...labels, le: String(bound) }, counts[index] ?? 0),
    ),
    lineOf(`${name}_bucket`, { ...labels, le: '+Inf' }, all),
    lineOf(`${name}_sum`, labels, sum),
    lineOf(`${name}_count`, labels, all),
  ];
}

function lineOf(name: string, labels: Labels, value: number): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${String(value)}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
