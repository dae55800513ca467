// The sandbox's own endpoints under `/sandbox/`, no part of the interface: a demo or a test does here what the operator would do otherwise.
import { z } from 'zod';

import { fitsCurrency } from '../base/currency.ts';
import { addDecimals, compareDecimals, type DecimalText } from '../base/decimal.ts';
import { ExactNumber, exactNumber } from '../base/exact-json.ts';
import { SOURCE_CURRENCIES } from '../service/wire.ts';
import {
  type SandboxReply,
  faultsOf,
  invalid,
  isAnswer,
  readJsonObject,
  success,
  unknownResource,
} from './answers.ts';
import { bookOf, withAvailable } from './balances.ts';
import { oneOf } from './field-forms.ts';
import type { Book, Sandbox, SandboxRequest, State } from './state.ts';

/** A number or the same digits as text. */
const amount = z
  .union([z.string(), z.instanceof(ExactNumber)], { error: 'must be an amount' })
  .transform((given) => new ExactNumber(given.toString()).toDecimal())
  .refine((value) => value !== null && compareDecimals(value, '0') >= 0, 'must be an amount of 0 or more')
  .transform((value): DecimalText => value ?? '0');

const currency = oneOf(SOURCE_CURRENCIES);
const fits = (given: { currency: string; amount: DecimalText }): boolean =>
  fitsCurrency(given.amount, given.currency);
const FITS = { path: ['amount'], error: 'must have no more decimals than the currency' };
const fund = z.object({ currency, amount }).refine(fits, FITS);
const balance = z
  .object({ currency, availableAmount: amount })
  .transform((given) => ({ currency: given.currency, amount: given.availableAmount }))
  .refine(fits, FITS);
const corridorSwitch = z.object({ isEnabled: z.boolean('must be true or false') });

const rate = z.object({
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency'),
  thousandthsPerEur: z.string().regex(/^[1-9]\d{0,11}$/, 'must be a whole number as text'),
});

/** `POST /sandbox/top-up` {currency, amount}: a deposit. */
export function topUp(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  return withBody(request, fund, (given) => {
    const book = bookOf(sandbox.state, given.currency);
    return setAvailable(sandbox, book, addDecimals(book.availableAmount, given.amount));
  });
}

/** `POST /sandbox/balances` {currency, availableAmount}: the available part is set, the pending part stays. */
export function setBalance(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  return withBody(request, balance, (given) =>
    setAvailable(sandbox, bookOf(sandbox.state, given.currency), given.amount),
  );
}

/** `POST /sandbox/corridors/{id}` {isEnabled}. */
export function switchCorridor(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  const { id } = request;
  if (!sandbox.state.corridors.has(id)) return unknownResource;
  return withBody(request, corridorSwitch, ({ isEnabled }) => {
    sandbox.commit({ corridor: { id, isEnabled } });
    return success({ id, isEnabled });
  });
}

/** `POST /sandbox/rates` {currency, thousandthsPerEur}: the mid-market rate moves for every quotation from now on. */
export function moveRate(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  return withBody(request, rate, (given) => {
    sandbox.commit({ rate: given });
    return success(given);
  });
}

/** `GET /sandbox/books`: for each currency what was deposited, and where it is now. */
export function readBooks({ state }: Sandbox): SandboxReply {
  return success(booksOf(state).map(bookView));
}

/** The books as they stand; `depositedAmount` is always the sum of the other three. */
export function booksOf(state: State): readonly Book[] {
  return [...state.books.values()];
}

function withBody<T>(
  { body }: SandboxRequest,
  schema: z.ZodType<T>,
  act: (given: T) => SandboxReply,
): SandboxReply {
  const read = readJsonObject(body);
  if (isAnswer(read)) return read;
  const parsed = schema.safeParse(read.json);
  return parsed.success ? act(parsed.data) : invalid(faultsOf(parsed.error));
}

function setAvailable(sandbox: Sandbox, book: Book, availableAmount: DecimalText): SandboxReply {
  const changed = withAvailable(book, availableAmount);
  sandbox.commit({ books: [changed] });
  return success(bookView(changed));
}

function bookView({ currency: code, ...amounts }: Book): object {
  return {
    currency: code,
    availableAmount: exactNumber(amounts.availableAmount),
    pendingAmount: exactNumber(amounts.pendingAmount),
    debitedAmount: exactNumber(amounts.debitedAmount),
    depositedAmount: exactNumber(amounts.depositedAmount),
  };
}
