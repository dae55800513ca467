// Whether answers take much longer than they used to. Each kind of call is held against itself, because a confirm waits for the payout network and a price does not.

type Known = { readonly calls: number; readonly usualMs: number; readonly recentMs: number };

/** The usual moves with some two hundred calls, so that a service that is slower for good becomes the usual. */
const USUAL_CALLS = 200;

/** So many calls tell a trend from an accident. */
const RECENT_CALLS = 20;

/** Twice the usual is a queue in front of the service. */
const SLOW_TIMES = 2;

/** Less than this beside the usual is our own machine catching its breath. */
const SLOW_LEAST_MS = 100;

export class Latencies {
  readonly #known = new Map<string, Known>();

  /** Learns of one more call of a kind; true when the last ones were slow. */
  isSlow(kind: string, ms: number): boolean {
    const { calls, usualMs, recentMs } = this.#known.get(kind) ?? { calls: 0, usualMs: ms, recentMs: ms };
    const known = {
      calls: calls + 1,
      usualMs: moved(usualMs, ms, Math.min(calls + 1, USUAL_CALLS)),
      recentMs: moved(recentMs, ms, Math.min(calls + 1, RECENT_CALLS)),
    };
    this.#known.set(kind, known);
    return known.recentMs > SLOW_TIMES * known.usualMs + SLOW_LEAST_MS;
  }

  /** After a cut only what comes now counts. */
  forgetRecent(): void {
    for (const [kind, known] of this.#known) this.#known.set(kind, { ...known, recentMs: known.usualMs });
  }
}

function moved(average: number, value: number, over: number): number {
  return average + (value - average) / over;
}
