// Files of an account that are refused before they reach the inbox, in words for whoever made them.
import type { Words } from '../../../base/language.ts';
import { ENVELOPE_FAULT_CODES } from '../../../sftp/openpgp.ts';
import type { RefusalReason } from '../../workflow/take/refuse-file.ts';
import { sentence } from '../../../messages/messages.ts';

export const EXCHANGE_REFUSAL_CODES = [...ENVELOPE_FAULT_CODES, 'sequence_repeated'] as const;
export type ExchangeRefusalCode = (typeof EXCHANGE_REFUSAL_CODES)[number];

const REASONS: Readonly<Record<ExchangeRefusalCode, Words>> = {
  not_decrypted: sentence('exchangeRefusals.not_decrypted'),
  signature_missing: sentence('exchangeRefusals.signature_missing'),
  signature_wrong: sentence('exchangeRefusals.signature_wrong'),
  sequence_repeated: sentence('exchangeRefusals.sequence_repeated'),
};

export function refusalOf(code: ExchangeRefusalCode): RefusalReason {
  return { code, reason: REASONS[code], rejected: 0, answers: [] };
}
