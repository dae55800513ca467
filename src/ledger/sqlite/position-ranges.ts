// A large batch is written and counted in pieces: whatever goes over all its rows at once holds up every other batch for seconds.

/** From a position on, up to and without another. */
export type PositionRange = { readonly from: number; readonly to: number };

/** All positions before `end`, so many at a time. */
export function* positionRanges(end: number, rows: number): Generator<PositionRange> {
  for (let from = 0; from < end; from += rows) yield { from, to: from + rows };
}
