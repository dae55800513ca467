// What can happen to a row: an answer of the service or its absence, a durable step, a word of the file or of a person. Times are those of the answer itself.
import type { DecimalText } from '../../base/decimal.ts';
import type { Words } from '../../base/language.ts';
import type { HoldCode } from '../hold.ts';
import type { KnownTransfer, QuotedPrice, Why } from '../progress.ts';
import type { ErrorCode } from '../../service/wire.ts';
import type { ServiceTime } from '../proof.ts';
import type { PriceStop, RowCall } from './row-state.ts';

export type CallName = RowCall['do'];

export type RowEvent =
  /** `isAdopted`: it was found under its id, and may have been asked for under another config. */
  | {
      readonly on: 'quoted';
      readonly price: QuotedPrice;
      readonly isAdopted: boolean;
      /** It is not what the row asks for. */
      readonly differs: boolean;
      /** The amount is outside the corridor's bounds. */
      readonly outside: Words | null;
    }
  /** `create`: the 2xx that made it. `list`: many were read at once, which decides nothing that could pay twice. */
  | {
      readonly on: 'transfer';
      readonly by: 'create' | 'look' | 'list';
      readonly attempt: number;
      readonly transfer: KnownTransfer;
      /** It is not the transfer that the row asks for, or another one than was known. */
      readonly differs: boolean;
      readonly at: ServiceTime | null;
    }
  /** No transfer is shown (10013 by the row's id, 10014 by the service's). */
  | { readonly on: 'nothing'; readonly attempt: number; readonly at: ServiceTime | null }
  | { readonly on: 'attached' }
  /** The bytes are no longer those that were checked, or are too many for the way to the service. */
  | { readonly on: 'document'; readonly fault: 'changed' | 'too-large' }
  | { readonly on: 'confirmed' }
  /** The commit of the step of the same name is durable. */
  | { readonly on: 'intend' | 'raise' | 'requote' }
  | { readonly on: 'count'; readonly debit: DecimalText }
  | { readonly on: 'stop-at-price'; readonly stop: PriceStop }
  | {
      readonly on: 'refused';
      readonly call: CallName;
      readonly errorCode: ErrorCode;
      readonly words: string;
      readonly at: ServiceTime | null;
    }
  /** Nobody knows whether the call was executed. */
  | {
      readonly on: 'unanswered';
      readonly call: CallName;
      readonly waitMs: number;
      /** The service answers others as usual, and this call never: patience does not help. */
      readonly oddity?: Words;
    }
  /** It was certainly not executed: the service is out of reach or asks for patience, the key is refused, funds are missing. */
  | {
      readonly on: 'unavailable';
      readonly call: CallName;
      readonly waitMs: number;
      /** It is missing for every row (funds, a key): the run waits, and this row has tried nothing. */
      readonly isForAll?: boolean;
    }
  /** This very lease recorded the intent to confirm, and sent none: the file was paused between the two. */
  | { readonly on: 'unsent' }
  /** By the file (a limit, a duplicate, too many refusals), or because a person has to look. */
  | { readonly on: 'hold'; readonly code: HoldCode; readonly reason: Words | null }
  /** It is the same payment as another one, which is or will be paid. */
  | { readonly on: 'duplicate'; readonly why: Why }
  /** A person, or what the hold waited for, lets the row go on. */
  | { readonly on: 'release' }
  /** A person wants it not to be paid. */
  | { readonly on: 'cancel'; readonly why: Why }
  /** Somebody wants to know how it stands: a person before a decision, a notification, a resume. */
  | { readonly on: 'ask' };
