// Why a row is held, and the rules of each hold. A new code is a line of this table with its sentences; no other file has to know it.
import { isoTime } from '../base/clock.ts';
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

type Rule = {
  /**
   * Who lifts the hold, so that the row goes on from its stage: a person by `release`; paydrop by itself; or nobody, and the row can only be
   * followed or cancelled.
   */
  readonly lifts: 'release' | 'itself' | 'never';
  /**
   * Whose transfer is on record. `own`: certainly the row's, and it agreed with the row, so a look may find that it has ended. `foreign`: it
   * differs from the row, and may be somebody else's. `earlier`: an earlier attempt's, which is being paid. Absent: the row's, if there is one.
   */
  readonly transfer?: 'own' | 'foreign' | 'earlier';
  /**
   * The limit that the row exceeds, of the row itself or of its price. A release lifts the limit for what the row costs at that moment; a new
   * price may lift it without a person.
   */
  readonly limit?: 'row' | 'price';
  /** The service shows what no look can settle: the person who cancels the row has asked the operator, and says that it will not be paid. */
  readonly isBeyondLooking?: true;
  /** The ISO 20022 reason code; absent: narrative. */
  readonly iso?: string;
};

export type HoldRule = Rule & {
  /** The meaning and the remedy, for the person who owns the file: the sentence `hold.<code>`. */
  readonly words: Words;
};

const TABLE = {
  reference_paid_differently: {
    iso: 'DU04',
    lifts: 'release',
    transfer: 'own',
  },
  reference_undecided: {
    iso: 'DU04',
    lifts: 'release',
    transfer: 'own',
  },
  similar_reference: {
    iso: 'DU04',
    lifts: 'release',
    transfer: 'own',
  },
  earlier_row_paid: {
    iso: 'DUPL',
    lifts: 'release',
    transfer: 'own',
  },
  reversed_before: {
    lifts: 'release',
    transfer: 'own',
  },
  same_payment_recently: {
    iso: 'DUPL',
    lifts: 'release',
    transfer: 'own',
  },
  same_payment_other_reference: {
    lifts: 'release',
    transfer: 'own',
  },
  paid_in_earlier_period: {
    lifts: 'release',
    transfer: 'own',
  },
  file_paid_before: {
    lifts: 'release',
    transfer: 'own',
  },
  equal_rows: {
    iso: 'DUPL',
    lifts: 'release',
    transfer: 'own',
  },
  same_bytes_again: {
    iso: 'DUPL',
    lifts: 'release',
  },
  same_content: {
    iso: 'DUPL',
    lifts: 'release',
  },
  told_as_rejected: {
    lifts: 'release',
  },
  said_paid: {
    iso: 'DUPL',
    lifts: 'release',
  },
  said_otherwise: {
    lifts: 'release',
  },
  credit_note_beside: {
    lifts: 'release',
  },
  telephone_elsewhere: {
    lifts: 'release',
  },
  file_name_says: {
    lifts: 'release',
  },
  new_account: {
    iso: 'AC15',
    lifts: 'release',
  },
  in_doubt_unsent: {
    lifts: 'release',
  },
  in_doubt_unreadable: {
    lifts: 'never',
  },
  in_doubt_unseen: {
    lifts: 'itself',
    transfer: 'own',
  },
  over_row_limit: {
    iso: 'AM14',
    lifts: 'release',
    transfer: 'own',
    limit: 'row',
  },
  over_payee_limit: {
    iso: 'AM14',
    lifts: 'release',
    transfer: 'own',
    limit: 'row',
  },
  over_fee_limit: {
    lifts: 'release',
    limit: 'price',
  },
  under_rate_limit: {
    lifts: 'release',
    limit: 'price',
  },
  price_moved: {
    iso: 'AM09',
    lifts: 'release',
  },
  quotation_mismatch: {
    iso: 'AM09',
    lifts: 'release',
  },
  echo_mismatch: {
    lifts: 'never',
    transfer: 'foreign',
  },
  id_collision: {
    lifts: 'never',
    transfer: 'foreign',
  },
  unknown_status: {
    lifts: 'never',
    transfer: 'own',
    isBeyondLooking: true,
  },
  status_went_back: {
    lifts: 'never',
    transfer: 'own',
  },
  transfer_reinstated: {
    lifts: 'never',
    transfer: 'earlier',
  },
  confirm_uncertain: {
    lifts: 'never',
    transfer: 'own',
  },
  network_undecided: {
    lifts: 'never',
    transfer: 'own',
  },
  document_refused: {
    iso: 'MINF',
    lifts: 'release',
    transfer: 'own',
  },
  document_changed: {
    lifts: 'release',
    transfer: 'own',
  },
  document_demanded: {
    iso: 'MINF',
    lifts: 'release',
    transfer: 'own',
  },
  too_many_attempts: {
    iso: 'FF10',
    lifts: 'never',
    transfer: 'own',
  },
  unexpected_refusal: {
    lifts: 'release',
    transfer: 'own',
    isBeyondLooking: true,
  },
  batch_stopped: {
    lifts: 'release',
    transfer: 'own',
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type HoldCode = keyof typeof TABLE;

/** Laid over the row's stage; when it is lifted, the row goes on from there. */
export type Hold = {
  readonly code: HoldCode;
  /** The reason in plain words. */
  readonly reason: Words;
  /** The service's own code, where that code is the cause of the hold. */
  readonly errorCode: string | null;
  /** Our time, ISO. */
  readonly since: string;
};

export const HOLD_CODES = Object.keys(TABLE) as readonly HoldCode[];

export const HOLDS = Object.fromEntries(
  HOLD_CODES.map((code) => [code, { ...TABLE[code], words: sentence(`hold.${code}`) }]),
) as Readonly<Record<HoldCode, HoldRule>>;

/** @param now our time, in ms. */
export function newHold(code: HoldCode, now: number, reason: Words = HOLDS[code].words): Hold {
  return { code, reason, errorCode: null, since: isoTime(now) };
}

/** The codes of limits that a row can exceed. */
export type LimitCode = CodesWith<{ readonly limit: 'row' | 'price' }>;
/** The codes among them that a new price may lift. */
export type PriceLimitCode = CodesWith<{ readonly limit: 'price' }>;

type CodesWith<Part> = { [Code in HoldCode]: (typeof TABLE)[Code] extends Part ? Code : never }[HoldCode];

export function isLimitCode(code: HoldCode): code is LimitCode {
  return HOLDS[code].limit !== undefined;
}

/** True for a hold that paydrop lifts by itself, as soon as it sees what it waits for. */
export function liftsItself(hold: Pick<Hold, 'code'> | null): boolean {
  return hold !== null && HOLDS[hold.code].lifts === 'itself';
}

/** True while a look may find that the held row has ended, or is on its way. */
export function mayEnd(hold: Pick<Hold, 'code'> | null): boolean {
  return hold !== null && HOLDS[hold.code].transfer === 'own';
}

/** True when no look can show that the transfer will never be paid: the person who cancels the row has asked the operator. */
export function isBeyondLooking(hold: Pick<Hold, 'code'> | null): boolean {
  return hold === null || !mayEnd(hold) || HOLDS[hold.code].isBeyondLooking === true;
}

/** True when the transfer on record may be somebody else's. */
export function isForeign(hold: Pick<Hold, 'code'> | null): boolean {
  return hold !== null && HOLDS[hold.code].transfer === 'foreign';
}
