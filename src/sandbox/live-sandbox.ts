// Ties the state to its journal, to the agenda of what the payout network has still to do, and to the webhooks that report it.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { transferView } from './list-transfers.ts';
import { actOn } from './payout-network.ts';
import { applyChange, type Journal, type Sandbox, type SandboxSettings, type State } from './state.ts';
import type { Webhooks } from './webhooks.ts';

type LiveSandbox = {
  readonly sandbox: Sandbox;
  /** Does everything that the network has due by now, so that no answer is older than the clock. */
  catchUp(): void;
  stop(): void;
};

type SandboxParts = {
  readonly state: State;
  readonly journal: Journal;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SandboxSettings;
};

/** The pause before the next try after an outcome could not be written (a full disk). */
const AGAIN_MS = 1_000;

/** Everything that was due when the state was last written is due again. */
export function liveSandbox({ state, journal, webhooks, clock, log, settings }: SandboxParts): LiveSandbox {
  const agenda = startAgenda(clock, (transferId) => {
    try {
      if (actOn(sandbox, transferId).isAnnounced) announce(state, webhooks, transferId);
    } catch (error) {
      log.error('an outcome could not be kept', { transferId, reason: nameOf(error) });
      agenda.add(transferId, clock.now() + AGAIN_MS);
    }
  });
  const sandbox: Sandbox = {
    state,
    clock,
    settings,
    commit(change) {
      journal.append(change);
      applyChange(state, change);
    },
    schedule: (transferId, atMs) => agenda.add(transferId, atMs),
  };
  for (const { id, dueAt } of state.transfers.values()) if (dueAt !== null) agenda.add(id, Date.parse(dueAt));
  return { sandbox, catchUp: () => agenda.runDue(), stop: () => agenda.close() };
}

/** The body is the transfer exactly as a read returns it at this moment (interface: Events). */
function announce(state: State, webhooks: Webhooks, transferId: string): void {
  const transfer = state.transfers.get(transferId);
  if (transfer === undefined || transfer.callbackUrl === null) return;
  webhooks.deliver(transferId, transfer.callbackUrl, JSON.stringify(transferView(state, transfer)));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

// One timer for everything that is due: a run of a hundred thousand payouts waits for as many outcomes, and a timer for each would cost more
// than the rest of the service.

type Agenda = {
  /** Calls `act` with `id` at the moment `atMs` (milliseconds since 1970), or at once when it has passed. */
  add(id: string, atMs: number): void;
  /** Acts on everything that is due by now, so that no answer is older than the clock. */
  runDue(): void;
  close(): void;
};

type TimerEntry = { readonly id: string; readonly atMs: number };

/** Timers take at most 2^31 ms. An hour is well below; the loop then sleeps again. */
const SLEEP_MOST_MS = 3_600_000;

/** An agenda over `clock`. `act` must not throw. */
function startAgenda(clock: Clock, act: (id: string) => void): Agenda {
  const heap: TimerEntry[] = [];
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
    // The sleep was aborted: an earlier one replaced it, or the agenda has ended.
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
function insert(heap: TimerEntry[], entry: TimerEntry): void {
  let at = heap.push(entry) - 1;
  for (let parent = (at - 1) >> 1; at > 0 && isBefore(heap[at], heap[parent]); parent = (at - 1) >> 1) {
    swap(heap, at, parent);
    at = parent;
  }
}

function removeFirst(heap: TimerEntry[]): void {
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

function earlierChild(heap: readonly TimerEntry[], at: number): number {
  const left = 2 * at + 1;
  return isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
}

function isBefore(one: TimerEntry | undefined, other: TimerEntry | undefined): boolean {
  return one !== undefined && other !== undefined && one.atMs < other.atMs;
}

function swap(heap: TimerEntry[], one: number, other: number): void {
  const [a, b] = [heap[one], heap[other]];
  if (a === undefined || b === undefined) return;
  heap[one] = b;
  heap[other] = a;
}
