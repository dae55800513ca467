// Waiting for something to become true by looking again and again between the turns of the event loop; it never sleeps.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Generous for a busy machine; nothing here takes more than milliseconds. */
const PATIENCE_MS = 20_000;

/** The first value of `look` that is neither false nor undefined nor null. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (performance.now() < giveUpAt) {
    const seen = await look();
    if (seen !== false && seen !== undefined && seen !== null) return seen;
    await nextTurn();
  }
  throw new Error('what was waited for did not come true');
}
