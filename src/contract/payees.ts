// Everybody who was paid: accounts, history, and what people have verified.
import { z } from 'zod';

import { foundPayment } from './search.ts';
import { stepUp } from './session.ts';
import { type Body, decimal, listOf, moment, page, text } from './schema.ts';

/** With the masked end of the account, and the row from which it was read. */
export const verification = z.object({
  account: text.nullable(),
  at: moment,
  by: text,
  how: text,
  batch: text,
  row: text,
});
export type Verification = Body<typeof verification>;

/** `account` and `verified`: of the payment that was made last. */
const payee = z.object({
  id: text,
  name: text,
  account: text.nullable(),
  accounts: z.int(),
  lastAt: moment,
  lastAmount: decimal,
  lastCurrency: text,
  verified: verification.nullable(),
});
export type Payee = Body<typeof payee>;

/** Words of the name, or the last four digits of an account: no address names a whole one. */
export const payeesFilter = z.strictObject({ find: text.min(1).max(100).optional() });
export type PayeesFilter = Body<typeof payeesFilter>;
export const payeesQuery = payeesFilter.extend(page);
export type PayeesQuery = Body<typeof payeesQuery>;
/** Whoever was paid last stands first. `isWhole`: false while the payments are still being read. */
export const payees = listOf(payee).extend({ isWhole: z.boolean() });
export type Payees = Body<typeof payees>;

/** An account as it is told: its masked end, and a row that names it. */
const account = z.object({
  account: text.nullable(),
  payments: z.int(),
  firstAt: moment.nullable(),
  lastAt: moment.nullable(),
  batch: text,
  row: text,
  /** The newest first. */
  verified: z.array(verification),
});
export const payeeHistory = z.object({
  id: text,
  name: text,
  firstAt: moment,
  lastAt: moment,
  /** The account that was paid last stands first, those that were verified and not paid yet at the end. */
  accounts: z.array(account),
  /** What the payee got. */
  sums: z.array(z.object({ currency: text, payments: z.int(), amount: decimal })),
  /** The newest. */
  payments: z.array(foundPayment),
  /** Named by these payments. */
  documents: z.array(z.object({ name: text, batch: text, row: text })),
});
export type PayeeHistory = Body<typeof payeeHistory>;
export type PayeeAccount = PayeeHistory['accounts'][number];

/** Whom a row pays, and what people have verified of exactly its account, the newest first. */
export const rowPayee = z.object({
  id: text,
  name: text,
  account: text.nullable(),
  isPaid: z.boolean(),
  verified: z.array(verification),
});
export type RowPayee = Body<typeof rowPayee>;
export const rowPayeeQuery = z.strictObject({ row: text.max(100) });
export type RowPayeeQuery = Body<typeof rowPayeeQuery>;

/** The account is the one of a row: nobody types it once more. */
export const withdrawing = z.strictObject({ batch: text.max(100), row: text.max(100), how: text.max(500) });
export type Withdrawing = Body<typeof withdrawing>;
export const verifying = withdrawing.extend({ stepUp });
export type Verifying = Body<typeof verifying>;
