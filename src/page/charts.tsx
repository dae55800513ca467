// Small pictures of numbers, each with a table of the same numbers under it. The browser draws them, as wide as the screen is.

export type Bar = { readonly label: string; readonly value: string; readonly share: number };

/** One bar a line, of the share that each has of its whole; hidden from readers by ear, who have the table. */
export function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  return (
    <div class="bars" aria-hidden="true">
      {bars.map(({ label, value, share }) => (
        <div key={label}>
          <p>
            <span>{label}</span>
            <span>{value}</span>
          </p>
          <progress max="1" value={Math.max(0, Math.min(1, share))} />
        </div>
      ))}
    </div>
  );
}

type Line = {
  readonly label: string;
  readonly value: string;
  /** When, in ms, and how high between 0 and 1; the oldest first. */
  readonly points: readonly (readonly [at: number, height: number])[];
};

/** A line has a gap where nothing was told for so long. */
const GAP_MS = 12 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const LINE = { width: 288, height: 48 } as const;

/** One line for each, over the 24 hours up to its last point; hidden like bars. */
export function Lines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <div class="bars" aria-hidden="true">
      {lines.map(({ label, value, points }) => (
        <div key={label}>
          <p>
            <span>{label}</span>
            <span>{value}</span>
          </p>
          <svg viewBox={`0 0 ${LINE.width} ${LINE.height}`} preserveAspectRatio="none">
            <path d={pathOf(points)} />
          </svg>
        </div>
      ))}
    </div>
  );
}

function pathOf(points: Line['points']): string {
  const [end = 0] = points.at(-1) ?? [];
  const steps = points.map(([at, height], index) => {
    const isOn = at - (points[index - 1]?.[0] ?? -Infinity) <= GAP_MS;
    const x = LINE.width * (1 - (end - at) / DAY_MS);
    const y = (LINE.height - 2) * (1 - Math.min(1, height)) + 1;
    // A single point is seen as a dot.
    return `${isOn ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${isOn ? '' : 'h0.1'}`;
  });
  return steps.join('');
}

/** The share of one decimal text in another, for the length of a bar alone: no amount is computed with it. */
export function shareOf(part: string, whole: string): number {
  const [a, b] = [lengthOf(part), lengthOf(whole)];
  return b === 0 ? 0 : a / b;
}

function lengthOf(text: string): number {
  return Math.abs(Number(text));
}
