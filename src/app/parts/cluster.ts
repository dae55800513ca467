// The runs on a shared ledger exchange three facts twice a second, in one commit each: the share of the account's limits that they would use,
// whether their inbox has a STOP, and whether they get the service's notifications. A run that falls silent for good is ended, and others look for
// its work at once.
import { z } from 'zod';

import type { Clock } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import type { RateLimits } from '../../delivery/adaptive-rate.ts';
import type { RateControl } from '../../delivery/rate-control.ts';
import { type Heard, shareSchema, SharedLimits } from '../../delivery/shared-limits.ts';
import { wordsSchema } from '../../inbox/batch-note.ts';
import { stopFileWords } from '../../inbox/stop-file.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import { LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Parted } from '../../ledger/runs.ts';
import type { RunId } from '../../payouts/progress.ts';
import type { Hearing } from './webhooks.ts';

const BEAT_MS = 500;

const saidSchema = z.object({
  share: shareSchema,
  /** The words for a STOP in the inbox of this run; null when there is none. */
  stop: wordsSchema.nullable(),
  /** The number of notifications received from the service. */
  heard: z.number(),
});
type Said = z.output<typeof saidSchema>;

export type Cluster = {
  /** The words for a STOP that another run sees; null when there is none. */
  readonly stopElsewhere: () => Words | null;
  /** Called when another run has ended, however it ended: its batches and rows are free. */
  readonly onEnded: (listener: () => void) => void;
  readonly close: () => Promise<void>;
};

type ClusterParts = {
  readonly ledger: Pick<Ledger, 'run' | 'runs'>;
  readonly clock: Clock;
  readonly rateControl: RateControl;
  readonly limits: RateLimits;
  readonly hearing: Hearing;
  readonly workspace: Pick<Workspace, 'root' | 'inbox'>;
};

/** Exchanges facts once before it returns, and then until it is closed. Throws `LedgerUnusable`. */
export async function openCluster(parts: ClusterParts): Promise<Cluster> {
  const members = new Members(parts);
  await members.confer();
  const stopper = new AbortController();
  const ended = members.run(stopper.signal);
  return {
    stopElsewhere: () => members.stopElsewhere,
    onEnded: (listener) => members.listeners.push(listener),
    close: async () => {
      stopper.abort();
      await ended;
      // Lanes that are free can be used without waiting.
      await members.tryToConfer();
    },
  };
}

class Members {
  readonly listeners: (() => void)[] = [];
  readonly #parts: ClusterParts;
  readonly #limits: SharedLimits;
  #others: ReadonlyMap<RunId, Said> = new Map();

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#limits = new SharedLimits(parts.rateControl, parts.limits, parts.ledger.run);
  }

  get stopElsewhere(): Words | null {
    for (const { stop } of this.#others.values()) if (stop !== null) return stop;
    return null;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, ledger, rateControl, limits } = this.#parts;
    const { ended } = ledger.runs;
    const isOver = AbortSignal.any([signal, ended]);
    for (;;) {
      await clock.sleep(BEAT_MS, isOver);
      if (isOver.aborted) break;
      await this.tryToConfer();
    }
    // Nobody lends anything to a run that was given up: its calls get their turns, and are refused right before they leave.
    if (ended.aborted) rateControl.limit(limits);
  }

  /** When the ledger is away or given up, every caller that needs it learns that itself, and no listener is called meanwhile. */
  async tryToConfer(): Promise<void> {
    await this.confer().catch((error: unknown) => {
      if (!(error instanceof LedgerUnusable)) throw error;
    });
  }

  async confer(): Promise<void> {
    const { ledger, clock, hearing, workspace } = this.#parts;
    const stop = stopFileWords({ ...workspace, node: null });
    // As of the last exchange that reached the ledger.
    const heard: ReadonlyMap<RunId, Said>[] = [];
    await ledger.runs.confer((texts, parted) => {
      const others = new Map([...texts].flatMap(([run, text]) => readSaid(run, text)));
      const share = this.#limits.share(sharesOf(others, parted), clock.now());
      heard.push(others);
      return JSON.stringify({ share, stop, heard: hearing.times() } satisfies Said);
    });
    const others = heard.at(-1);
    if (others === undefined) return;
    this.#limits.obey(sharesOf(others, new Map()));
    this.#hear(others);
    await this.#missed(others);
  }

  #hear(others: ReadonlyMap<RunId, Said>): void {
    const isNews = [...others].some(([run, { heard }]) => heard > (this.#others.get(run)?.heard ?? heard));
    if (isNews) this.#parts.hearing.heardElsewhere();
  }

  /** Ends each run that was there before and is gone now, with all that it held. */
  async #missed(others: ReadonlyMap<RunId, Said>): Promise<void> {
    const isMissed = [...this.#others.keys()].some((run) => !others.has(run));
    this.#others = others;
    if (!isMissed) return;
    await this.#parts.ledger.runs.endDead();
    for (const listener of this.listeners) listener();
  }
}

/** Empty where another version wrote something else. */
function readSaid(run: RunId, text: string): readonly (readonly [RunId, Said])[] {
  const said = saidSchema.safeParse(JSON.parse(text)).data;
  return said === undefined ? [] : [[run, said]];
}

function sharesOf(all: ReadonlyMap<RunId, Said>, parted: ReadonlyMap<RunId, Parted>): Heard {
  return {
    others: new Map([...all].map(([run, { share }]) => [run, share])),
    parted: [...parted].flatMap(([run, { said, agoMs }]) =>
      readSaid(run, said).map(([, { share }]) => ({ share, agoMs })),
    ),
  };
}
