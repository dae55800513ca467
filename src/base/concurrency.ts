// A bound on how many things are done at once, over p-limit, for work that is drawn on demand instead of queued up front.
import pLimit from 'p-limit';

/** Runs `work` for every item that `next` hands out, at most `limit` at a time, until `next` has none left. A fault stops the drawing and is thrown once the work under way has ended. */
export async function eachAtMost<T>(limit: number, next: () => T | null, work: (item: T) => Promise<void>): Promise<void> {
  const gate = pLimit(limit);
  const faults: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let item = next(); item !== null && faults.length === 0; item = next()) {
      try {
        await work(item);
      } catch (fault) {
        faults.push(fault);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, () => gate(lane)));
  if (faults.length > 0) throw faults[0];
}
