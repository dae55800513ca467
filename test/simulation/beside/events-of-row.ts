// The calls that a process made for one row, as the events that the row machine hears. What has to be compared with the row is compared here, as `delivery` does it.
import { outsideBounds } from '../../../src/delivery/calls.ts';
import { toKnownTransfer } from '../../../src/delivery/judge-transfer.ts';
import { isSameTransfer } from '../../../src/delivery/observe.ts';
import { quotationDifferences, transferDifferences } from '../../../src/delivery/requests.ts';
import type { DueRow } from '../../../src/delivery/tools.ts';
import { externalId } from '../../../src/payouts/payout.ts';
import { withForeign, type Progress, type QuotedPrice } from '../../../src/payouts/progress.ts';
import { type Fault, isFault, Refused, Unavailable } from '../../../src/service/errors.ts';
import type { TransferPage } from '../../../src/service/payout-service.ts';
import type { Quotation, Transfer } from '../../../src/service/wire.ts';
import type { CallName, RowEvent } from '../../explore/row-machine/row-event.ts';
import type { Observed } from './observed-service.ts';

/** More of either no schedule has. */
const NUMBERS_MOST = 60;

/** The ids under which the service knows one row. */
export class RowIds {
  readonly #due: DueRow;
  readonly #transfers = new Map<string, number>();
  readonly #quotations = new Set<string>();

  constructor(due: DueRow) {
    this.#due = due;
    for (let number = 1; number <= NUMBERS_MOST; number++) {
      if (number <= 9) this.#transfers.set(externalId(due.fileId, due.row.row, 'transfer', number), number);
      this.#quotations.add(externalId(due.fileId, due.row.row, 'quotation', number));
    }
    const { transfer, deadAttempts } = withForeign(due.row.progress);
    for (const { attempt, transfer: dead } of deadAttempts) this.#transfers.set(dead.transferId, attempt);
    if (transfer !== null) this.#transfers.set(transfer.transferId, deadAttempts.length + 1);
  }

