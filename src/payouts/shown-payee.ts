// A payee as people see one on a screen, in a question or on paper: the name, and the masked end of the account.
import type { Payout } from './payout.ts';

/** Fields of a name, as people write it; the first form that is there. */
const NAMES = [['registeredName'], ['firstName', 'lastName'], ['fullName'], ['name']];
const ACCOUNTS = ['bankAccountNumber', 'cardNumber', 'msisdn', 'email'];
const SHOWN_AT_END = 4;

/** Who is paid, and the end of the account: enough to know it, too little to misuse it. Null of a row without a payment. */
export function shownPayee(payout: Payout | null): {
  readonly receiver: string | null;
  readonly account: string | null;
} {
  const { receivingParty = {}, deliveryMethodInfo = {} } = payout ?? {};
  const names = NAMES.map((fields) => fields.map((field) => receivingParty[field]?.trim() ?? ''));
  const name = names.find((parts) => parts.every((part) => part !== ''))?.join(' ');
  const account = ACCOUNTS.map((field) => deliveryMethodInfo[field] ?? '').find((text) => text !== '');
  return { receiver: name ?? null, account: account === undefined ? null : masked(account) };
}

/** @param column its canonical name. */
export function isAccount(column: string): boolean {
  return ACCOUNTS.some((field) => column.endsWith(`.${field}`));
}

export function masked(account: string): string {
  const from = account.includes('@') ? account.indexOf('@') : account.length - SHOWN_AT_END;
  return `••• ${from > 0 ? account.slice(from) : ''}`.trim();
}
