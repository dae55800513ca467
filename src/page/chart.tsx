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

/** The share of one decimal text in another, for the length of a bar alone: no amount is computed with it. */
export function shareOf(part: string, whole: string): number {
  const [a, b] = [lengthOf(part), lengthOf(whole)];
  return b === 0 ? 0 : a / b;
}

function lengthOf(text: string): number {
  return Math.abs(Number(text));
}
