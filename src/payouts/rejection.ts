// Why a row is never sent: one entry for each fault, all at once, so that a file can be corrected in one go.
import { type Reader, type Words, say } from '../base/language.ts';
import { faultsText } from '../messages/messages.ts';
import { namedHeader } from '../rows/known-columns.ts';

export const REJECTION_CODES = [
  'row_is_total',
  'row_below_total',
  'corridor_missing',
  'corridor_unknown',
  'corridor_none',
  'corridor_ambiguous',
  'corridor_disabled',
  'value_not_listed',
  'source_currency_missing',
  'source_currency_not_in_corridor',
  'amount_missing',
  'amount_twice',
  'amount_currency_missing',
  'amount_currency_unrelated',
  'amount_not_a_number',
  'amount_not_positive',
  'amount_too_many_decimals',
  'amount_outside_bounds',
  'amount_currency_contradicts',
  'purpose_missing',
  'purpose_malformed',
  'sender_missing',
  'sender_outside_cemac',
  'receiver_field_missing',
  'delivery_field_missing',
  'text_unprintable',
  'text_too_long',
  'number_destroyed',
  'number_not_text',
  'telephone_malformed',
  'account_malformed',
  'name_without_letters',
  'attachment_missing',
  'attachment_path',
  'attachment_not_found',
  'attachment_not_a_file',
  'attachment_too_large',
  'attachment_kind',
  'reference_repeated',
  'refused_by_service',
  'element_unsupported',
  'iban_wrong',
  'country_contradicts',
  'person_name_undecided',
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

export type Rejection = {
  readonly code: RejectionCode;
  /** The column at fault: its header as written where the file has it, else the canonical name of the missing one. */
  readonly column: string;
  /** Its canonical name. */
  readonly canonical?: string;
  /** What is wrong and what to write instead, a sentence each. It may quote the cell, so it goes into answers and never into logs. */
  readonly words: Words;
  /** For an amount outside the corridor's bounds: that it is too small. */
  readonly isBelow?: boolean;
};

/** All faults of a row as one text; columns are told by the names that people use. */
export function rejectionText(rejections: readonly Rejection[], reader: Reader = 'en'): string {
  const faults = rejections.map(({ column, words }) => ({
    name: say(namedHeader(column), reader),
    message: say(words, reader),
  }));
  return faultsText(faults, reader);
}
