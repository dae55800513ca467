// What is due when, with one timer for all of it: a run of a hundred thousand payouts has as many outcomes waiting, and each with a timer of
// its own would cost more than the rest of the service.
import type { Clock } from '../base/clock.ts';

export type Agenda = {
  /** Has `act` called with `id` at the moment `atMs` (milliseconds since 1970), or at once when it has passed. */
  add(id: string, atMs: number): void;
  /** Acts on everything that is due by now, so that no answer is older than the clock. */
  runDue(): void;
  close(): void;
};

type Entry = { readonly id: string; readonly atMs: number };

/** Timers take no more than 2^31 ms; an hour is well below it and the loop simply sleeps again. */
const SLEEP_MOST_MS = 3_600_000;

/** An agenda over `clock`. `act` must not throw. */
export function startAgenda(clock: Clock, act: (id: string) => void): Agenda {
  const heap: Entry[] = [];
  let sleeping: { readonly untilMs: number; readonly controller: AbortController } | null = null;
  let isClosed = false;

  const runDue = (): void => {
    for (let top = heap[0]; top !== undefined && top.atMs <= clock.now(); top = heap[0]) {
      removeFirst(heap);
      act(top.id);
    }
  };
  const sleepUntilNext = (): void => {
    const top = heap[0];
    if (isClosed || top === undefined) return;
    if (sleeping !== null && sleeping.untilMs <= top.atMs) return;
    sleeping?.controller.abort();
    const mine = { untilMs: top.atMs, controller: new AbortController() };
    sleeping = mine;
    void clock
      .sleep(Math.min(SLEEP_MOST_MS, top.atMs - clock.now()), mine.controller.signal)
      .then(() => wake(mine));
  };
  const wake = (slept: { readonly controller: AbortController }): void => {
    // An aborted sleep was replaced by an earlier one, or ended with the agenda.
    if (slept.controller.signal.aborted) return;
    sleeping = null;
    runDue();
    sleepUntilNext();
  };

  return {
    add(id, atMs) {
      insert(heap, { id, atMs });
      sleepUntilNext();
    },
    runDue,
    close() {
      isClosed = true;
      sleeping?.controller.abort();
    },
  };
}

/** A binary heap, the earliest entry first. */
function insert(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  for (let parent = (at - 1) >> 1; at > 0 && isBefore(heap[at], heap[parent]); parent = (at - 1) >> 1) {
    swap(heap, at, parent);
    at = parent;
  }
}

function removeFirst(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  for (
    let at = 0, child = earlierChild(heap, 0);
    isBefore(heap[child], heap[at]);
    child = earlierChild(heap, at)
  ) {
    swap(heap, at, child);
    at = child;
  }
}

function earlierChild(heap: readonly Entry[], at: number): number {
  const left = 2 * at + 1;
  return isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
}

function isBefore(one: Entry | undefined, other: Entry | undefined): boolean {
  return one !== undefined && other !== undefined && one.atMs < other.atMs;
}

function swap(heap: Entry[], one: number, other: number): void {
  const [a, b] = [heap[one], heap[other]];
  if (a === undefined || b === undefined) return;
  heap[one] = b;
  heap[other] = a;
}
