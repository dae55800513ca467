// The machine-readable summary of a batch: the outcomes of its rows and their cost, exact to the minor unit.
import { createHash } from 'node:crypto';

import { formatAmount } from '../base/currency.ts';
import { DecimalSum, addDecimals } from '../base/decimal.ts';
import { say, type Language } from '../base/language.ts';
import type { FileSummary as ShownSummary } from '../contract/files.ts';
import type { SummaryState } from '../contract/words.ts';
import { waitsForAnswer } from '../ledger/approval.ts';
import { batchPages, batchRows } from '../ledger/batch-rows.ts';
import { waitOf, waitingForOf } from '../ledger/batch-rules.ts';
import type { Ledger, LeftToSend } from '../ledger/ledger.ts';
import { PAYING } from '../ledger/batch-states.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { addLeft, addSums, BEFORE_CREATION } from '../ledger/row-rules.ts';
import type { WaitingFor } from '../ledger/wait.ts';
import { HOLDS, type HoldCode, type HoldRule } from '../payouts/hold.ts';
import { OUTCOMES, outcomeOf, stagesOf, type Outcome } from '../payouts/lifecycle.ts';
import { isServicesWord, stageOrHeld, withForeign } from '../payouts/progress.ts';
import { rowCurrencies } from './money-tally.ts';
import { errorCodeOf, reasonOf } from './payout-cells.ts';
import { type Counts, standingOf } from './standing.ts';

export type { SummaryState };

/** As it lies in the outbox: what the interface tells, without what the batch waits for in the reader's words. */
export type Summary = Omit<ShownSummary, 'wait' | 'waitingFor'> & {
  readonly waitingFor: WaitingFor | null;
};
export type PreviewLine = NonNullable<Summary['preview']>[number];
export type FileCheck = NonNullable<Summary['check']>;

/** The summary of a batch as the ledger has it now; it names no answers. @param isCarried as in `standingOf`. */
export async function summarize(ledger: Ledger, batch: BatchRecord, isCarried?: boolean): Promise<Summary> {
  const tally = new Tally();
  for await (const row of batchRows(ledger, batch.id)) tally.add(row);
  return tally.summary(batch, [], isCarried);
}

/** Every outcome at zero. */
export function noOutcomes(): Record<Outcome, number> {
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
}

/** Nothing is called paying before a transfer of it exists, or while its question is open. `checked`: it is being checked, or priced. */
function stateOf(batch: BatchRecord, { outcomes, begun }: Counts): SummaryState {
  const { state, wait } = batch;
  const before = begun === 0 ? 'checked' : 'paying';
  switch (state) {
    case 'closed':
    case 'refused':
      return state;
    case 'taking':
    case 'checking':
    case 'pricing':
      return 'checked';
    case 'resolving':
      // Nobody knows what was sent of it.
      return 'paying';
    case 'accepted':
      if (waitsForAnswer(batch) || wait?.for === 'approval') return 'awaiting-approval';
      return wait?.for === 'schedule' ? 'scheduled' : before;
    case 'reserving':
    case 'sending':
    case 'following':
    case 'closing':
      if (waitsForAnswer(batch) || wait?.for === 'approval') return 'awaiting-approval';
      if (outcomes.submitted > 0 && (wait?.for === 'schedule' || outcomes.pending + outcomes.held === 0))
        return 'tracking';
      return wait?.for === 'schedule' ? 'scheduled' : before;
  }
}

/** Also between the days of a message that names several. */
function waitsForItsTime({ state, wait }: BatchRecord): boolean {
  return state === 'accepted' || (wait?.for === 'schedule' && PAYING.has(state));
}

/** Rows that are counted but not registered have not been sent: the outcomes always sum to the rows that came in. */
function withUnread(outcomes: Record<Outcome, number>, rows: number): Record<Outcome, number> {
  const registered = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return { ...outcomes, pending: outcomes.pending + Math.max(0, rows - registered) };
}

/** In one source currency, of rows that are paid or submitted. */
type Sums = Readonly<Record<'paid' | 'submitted', { readonly send: DecimalSum; readonly fee: DecimalSum }>>;

/** Sums over the rows of a batch; call `summary` after all were added. */
export class Tally {
  readonly #outcomes = noOutcomes();
  readonly #sums = new Map<string, Sums>();
  readonly #received = new Map<string, DecimalSum>();
  /** Of how many rows a transfer exists. */
  #begun = 0;
  /** What rows that are still to be sent will debit, by source currency. */
  readonly left = new Map<string, LeftToSend>();
  /** How many rows are held, by the code of the hold. */
  readonly held = new Map<HoldCode, number>();

