// What the steps work with, handed in by whoever runs them.
import type { DecimalText } from '../base/decimal.ts';
import type { Clock } from '../base/clock.ts';
import type { Reservation } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Payout, PayoutDocument } from '../payouts/payout.ts';
import type { PriceLimits } from '../payouts/limits.ts';
import type { CorridorRates } from '../payouts/moved-price.ts';
import type { RowPlace } from '../payouts/progress.ts';
import type { PayoutService } from '../service/payout-service.ts';
import type { RateControl } from './rate-control.ts';
import type { ServiceClock } from './service-clock.ts';

export type DeliveryTools = {
  readonly service: PayoutService;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly rateControl: RateControl;
  /** The service's time (ms) since which it is in doubt what was sent of the batch, as far as is known now; null where it is not. */
  readonly doubtSince: () => number | null;
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

/** A row that can be paid, with the file id that its ids are made of. */
export type DueRow = { readonly fileId: string; readonly row: RowRecord & { readonly payout: Payout } };
