// What an operation of the sandbox is given to work with, and what a request looks like once HTTP has been taken off it.
import type { Clock } from '../base/clock.ts';
import type { Change } from './records.ts';
import type { State } from './state.ts';

export type Sandbox = {
  /** To be read freely and changed only by `commit`. */
  readonly state: State;
  readonly clock: Clock;
  /** Writes the change down, then makes it. After it throws, nothing has changed. */
  commit(change: Change): void;
  /** Has the payout network, or the staff, act on this transfer at this moment (milliseconds since 1970). */
  schedule(transferId: string, atMs: number): void;
  readonly settings: SandboxSettings;
};

export type SandboxSettings = {
  readonly allowHttpCallbacks: boolean;
  /** Overrides the corridors' own; null leaves them. */
  readonly quoteLifeMs: number | null;
  readonly settleMs: number;
  readonly reversalMs: number;
};

export type SandboxRequest = {
  /** The decoded id of the path, empty when the path has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
};