  add(row: RowRecord): void {
    const { progress } = row;
    const outcome = outcomeOf(stageOrHeld(progress));
    this.#outcomes[outcome] += 1;
    if (progress.hold !== null) addTo(this.held, progress.hold.code, 1);
    else if (BEFORE_CREATION.includes(progress.stage)) addLeft(this.left, row);
    const { transfer } = progress;
    if (transfer !== null) this.#begun += 1;
    const currencies = rowCurrencies(row);
    if (currencies === null || transfer === null || (outcome !== 'paid' && outcome !== 'submitted')) return;
    const { send, fee } = known(this.#sums, currencies.sourceCurrency, noSums)[outcome];
    send.add(transfer.sendAmount);
    fee.add(transfer.feeAmount);
    if (outcome === 'paid')
      known(this.#received, currencies.targetCurrency, () => new DecimalSum()).add(transfer.receiveAmount);
  }

  /** Adds the counts of another tally. */
  addAll(other: Tally): void {
    for (const outcome of OUTCOMES) this.#outcomes[outcome] += other.#outcomes[outcome];
    for (const [currency, sums] of other.#sums) {
      const own = known(this.#sums, currency, noSums);
      for (const outcome of ['paid', 'submitted'] as const) {
        own[outcome].send.add(sums[outcome].send.toText());
        own[outcome].fee.add(sums[outcome].fee.toText());
      }
    }
    this.#begun += other.#begun;
    for (const [code, rows] of other.held) addTo(this.held, code, rows);
    for (const [currency, left] of other.left) addSums(this.left, currency, left);
    for (const [currency, sum] of other.#received)
      known(this.#received, currency, () => new DecimalSum()).add(sum.toText());
  }

  /** @param isCarried as in `standingOf`. */
  summary(batch: BatchRecord, answers: readonly string[], isCarried?: boolean): Summary {
    const outcomes = withUnread(this.#outcomes, batch.rows);
    const counts = { outcomes, begun: this.#begun };
    return {
      batch: batch.id,
      state: stateOf(batch, counts),
      standing: standingOf(batch, counts, isCarried),
      sandbox: batch.sandbox,
      file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
      outcomes,
      totals: this.#totals(),
      received: this.#sumsReceived(),
      waitingFor: waitingForOf(batch),
      ...(batch.payAt !== undefined && waitsForItsTime(batch) ? { payAt: batch.payAt.at } : {}),
      startedAt: batch.acceptedAt,
      finishedAt: batch.finished?.at ?? null,
      answers,
    };
  }

  #totals(): Summary['totals'] {
    return sorted(this.#sums).map(([sourceCurrency, { paid, submitted }]) => {
      const shown = (...sums: readonly DecimalSum[]) =>
        formatAmount(sums.map((sum) => sum.toText()).reduce(addDecimals), sourceCurrency);
      return {
        sourceCurrency,
        sendAmount: shown(paid.send, submitted.send),
        feeAmount: shown(paid.fee, submitted.fee),
        debited: shown(paid.send, paid.fee),
        reserved: shown(submitted.send, submitted.fee),
      };
    });
  }

  #sumsReceived(): Summary['received'] {
    return sorted(this.#received).map(([destinationCurrency, sum]) => ({
      destinationCurrency,
      receiveAmount: formatAmount(sum.toText(), destinationCurrency),
    }));
  }
}

function addTo<Key>(counts: Map<Key, number>, key: Key, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

function noSums(): Sums {
  const none = () => ({ send: new DecimalSum(), fee: new DecimalSum() });
  return { paid: none(), submitted: none() };
}

function known<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function sorted<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

export type RowStatus = {
  readonly row: string;
  readonly outcome: Outcome;
  readonly errorCode: string;
  readonly reason: string;
  readonly hold: HoldStatus | null;
};

/** The meaning of a hold's code, and who lifts it; `service`: a person can only take the service's word for how the row ended. */
export type HoldStatus = { readonly meaning: string; readonly lifts: HoldRule['lifts'] | 'service' };

const NEEDING_ATTENTION = stagesOf(['failed', 'rejected', 'duplicate', 'held']);

/** The rows that are neither paid nor on their way, with what to do; a million pending rows are not listed one by one. */
export async function rowsThatNeedAttention(
  { ledger, config }: { readonly ledger: Ledger; readonly config: { readonly language: Language } },
  batch: BatchRecord,
): Promise<readonly RowStatus[]> {
  const rows: RowStatus[] = [];
  for await (const record of batchRows(ledger, batch.id, { stages: NEEDING_ATTENTION })) {
    const outcome = outcomeOf(stageOrHeld(record.progress));
    rows.push({
      row: record.row,
      outcome,
      errorCode: errorCodeOf(record),
      reason: reasonOf(record, waitOf(batch)?.words ?? null, config.language),
      hold: holdOf(record, config.language),
    });
  }
  return rows;
}

function holdOf({ progress }: RowRecord, language: Language): RowStatus['hold'] {
  if (progress.hold === null) return null;
  const { words, lifts } = HOLDS[progress.hold.code];
  return { meaning: say(words, language), lifts: isServicesWord(progress, true) ? 'service' : lifts };
}

// One hash over everything that a closed batch has reported about its rows: another hash means that there is something new to report.

/** SHA-256 in hex over outcome, transfer, status and amounts of every row: all of this can be recovered after a lost ledger. */
export async function rowsDigest(ledger: Ledger, batch: string): Promise<string> {
  const digest = new RowsDigest();
  for await (const page of batchPages(ledger, batch)) digest.add(page);
  return digest.hex();
}

/** The same, for a caller that already reads the rows for another purpose. */
export class RowsDigest {
  readonly #hash = createHash('sha256');

  add(page: readonly RowRecord[]): void {
    this.#hash.update(page.map((row) => `${JSON.stringify(told(row))}\n`).join(''));
  }

  hex(): string {
    return this.#hash.digest('hex');
  }
}

function told({ row, progress }: RowRecord): readonly (string | null)[] {
  const { transfer } = withForeign(progress);
  const outcome = outcomeOf(stageOrHeld(progress));
  if (transfer === null || outcome === 'rejected' || outcome === 'duplicate') return [row, outcome];
  const { transferId, status, statusCode, sendAmount, feeAmount, receiveAmount } = transfer;
  return [row, outcome, transferId, status, statusCode, sendAmount, feeAmount, receiveAmount];
}
