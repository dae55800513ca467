// The row machine beside the steps of today: at every record it hears what the process has heard since the one before, and has to stand where the record
// stands. It changes nothing; each difference is explained in `differences.ts`, or is told.
import type { DeliveryTools } from '../../../src/delivery/tools.ts';
import { type Fault, isFault } from '../../../src/service/errors.ts';
import type { PayoutService } from '../../../src/service/payout-service.ts';
import type { Quotation } from '../../../src/service/wire.ts';
import type { RowChange } from '../../../src/ledger/ledger.ts';
import type { RowRecord } from '../../../src/ledger/records.ts';
import type { Tenure } from '../../../src/payouts/progress.ts';
import { FENCE } from '../../../src/payouts/proof.ts';
import type { Now } from '../../explore/row-machine/row-state.ts';
import { type Compared, differenceOf } from './differences.ts';
import { eventsOf, RowIds } from './events-of-row.ts';
import { ObservedCalls } from './observed-service.ts';
import { afterEvents, machineStanding, recordStanding, stateOf } from './state-of.ts';

/** So many records were compared, and so many of them differ for each reason; `unexplained` has the first words of the others. */
export type BesideTally = {
  compared: number;
  readonly explained: Record<string, number>;
  readonly unexplained: string[];
};

export function noTally(): BesideTally {
  return { compared: 0, explained: {}, unexplained: [] };
}

export class Beside {
  readonly #calls = new ObservedCalls();
  readonly #quotations = new Map<string, Quotation | Fault>();
  readonly #tally: BesideTally;
  readonly #fileId: string;

  constructor(fileId: string, tally: BesideTally) {
    this.#fileId = fileId;
    this.#tally = tally;
  }

  over(service: PayoutService): PayoutService {
    return this.#calls.over(service);
  }

  /** What was read to register a lost file again says nothing of a step. */
  forget(): void {
    this.#calls.take(() => true);
  }

  /** @param by the tenure that has the row, and since when the ledger is in doubt. */
  compare(
    row: RowRecord,
    change: RowChange,
    by: { readonly tenure: Tenure; readonly doubtSince: number | null },
    tools: DeliveryTools,
  ): void {
    const { payout, progress: before } = row;
    if (payout === null) return;
    const due = { fileId: this.#fileId, row: { ...row, payout }, run: by.tenure, doubtSince: by.doubtSince };
    const ids = new RowIds(due);
    this.#keepQuotations();
    const calls = this.#calls.take((call) => ids.isOfRow(call));
    const events = eventsOf(due, calls, ids, (id) => this.#quotations.get(id) ?? null);
    if (events.length === 0) return;
    const now = this.#nowOf(by, payout.document !== null, tools);
    const after = afterEvents(stateOf(before, by.tenure), events, now);
    this.#tally.compared += 1;
    this.#note({
      before,
      after: change.progress,
      events,
      now,
      record: recordStanding(change.progress, change.dueAt, by.tenure, now),
      machine: machineStanding(after, now),
      state: after,
    });
  }

  #note(compared: Compared): void {
    const difference = differenceOf(compared);
    if (difference === null) return;
    const { explained, unexplained } = this.#tally;
    if (difference.why !== null) explained[difference.why] = (explained[difference.why] ?? 0) + 1;
    else unexplained.push(difference.words);
  }

  #keepQuotations(): void {
    for (const { id, answer } of this.#calls.take(({ operation }) => operation === 'quotation'))
      if (id !== null) this.#quotations.set(id, isFault(answer) ? answer : (answer.value as Quotation));
  }

  #nowOf(
    { tenure, doubtSince }: { readonly tenure: Tenure; readonly doubtSince: number | null },
    needsDocument: boolean,
    tools: DeliveryTools,
  ): Now {
    const { clock, serviceClock, rateControl, pollEveryMs } = tools;
    return {
      lease: tenure,
      local: clock.now(),
      service: serviceClock.latestNow(),
      doubtSince,
      fence: FENCE,
      terms: {
        needsDocument,
        mayConfirm: true,
        areLimited: false,
        neededMs: rateControl.times.neededMs(needsDocument),
        pollEveryMs,
        priceStop: () => null,
        patience: { moments: 3, looks: 10, confirmsAgain: 3, attempts: 5, quotations: 1_000 },
      },
    };
  }
}
