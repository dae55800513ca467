// The payout network behind the service, and the operator's staff: how a transfer ends, which of its values decides that, when, and the effect on the balance.
import { isoTime } from '../base/clock.ts';
import { bookOf, move, type Movement } from './balances.ts';
import { quotationOf } from './list-transfers.ts';
import type { Change, OpenRecord, Sandbox, TransferRecord } from './state.ts';
import { debitOf } from './transfers.ts';

type NetworkAnswer = {
  readonly status: 'paid' | 'failed';
  readonly statusCode: string;
  /** Whether a webhook reports it: the staff's changes are silent. */
  readonly isAnnounced: boolean;
};

const PAID: NetworkAnswer = { status: 'paid', statusCode: '20000', isAnnounced: true };
const REVERSED: NetworkAnswer = { status: 'failed', statusCode: '100001', isAnnounced: true };
const REJECTED = '100002';

/** The network takes the confirmed transfer: it is submitted, and its end is due after a while. */
export function submit(sandbox: Sandbox, transfer: TransferRecord): void {
  changeTo(sandbox, transfer, { status: 'submitted', statusCode: '10001' }, nextDelayMs(sandbox, transfer));
}

/** The synchronous refusal: failed at once, funds released, no webhook. The interface leaves its status code open; 100002 is "rejected". */
export function refuseAtConfirm(sandbox: Sandbox, transfer: TransferRecord): void {
  changeTo(sandbox, transfer, { status: 'failed', statusCode: REJECTED }, null);
}

/** Does what is due for a transfer; says whether a webhook reports it. */
export function actOn(sandbox: Sandbox, transferId: string): { readonly isAnnounced: boolean } {
  const transfer = sandbox.state.transfers.get(transferId);
  const step = transfer === undefined ? null : nextStep(transfer);
  if (transfer === undefined || step === null) return { isAnnounced: false };
  const isReversed = step.status === 'paid' && endingOf(transfer).kind === 'reversed';
  changeTo(sandbox, transfer, step, isReversed ? spread(sandbox, sandbox.settings.reversalMs) : null);
  return step;
}

function nextStep(transfer: TransferRecord): NetworkAnswer | null {
  const ending = endingOf(transfer);
  // `paid` is final with the single exception of a reversal.
  if (transfer.status === 'paid') return ending.kind === 'reversed' ? REVERSED : null;
  if (transfer.status !== 'submitted') return null;
  switch (ending.kind) {
    case 'paid':
    case 'reversed':
      return PAID;
    case 'failed':
      return { status: 'failed', statusCode: ending.code, isAnnounced: true };
    case 'staffPaid':
      return { ...PAID, isAnnounced: false };
    case 'staffFailed':
      return { status: 'failed', statusCode: REJECTED, isAnnounced: false };
    case 'stays':
    case 'refusedAtConfirm':
      return null;
  }
}

function nextDelayMs(sandbox: Sandbox, transfer: TransferRecord): number | null {
  return endingOf(transfer).kind === 'stays' ? null : spread(sandbox, sandbox.settings.settleMs);
}

/** A quarter more or less, so that outcomes do not come in the order of the confirms. */
function spread({ clock }: Sandbox, ms: number): number {
  return ms * (0.75 + 0.5 * clock.random());
}

function changeTo(
  sandbox: Sandbox,
  transfer: TransferRecord,
  { status, statusCode }: Pick<TransferRecord, 'status' | 'statusCode'>,
  dueInMs: number | null,
): void {
  const dueMs = dueInMs === null ? null : Math.ceil(sandbox.clock.now() + dueInMs);
  const dueAt = dueMs === null ? null : isoTime(dueMs);
  sandbox.commit({
    ...balanceEffect(sandbox, transfer, status),
    transferChange: { id: transfer.id, status, statusCode, dueAt },
  });
  if (dueMs !== null) sandbox.schedule(transfer.id, dueMs);
}

function balanceEffect(sandbox: Sandbox, transfer: TransferRecord, to: TransferRecord['status']): Change {
  const movement = movementOf(transfer.status, to);
  if (movement === null) return {};
  const quotation = quotationOf(sandbox.state, transfer);
  return { books: [move(bookOf(sandbox.state, quotation.sourceCurrency), movement, debitOf(quotation))] };
}

function movementOf(from: TransferRecord['status'], to: TransferRecord['status']): Movement | null {
  if (to === 'paid') return 'debit';
  if (to === 'failed') return from === 'paid' ? 'giveBack' : 'release';
  return null;
}

// The values of a transfer that decide how its payout ends, so that a spreadsheet can bring about every ending of the interface.

/** How a payout ends; `code` is the status code that a failure carries. */
type Ending =
  | { readonly kind: 'paid' }
  | { readonly kind: 'failed'; readonly code: string }
  | { readonly kind: 'reversed' }
  | { readonly kind: 'refusedAtConfirm' }
  | { readonly kind: 'staffPaid' }
  | { readonly kind: 'staffFailed' }
  | { readonly kind: 'stays' };

const ENDINGS: Readonly<Record<string, Ending>> = {
  '0100000': { kind: 'failed', code: '100000' },
  '0100001': { kind: 'reversed' },
  '0100002': { kind: 'failed', code: '100002' },
  '0100003': { kind: 'failed', code: '100003' },
  '0100004': { kind: 'failed', code: '100004' },
  '0100005': { kind: 'failed', code: '100005' },
  '0100006': { kind: 'failed', code: '100006' },
  '0100008': { kind: 'failed', code: '100008' },
  '0010027': { kind: 'refusedAtConfirm' },
  '0077001': { kind: 'staffPaid' },
  '0077002': { kind: 'staffFailed' },
  '0060000': { kind: 'stays' },
};

const USUALLY_PAID: Ending = { kind: 'paid' };

/** The ending that this transfer's details ask for. When several values are magic, the first in the order below decides. */
export function endingOf(
  transfer: Pick<TransferRecord, 'deliveryMethodInfo' | 'documentReferenceNumber'>,
): Ending {
  const { deliveryMethodInfo: info, documentReferenceNumber } = transfer;
  const candidates = [
    lastDigits(textOf(info, 'bankAccountNumber')),
    lastDigits(textOf(info, 'cardNumber')),
    lastDigits(textOf(info, 'msisdn')),
    /(\d{7})@/.exec(textOf(info, 'email'))?.[1],
    /(\d{7})\s*$/.exec(documentReferenceNumber ?? '')?.[1],
  ];
  return (
    candidates.map((digits) => ENDINGS[digits ?? '']).find((ending) => ending !== undefined) ?? USUALLY_PAID
  );
}

/** Accounts, cards and telephone numbers are often written in groups, so only their digits count. */
function lastDigits(value: string): string {
  return value.replace(/\D/g, '').slice(-7);
}

function textOf(info: OpenRecord, name: string): string {
  const value = info[name];
  return typeof value === 'string' ? value : '';
}
