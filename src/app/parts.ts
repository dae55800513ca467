// The parts that a command works with, as one value: `compose.ts` builds it, and every function of this folder receives it.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { RateControl } from '../delivery/rate-control.ts';
import type { ServiceClock } from '../delivery/service-clock.ts';
import type { PlacedFiles } from '../inbox/inbox-entries.ts';
import type { Workspace } from '../inbox/workspace.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RatesOfBatches } from '../payouts/moved-price.ts';
import type { RunningSandbox } from '../sandbox/start-sandbox.ts';
import type { PartyFields, PayoutService } from '../service/payout-service.ts';
import type { Callbacks } from '../service/webhooks.ts';
import type { Config } from './config/config.ts';
import type { Cluster } from './parts/cluster.ts';
import type { Meter } from './parts/meter.ts';
import type { ServiceTrouble } from './parts/service-trouble.ts';
import type { Hearing, LiveKeys } from './parts/webhooks.ts';

/** The parts of a command that only looks at the workspace: without the service. */
export type Records = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  close(): Promise<void>;
};

/** All parts of a command. */
export type Paydrop = Records & {
  readonly service: PayoutService;
  /** The same client under another key, which is read again for each call. */
  readonly asAccount: (keyNow: () => string) => PayoutService;
  /** The folder to which this start has moved what was paid with play money; null where it has not. */
  readonly setAside: string | null;
  readonly serviceClock: ServiceClock;
  readonly rateControl: RateControl;
  /** What the corridors of the batches under way pay. */
  readonly rates: RatesOfBatches;
  /** Files of the same bytes are taken one after the other. */
  readonly takes: TakesInTurn;
  /** Files of the inbox that nobody needs to wait for. */
  readonly placed: PlacedFiles;
  /** The counters of this process. */
  readonly meter: Meter;
  /** True while the embedded sandbox stands in for the service. */
  readonly isSandbox: boolean;
  readonly sender: PartyFields;
  /** The key of the calls, and the keys that may sign notifications; a rotated key is put in here. */
  readonly keys: LiveKeys;
  /** The callback URLs of the transfers; null without `service.callbackUrl`. */
  readonly callbacks: Callbacks | null;
  /** What stands between this process and the service. */
  readonly trouble: ServiceTrouble;
  /** Whether notifications arrive. */
  readonly hearing: Hearing;
  /** The other runs on a ledger that several machines share; null where the ledger is a file. */
  readonly cluster: Cluster | null;
  /** The embedded sandbox itself, for the demo that looks into its books. */
  readonly sandbox: RunningSandbox | null;
};

// A mutex by key. Files of the same bytes are taken one after the other, whatever their names: each finds the one before it as a batch, or gone without a trace,
// but never half taken. Between processes the ledger ensures that; within one process it cannot tell a kill from a neighbour.

export class TakesInTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Works once all earlier callers with the same bytes are done, however they ended. */
  async run<Result>(sha256: string, work: () => Promise<Result>): Promise<Result> {
    const own = (this.#last.get(sha256) ?? Promise.resolve()).then(work, work);
    this.#last.set(sha256, own);
    try {
      return await own;
    } finally {
      // A later caller waits for us already.
      if (this.#last.get(sha256) === own) this.#last.delete(sha256);
    }
  }
}
