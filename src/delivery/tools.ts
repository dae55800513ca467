// What the steps work with, handed in by whoever runs them.
import type { DecimalText } from '../base/decimal.ts';
import type { Clock } from '../base/clock.ts';
import type { Reservation } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { takenUp } from '../payouts/attempt.ts';
import type { Payout, PayoutDocument } from '../payouts/payout.ts';
import type { PriceLimits } from '../payouts/limits.ts';
import type { CorridorRates } from '../payouts/moved-price.ts';
import type { RowPlace, Tenure } from '../payouts/progress.ts';
import type { PayoutService } from '../service/payout-service.ts';
import type { Look } from './judge-transfer.ts';
import type { RateControl } from './rate-control.ts';
import type { ServiceClock } from './service-clock.ts';

export type DeliveryTools = {
  readonly service: PayoutService;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly rateControl: RateControl;
  /** The service's time (ms) since which it is in doubt what was sent of the batch; null where it is not. */
  readonly doubtSince: number | null;
  /** Reads a document of the batch; null when its bytes are no longer the ones that were validated. */
  readonly readDocument: (document: PayoutDocument) => Promise<Uint8Array | null>;
  /** Where the service posts the notifications of a transfer, by its externalId; null for nowhere. */
  readonly callbackUrl: ((externalId: string) => string) | null;
  /** Counts a row against the limits for an amount in its source currency, fees included; null where no limit is set. */
  readonly reserve: ((row: RowRecord, amount: DecimalText) => Promise<Reservation>) | null;
  readonly priceLimits: PriceLimits;
  /** By how much a price may differ from the one that a person has seen, or that was quoted first (`0.01` for one percent). */
  readonly maxDrift: DecimalText;
  /** A row of any batch; null where there is none. */
  readonly rowAt: (place: RowPlace) => Promise<RowRecord | null>;
  /** The rates of the batch, with which each price is compared. */
  readonly rates: CorridorRates;
  /** The longest time between two looks at a submitted transfer. */
  readonly pollEveryMs: number;
  /** Whether the service's notifications are known to arrive; nobody listens when left out. */
  readonly isNotified?: () => boolean;
  /** Fewer transfers than this are read one by one, and not by the list; `observe.ts` says how many when left out. */
  readonly listLeast?: number;
  /** How long after its end a transfer is looked at again. */
  readonly reversalWindowMs: number;
};

/** One claimed row on its way, as the run has taken it up, with the file id that its ids are made of. */
export type DueRow = {
  readonly fileId: string;
  readonly row: RowRecord & { readonly payout: Payout };
  /** The tenure that asks. */
  readonly run: Tenure;
  /** The service's time (ms) since which it is in doubt what was sent of the row; null for one that this tenure has known from its beginning. */
  readonly doubtSince: number | null;
  /** True while every transfer of its batch is created and none may be confirmed. */
  readonly isReserving?: boolean;
};

type Claimed = { readonly fileId: string; readonly row: DueRow['row'] };

export function dueRow({ fileId, row }: Claimed, run: Tenure, doubtSince: number | null): DueRow {
  const progress = takenUp(row.progress, run);
  const ofRow = progress.begunBy === run ? null : doubtSince;
  return { fileId, row: progress === row.progress ? row : { ...row, progress }, run, doubtSince: ofRow };
}

/** Who asks about a row, and since when it is in doubt. */
export type Asker = Pick<DueRow, 'run' | 'doubtSince'>;

/** A read that has just been answered. */
export function lookOf(by: Asker, tools: DeliveryTools, serverTime: number | null): Look {
  return { ...askingOf(by, tools), serverTime };
}

/** The same, of reads that each have a time of their own. */
export function askingOf({ run, doubtSince }: Asker, tools: DeliveryTools): Omit<Look, 'serverTime'> {
  return {
    run,
    doubtSince,
    now: tools.clock.now(),
    latestNow: tools.serviceClock.latestNow(),
    pollEveryMs: tools.pollEveryMs,
  };
}

/** True when the record may be older than the truth: another run had it, or the last call had no answer. */
export function mustLook({ row, run }: DueRow): boolean {
  return row.progress.lookedBy !== run;
}

/** The row as one that has to be looked at, whatever is known of it. */
export function unlooked(due: DueRow): DueRow {
  return { ...due, row: { ...due.row, progress: { ...due.row.progress, lookedBy: null } } };
}
