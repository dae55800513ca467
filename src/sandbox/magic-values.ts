// The values of a transfer that decide how its payout ends, so that every ending of the interface can be brought about from a spreadsheet.
import type { OpenRecord, TransferRecord } from './state.ts';

/** How a payout ends; `code` is the status code that a failure carries. */
export type Ending =
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

const PAID: Ending = { kind: 'paid' };

/** The ending that this transfer's details ask for. When several are magic, the first in the order below decides. */
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
  return candidates.map((digits) => ENDINGS[digits ?? '']).find((ending) => ending !== undefined) ?? PAID;
}

/** Accounts, cards and telephone numbers are often written in groups: only their digits count. */
function lastDigits(value: string): string {
  return value.replace(/\D/g, '').slice(-7);
}

function textOf(info: OpenRecord, name: string): string {
  const value = info[name];
  return typeof value === 'string' ? value : '';
}
