// What the steps work with, handed in by whoever runs them.
import type { DecimalText } from '../base/decimal.ts';
import type { Clock } from '../base/clock.ts';
import type { Reservation } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Payout, PayoutDocument } from '../payouts/payout.ts';
import type { PriceLimits } from '../payouts/price-limits.ts';
import type { PayoutService } from '../service/payout-service.ts';
import type { RateControl } from './rate-control.ts';
import type { ServiceClock } from './service-clock.ts';

export type DeliveryTools = {
  readonly service: PayoutService;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly rateControl: RateControl;
  /** Reads a document of the batch; null when its bytes are no longer the ones that were validated. */
  readonly readDocument: (document: PayoutDocument) => Promise<Uint8Array | null>;
  /** Where the service posts the notifications of a transfer, by its externalId; null for nowhere. */
  readonly callbackUrl: ((externalId: string) => string) | null;
  /** Counts a row against the limits for an amount in its source currency, fees included; null where no limit is set. */
  readonly reserve: ((row: RowRecord, amount: DecimalText) => Promise<Reservation>) | null;
  readonly priceLimits: PriceLimits;
  /** How much worse than a person has seen it a price may be that was released (`0.01` for one percent); not at all when left out. */
  readonly maxDrift?: DecimalText;
  /** The longest time between two looks at a submitted transfer. */
  readonly pollEveryMs: number;
  /** Whether the service's notifications are known to arrive; nobody listens when left out. */
  readonly isNotified?: () => boolean;
  /** Fewer transfers than this are read one by one, and not by the list; `read-transfers.ts` says how many when left out. */
  readonly listLeast?: number;
  /** How long after its end a transfer is looked at again. */
  readonly reversalWindowMs: number;
};

/** One claimed row on its way, with the file id that its ids are made of. */
export type DueRow = {
  readonly fileId: string;
  readonly row: RowRecord & { readonly payout: Payout };
  /** True when the record may be older than the truth: this run did not write it, or the last call had no answer. */
  readonly mustLook: boolean;
  /** True when this run wrote the record: nobody else can have gone further without our knowing. */
  readonly isOwnRecord: boolean;
};
