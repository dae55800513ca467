// The body of a request with a least rate (a slowloris sends one byte now and then): whoever falls silent or drips is told so, and keeps no place from others.
import type { IncomingMessage } from 'node:http';

import { callAfter, type Clock } from '../base/clock.ts';
import { Problem } from './problems.ts';

/** The slowest line on which a file still arrives. */
const LEAST_BYTES_PER_SECOND = 1_000;

/** How long a sender may be silent: a file from a moving car, and what one message holds. */
const SILENT_MS = { octets: 30_000, json: 10_000 } as const;

/** Left off in the midst, the rest of it can still be read: a client that is cut off while it sends never hears why. Throws a `Problem`. */
export async function* pacedOctets(
  incoming: IncomingMessage,
  kind: keyof typeof SILENT_MS,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const most = SILENT_MS[kind];
  const source: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  let left: number = most;
  let isWaiting = false;
  try {
    for (;;) {
      // What the reader takes for a chunk is not the sender's time.
      const since = clock.monotonic();
      isWaiting = true;
      const chunk = await within(left, source.next());
      isWaiting = false;
      if (chunk.done === true) return;
      // Each byte buys time, and no more of it than there was at first.
      const bought = (chunk.value.byteLength * 1_000) / LEAST_BYTES_PER_SECOND;
      left = Math.min(most, left - (clock.monotonic() - since) + bought);
      yield chunk.value;
    }
  } finally {
    if (!isWaiting) await source.return?.();
  }
}

async function within<T>(ms: number, awaited: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const inTime = callAfter(Math.max(0, ms), () => late.reject(new Problem('body_slow')));
  try {
    return await Promise.race([awaited, late.promise]);
  } finally {
    inTime();
  }
}
