// docs/messages.md: each code with what it means and what to do, from the tables of the code.
import { APPROVAL_FILE_CODES } from '../../src/app/workflow/approval/take-approval-file.ts';
import { DECISION_CODES } from '../../src/app/workflow/approval/decide-approval.ts';
import { say } from '../../src/base/language.ts';
import { FILE_REFUSAL_CODES, REMEDIES } from '../../src/rows/file-refused.ts';
import { REJECTION_CODES, type RejectionCode } from '../../src/payouts/row-reader.ts';
import { code, generated, table } from './markdown.ts';

export function messagesPage(): string {
  return [
    generated(
      'Messages and codes',
      'For clerks and the helpdesk. paydrop always says the reason in words; the codes are for programs and for looking something up.',
    ),
    '## A row to fix\n',
    'In `result`: `payout.errorCode`, with spaces between several codes; `rejected` has the words in `payout.error`. The row was never sent.\n',
    table(
      ['code', 'what is wrong, and what to do'],
      REJECTION_CODES.map((name) => [code(name), REJECTIONS[name]]),
    ),
    '\n## A file that is refused\n',
    'In `refused.json`. Nothing of the file was sent.\n',
    table(
      ['code', 'what to do', 'que faire'],
      FILE_REFUSAL_CODES.map((name) => [code(name), say(REMEDIES[name], 'en'), say(REMEDIES[name], 'fr')]),
    ),
    '\n`rows_rejected`: rows of the file have to be fixed, and `policy.onInvalidRows` is `refuse-file`. `standing_file_withdrawn`: the standing file was taken away before its time.',
    '\n## A held row\n',
    'In `result`: `payout.errorCode`. The row waits for a person, or for what the words name. [Held rows](holds.md) has every code.',
    '\n## An approval that is not obeyed\n',
    'From `approve` and `decline`, and in `<batch>.approve.refused.json`: ',
    `${[...new Set<string>([...DECISION_CODES, ...APPROVAL_FILE_CODES])].map(code).join(', ')}.`,
    '',
  ].join('\n');
}

const REJECTIONS: Readonly<Record<RejectionCode, string>> = {
  row_is_total: 'The row is a total, not a payment. Delete it; only the last row of a list may be its total.',
  row_below_total:
    'The row stands below the total and is not complete. Delete a remark or a signature; move a payment above the total.',
  corridor_missing:
    'Nothing says where the money goes. Add the country, currency and method, or `payoutCorridorId`.',
  corridor_unknown: 'There is no corridor with this id. `paydrop corridors` lists them.',
  corridor_none:
    'No corridor fits this country, currency, mode and method together. Compare with `paydrop corridors`.',
  corridor_ambiguous: 'More than one corridor fits. Add what the message names.',
  corridor_disabled: 'The service has switched this corridor off. Pay the row another way, or later.',
  value_not_listed: 'The cell holds none of the allowed values. Use one that the message lists.',
  source_currency_missing: 'Say which balance pays: `XAF`, `EUR` or `USD`.',
  source_currency_not_in_corridor:
    'This corridor cannot be paid from that balance. Use one that the message lists.',
  amount_missing: 'Fill one amount.',
  amount_twice: 'Both amounts are filled. Leave one empty.',
  amount_currency_missing: 'Say in which currency the amount is.',
  amount_currency_unrelated: 'The currency is neither the one that is sent nor the one that arrives.',
  amount_not_a_number: 'Write the amount as a number.',
  amount_not_positive: 'Write an amount above zero.',
  amount_too_many_decimals:
    'The currency has fewer decimals. Write the exact amount: paydrop does not round.',
  amount_outside_bounds: 'The corridor pays between the bounds that the message names.',
  amount_currency_contradicts: 'The cell names another currency than the column. Make them agree.',
  purpose_missing: 'Say what the payment is for.',
  purpose_malformed: 'Write the purpose in capitals with underscores, such as `SALARY_PAYMENT`.',
  sender_missing: 'Nothing says who pays. Fill `sender` in the config, or the `sender.` columns.',
  sender_outside_cemac:
    'The sender must be in Cameroon, Gabon, Chad, Congo, Equatorial Guinea or the Central African Republic.',
  receiver_field_missing: 'The corridor needs this field of the receiver. Fill it.',
  delivery_field_missing: 'The corridor needs this field of the account. Fill it.',
  text_unprintable:
    'The cell holds a line break or characters that cannot be printed. Type it again, in one line.',
  text_too_long: 'Shorten the text.',
  number_destroyed:
    'A spreadsheet program shortened the number. Format the column as text and enter the number again.',
  number_not_text: 'Format the column as text, so that no digit is lost.',
  telephone_malformed: 'Write the telephone number in digits, with its country code.',
  account_malformed:
    'Write the number of one account alone, or the SWIFT code of its bank: letters and digits, no words.',
  name_without_letters: 'The cell holds a number or a code. Write the name there.',
  attachment_missing:
    'This payment needs a document. Name a PDF or image in the attachment column; beside a message lies one that the fault names.',
  attachment_path: 'The name must be that of a file in the same folder or below it.',
  attachment_not_found: 'Put the document into the folder of the spreadsheet, under exactly this name.',
  attachment_not_a_file: 'The name leads to a folder or a link. Put the document itself there.',
  attachment_too_large: 'Make the document smaller.',
  attachment_kind: 'Use a PDF or an image.',
  reference_repeated: 'Two rows have this reference. Give each payment its own.',
  element_unsupported:
    'The message asks for something that the payout service cannot do. Take the element out of the payment.',
  iban_wrong: 'The check digits of the IBAN do not fit. Copy it from the papers of the payee.',
  country_contradicts: 'Account, bank and clearing system name different countries. Correct the wrong one.',
  person_name_undecided: 'Write the name as `Family name, First name`.',
  refused_by_service: 'The payout service refused the row. The message has its words.',
};
