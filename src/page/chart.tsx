// Small pictures of numbers, each with a table of the same numbers under it. They are drawn of rectangles; no library is needed for that.

export type Bar = { readonly label: string; readonly value: string; readonly share: number };

const WIDTH = 700;
const BAR = { height: 14, line: 42 };

/** One bar a line, of the share that each has of the largest; hidden from readers by ear, who have the table. */
export function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  const height = bars.length * BAR.line;
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
      {bars.map(({ label, value, share }, at) => (
        <g key={label} transform={`translate(0 ${at * BAR.line})`}>
          <text x="0" y="14" font-size="14" fill="currentColor">
            {label}
          </text>
          <text x={WIDTH} y="14" font-size="14" text-anchor="end" fill="currentColor">
            {value}
          </text>
          <rect class="base" x="0" y="21" width={WIDTH} height={BAR.height} rx="3" />
          <rect
            class="fill"
            x="0"
            y="21"
            width={WIDTH * Math.max(0, Math.min(1, share))}
            height={BAR.height}
            rx="3"
          />
        </g>
      ))}
    </svg>
  );
}

/** What share one decimal text is of another, for the length of a bar alone: no amount is computed with it. */
export function shareOf(part: string, whole: string): number {
  const [a, b] = [lengthOf(part), lengthOf(whole)];
  return b === 0 ? 0 : a / b;
}

function lengthOf(text: string): number {
  return Math.abs(Number(text));
}
