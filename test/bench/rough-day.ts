// A rough day at the service: a fifth of all calls is spoilt in one of many ways, some answers are slow, and once nobody answers at all. The same
// draws come from the same seed, call by call.
import type { Reply } from './http-server.ts';

/** The mix. Shares are of all calls; what is left is answered in `latencyMs`. */
export const ROUGH_DAY = {
  shares: {
    /** 429 with `Retry-After: 1`; nothing was done. */
    throttled: 0.03,
    /** 503 without a word of when; nothing was done. */
    overloaded: 0.03,
    /** A gateway's page; nothing was done. */
    gateway: 0.02,
    /** The same page, and everything was done behind it. */
    gatewayActed: 0.02,
    /** The connection is reset; nothing was done. */
    reset: 0.03,
    /** Everything was done, and the connection is reset before the answer. */
    answerReset: 0.03,
    /** Everything was done, and the answer ends in its middle. */
    answerCut: 0.02,
    /** 500 with the code of a fault of the service itself; nothing was done. */
    broken: 0.02,
    /** Answered well, but late. */
    slow: 0.02,
  },
  latencyMs: [1, 25],
  slowMs: [900, 2_500],
  /** From the first call on; every connection is reset. */
  outage: { afterMs: 3_000, forMs: 1_200 },
  /** From the confirm to the final status. */
  settleMs: 1_000,
  quoteLifeMs: 300_000,
} as const;

type Fate = keyof typeof ROUGH_DAY.shares | 'well';

/** What such a day makes of a call at a moment (monotonic ms). */
export function roughDayFrom(
  seed: number,
): (now: number, act: () => Reply) => Reply & { readonly afterMs: number } {
  const draw = drawing(seed);
  const { outage, latencyMs, slowMs } = ROUGH_DAY;
  let firstAt: number | null = null;
  return (now, act) => {
    firstAt ??= now;
    const afterMs = between(latencyMs, draw());
    const fate = fateOf(draw());
    const outageAt = firstAt + outage.afterMs;
    if (now >= outageAt && now < outageAt + outage.forMs) return { ...RESET, afterMs };
    return { ...spoilt(fate, act), afterMs: fate === 'slow' ? between(slowMs, draw()) : afterMs };
  };
}

const RESET: Reply = { status: 500, body: '', lost: 'reset' };
const PAGE = '<html><body>Bad Gateway</body></html>';

function spoilt(fate: Fate, act: () => Reply): Reply {
  switch (fate) {
    case 'well':
    case 'slow':
      return act();
    case 'throttled':
      return { status: 429, body: '{"message":"too many"}', retryAfterSeconds: 1 };
    case 'overloaded':
      return { status: 503, body: '{"message":"busy"}' };
    case 'gateway':
      return { status: 502, body: PAGE };
    case 'gatewayActed':
      act();
      return { status: 502, body: PAGE };
    case 'reset':
      return RESET;
    case 'answerReset':
      return { ...act(), lost: 'reset' };
    case 'answerCut':
      return { ...act(), lost: 'cut' };
    case 'broken':
      return { status: 500, body: '{"errorCode":10001,"message":"internal"}' };
  }
}

function fateOf(drawn: number): Fate {
  let upTo = 0;
  for (const [fate, share] of Object.entries(ROUGH_DAY.shares) as [Fate, number][]) {
    upTo += share;
    if (drawn < upTo) return fate;
  }
  return 'well';
}

function between([least, most]: readonly [number, number], drawn: number): number {
  return least + (most - least) * drawn;
}

/** Numbers from 0 to 1 (excluded): mulberry32. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
