// The parts that a command works with, as one value: what `compose.ts` builds, and what every function of this folder is given.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { RateControl } from '../delivery/rate-control.ts';
import type { ServiceClock } from '../delivery/service-clock.ts';
import type { Workspace } from '../inbox/workspace.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunningSandbox } from '../sandbox/start-sandbox.ts';
import type { PartyFields, PayoutService } from '../service/payout-service.ts';
import type { Callbacks } from '../service/webhooks.ts';
import type { Config } from './config/config.ts';
import type { Cluster } from './parts/cluster.ts';
import type { Meter } from './parts/meter.ts';
import type { Hearing, LiveKeys } from './parts/webhooks.ts';

/** What a command that only looks at the workspace works with: no service. */
export type Records = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  close(): Promise<void>;
};

/** All that a command works with. */
export type Paydrop = Records & {
  readonly service: PayoutService;
  readonly serviceClock: ServiceClock;
  readonly rateControl: RateControl;
  /** Files of the same bytes are taken one after the other. */
  readonly takes: TakesInTurn;
  /** What this process counts. */
  readonly meter: Meter;
  /** True while the embedded sandbox stands in for the service. */
  readonly isSandbox: boolean;
  readonly sender: PartyFields;
  /** The key of the calls, and those that notifications may be signed with; a rotated one is put in here. */
  readonly keys: LiveKeys;
  /** The callback URLs of the transfers; null without `service.callbackUrl`. */
  readonly callbacks: Callbacks | null;
  /** Whether notifications come in. */
  readonly hearing: Hearing;
  /** The other runs on a ledger that several machines share; null on a ledger of one. */
  readonly cluster: Cluster | null;
  /** The embedded sandbox itself, for the demo that looks into its books. */
  readonly sandbox: RunningSandbox | null;
};

// Files of the same bytes are taken one after the other, whatever they are called: each finds the one before it as a batch, or gone without a
// trace, and never half taken. Between processes the ledger sees to that; within one it cannot tell a kill from a neighbour.

// Files of the same bytes are taken one after the other, whatever they are called: each finds the one before it as a batch, or gone without a
// trace, and never half taken. Between processes the ledger sees to that; within one it cannot tell a kill from a neighbour.

export class TakesInTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Works once all who came before with the same bytes are done, however they ended. */
  async run<Result>(sha256: string, work: () => Promise<Result>): Promise<Result> {
    const own = (this.#last.get(sha256) ?? Promise.resolve()).then(work, work);
    this.#last.set(sha256, own);
    try {
      return await own;
    } finally {
      // Whoever came meanwhile waits for us already.
      if (this.#last.get(sha256) === own) this.#last.delete(sha256);
    }
  }
}
