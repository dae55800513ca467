// Why a payout waits for a person, and what that person should do. Nothing of it is ever decided by a machine alone.

export const HELD_CODES = [
  'reference_paid_differently',
  'reference_undecided',
  'similar_reference',
  'earlier_row_paid',
  'reversed_before',
  'same_payment_recently',
  'equal_rows',
  'same_content',
  'rebuilt_unsent',
  'rebuilt_unreadable',
  'over_row_limit',
  'over_payee_limit',
  'quotation_mismatch',
  'echo_mismatch',
  'id_collision',
  'unknown_status',
  'status_went_back',
  'confirm_uncertain',
  'network_undecided',
  'document_refused',
  'document_changed',
  'document_demanded',
  'too_many_attempts',
  'unexpected_refusal',
] as const;
export type HeldCode = (typeof HELD_CODES)[number];

/** What each code means and what to do, in words for the person who owns the file. */
export const HELD_WORDS: Readonly<Record<HeldCode, string>> = {
  reference_paid_differently:
    'A payment with this reference is paid or under way with another receiver or amount. If this is a new payment, give it its own reference; if not, leave it.',
  reference_undecided:
    'The same payment waits for a person, or was closed unpaid while it may still be paid. Decide that one first; release this one only if that one is never paid.',
  similar_reference:
    'The same payment has nearly the same reference elsewhere: only case, spaces, punctuation or leading zeros differ. If both are meant, release this one; if not, close it with --skip.',
  earlier_row_paid:
    'This row comes from an answer of paydrop, and the row that it was (payout.batch, payout.row) is paid, under way or undecided with other data. If it is a new payment, give it a reference of its own; if not, leave it.',
  reversed_before:
    'This payment was made before, and the money came back. Find out why before it goes out again; then release it.',
  same_payment_recently:
    'The same receiver, account, amount and currency were paid from another file in the last days. If it is meant twice, give each row its own reference.',
  equal_rows:
    'Two rows of this file are the same payment and carry no reference. If both are meant, give each its own reference; if not, delete one.',
  same_content:
    'A file with the same content was taken before, and this row carries no reference. If it is meant again, give each row its own reference.',
  rebuilt_unsent:
    'The batch was finished before the ledger was lost, and the service knows no transfer of this row: it was refused, or closed on purpose. Release it only if it is certain that it is still owed.',
  rebuilt_unreadable:
    'The service has a transfer of this row, but the row can no longer be read as the payment that it was: the settings, the documents or the corridors have changed. Look the transfer up at the service.',
  over_row_limit:
    'This row is over the limit of one payment (limits.perRow). Nothing of it was sent. If it is right, release it; if not, close it with --skip.',
  over_payee_limit:
    'With this row the payee, or the account, would get more in a day than one may (limits.perPayeePerDay). Nothing of it was sent. If it is right, release it; if not, close it with --skip.',
  quotation_mismatch:
    'The service quoted something else than was asked. Nothing was sent. Ask the service why.',
  echo_mismatch:
    'The service created a transfer that differs from this row. It was not confirmed and will not be. Ask the service why.',
  id_collision:
    'The service already has another transfer under the id of this row. Nothing was confirmed. Find out who else uses this account.',
  unknown_status:
    'The service gave this transfer a status that paydrop does not know. Look it up at the service.',
  status_went_back: 'The service moved this transfer back to an earlier status. Look it up at the service.',
  confirm_uncertain:
    'The transfer expired while it was not known whether its confirmation had arrived. Look it up at the service before paying again.',
  network_undecided:
    'The payout network refused the confirmation, but the transfer did not end. Look it up at the service before paying again.',
  document_refused:
    'The service did not take the document. Check the file (PDF or image, not too large) and pay the row from a new file.',
  document_changed:
    'The document is not the one that was checked. Put the original back, or pay the row from a new file.',
  document_demanded:
    'The service keeps asking for a document for this transfer. Ask the service which one it wants.',
  too_many_attempts:
    'The transfer expired unpaid several times. Check the connection and the validity of quotations, then pay the row from a new file.',
  unexpected_refusal:
    'The service refused in a way that its interface does not describe. Look the transfer up at the service.',
};