  attemptOf(id: string | null): number | null {
    return id === null ? null : (this.#transfers.get(id) ?? null);
  }

  isOfRow({ operation, id, answer }: Observed): boolean {
    if (operation === 'transfers')
      return !isFault(answer) && this.#inPage(answer.value as TransferPage) !== undefined;
    if (operation === 'quotation') return false;
    return this.attemptOf(id) !== null || (id !== null && this.#quotations.has(id));
  }

  #inPage({ transfers }: TransferPage): Transfer | undefined {
    const known = this.#due.row.progress.transfer;
    return transfers.find(
      ({ externalId: id }) => known !== null && id.toLowerCase() === known.externalId.toLowerCase(),
    );
  }

  inPage(page: TransferPage): Transfer | undefined {
    return this.#inPage(page);
  }
}

/** @param quotationOf the last answer about a quotation that a transfer was found with. */
export function eventsOf(
  due: DueRow,
  calls: readonly Observed[],
  ids: RowIds,
  quotationOf: (id: string) => Quotation | Fault | null,
): readonly RowEvent[] {
  return calls.flatMap((call) => {
    const { answer } = call;
    if (isFault(answer)) return faultOf(call, answer, ids);
    const { serverTime: at } = answer;
    switch (call.operation) {
      case 'createQuotation':
      case 'quotationByExternalId':
        return [quoted(due, answer.value as Quotation, call.operation === 'quotationByExternalId')];
      case 'createTransfer':
        return [created(due, answer.value as Transfer, at)];
      case 'transfer':
      case 'transferByExternalId':
        return [looked(due, call, answer.value as Transfer, at, ids, quotationOf)];
      case 'transfers':
        return listed(due, ids.inPage(answer.value as TransferPage), at);
      case 'uploadAttachment':
        return [{ on: 'attached' as const }];
      case 'confirmTransfer':
        return [{ on: 'confirmed' as const }];
      default:
        return [];
    }
  });
}

const CALL_NAMES: Readonly<Partial<Record<Observed['operation'], CallName>>> = {
  createQuotation: 'quote',
  quotationByExternalId: 'read-quotation',
  createTransfer: 'create',
  transfer: 'look',
  transferByExternalId: 'find',
  uploadAttachment: 'attach',
  confirmTransfer: 'confirm',
};

function faultOf({ operation, id }: Observed, fault: Fault, ids: RowIds): readonly RowEvent[] {
  const call = CALL_NAMES[operation];
  if (call === undefined) return [];
  const { retryAfterMs, serverTime: at, httpStatus } = fault.context;
  const waitMs = retryAfterMs ?? 0;
  if (fault instanceof Unavailable) return [{ on: 'unavailable', call, waitMs }];
  if (!(fault instanceof Refused)) {
    const isTooLarge = operation === 'uploadAttachment' && httpStatus === 413;
    return [isTooLarge ? { on: 'document', fault: 'too-large' } : { on: 'unanswered', call, waitMs }];
  }
  const { errorCode, words } = fault;
  if (errorCode === 10024) return [{ on: 'unavailable', call, waitMs }];
  const attempt = ids.attemptOf(id);
  const isNothing = (call === 'find' && errorCode === 10013) || (call === 'look' && errorCode === 10014);
  if (isNothing && attempt !== null) return [{ on: 'nothing', attempt, at }];
  return [{ on: 'refused', call, errorCode, words, at }];
}

function quoted(due: DueRow, quotation: Quotation, isAdopted: boolean): RowEvent {
  return {
    on: 'quoted',
    price: priceOf(quotation),
    isAdopted,
    differs: quotationDifferences(due, quotation).length > 0,
    outside: outsideBounds(due.row.payout, quotation),
  };
}

function priceOf(quotation: Quotation): QuotedPrice {
  return {
    quotationId: quotation.id,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
    createdAt: quotation.createdAt,
    expiredAt: quotation.expiredAt,
  };
}

function created(due: DueRow, transfer: Transfer, at: number | null): RowEvent {
  const { price } = due.row.progress;
  const differs = price === null || transferDifferences(due, transfer, price).length > 0;
  const attempt = due.row.progress.deadAttempts.length + 1;
  return { on: 'transfer', by: 'create', attempt, transfer: toKnownTransfer(transfer), differs, at };
}

function looked(
  due: DueRow,
  { operation, id }: Observed,
  transfer: Transfer,
  at: number | null,
  ids: RowIds,
  quotationOf: (id: string) => Quotation | Fault | null,
): RowEvent {
  const attempt = ids.attemptOf(id) ?? 1;
  const shown = { on: 'transfer', by: 'look', attempt, transfer: toKnownTransfer(transfer), at } as const;
  const known = knownAs(due.row.progress, attempt);
  if (known !== null)
    return {
      ...shown,
      differs:
        operation === 'transfer' &&
        (known.transferId !== transfer.id ||
          known.externalId.toLowerCase() !== transfer.externalId.toLowerCase()),
    };
  const { price } = due.row.progress;
  if (price?.quotationId === transfer.quotationId)
    return { ...shown, differs: differsFrom(due, attempt, transfer, price) };
  const quotation = quotationOf(transfer.quotationId);
  if (quotation === null) return { ...shown, differs: false };
  if (isFault(quotation))
    return quotation instanceof Refused
      ? { on: 'refused', call: 'find', errorCode: quotation.errorCode, words: '', at }
      : { on: 'unanswered', call: 'find', waitMs: 0 };
  const isAnothers = quotationDifferences(due, quotation).length > 0;
  return { ...shown, differs: isAnothers || differsFrom(due, attempt, transfer, priceOf(quotation)) };
}

function differsFrom(due: DueRow, attempt: number, transfer: Transfer, price: QuotedPrice): boolean {
  return (
    transferDifferences(due, transfer, price, externalId(due.fileId, due.row.row, 'transfer', attempt))
      .length > 0
  );
}

function knownAs(progress: Progress, attempt: number) {
  const { deadAttempts, transfer } = progress;
  return (
    deadAttempts.find((dead) => dead.attempt === attempt)?.transfer ??
    (attempt === deadAttempts.length + 1 ? transfer : null)
  );
}

/** What the list shows otherwise than it is known decides nothing. */
function listed(due: DueRow, transfer: Transfer | undefined, at: number | null): readonly RowEvent[] {
  const known = due.row.progress.transfer;
  if (transfer === undefined || known === null) return [];
  const attempt = due.row.progress.deadAttempts.length + 1;
  return [
    {
      on: 'transfer',
      by: 'list',
      attempt,
      transfer: toKnownTransfer(transfer),
      differs: !isSameTransfer(known, transfer),
      at,
    },
  ];
}
