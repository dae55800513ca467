// Ties the state to its journal, to the agenda of what the payout network still owes, and to the webhooks that tell of it.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { startAgenda } from './agenda.ts';
import type { Journal } from './journal.ts';
import { actOn } from './payout-network.ts';
import type { Sandbox, SandboxSettings } from './sandbox.ts';
import { applyChange, type State } from './state.ts';
import { transferView } from './transfer-view.ts';
import type { Webhooks } from './webhooks.ts';

export type LiveSandbox = {
  readonly sandbox: Sandbox;
  /** Does what the network owes by now, so that no answer is older than the clock. */
  catchUp(): void;
  stop(): void;
};

export type SandboxParts = {
  readonly state: State;
  readonly journal: Journal;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SandboxSettings;
};

/** After an outcome that could not be written down (a full disk), it is tried again. */
const AGAIN_MS = 1_000;

/** What was due when the state was last written is due again. */
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
