// A ledger that cannot be trusted or written: nothing may be sent on its word.

export class LedgerUnusable extends Error {
  override readonly name = 'LedgerUnusable';
}

export const DAMAGED =
  'The ledger is damaged. Move ledger.sqlite aside and run "paydrop rebuild" with the files that were paid.';

/** Words for SQLite's primary result codes that a person can do something about. */
const WORDS: Readonly<Record<number, string>> = {
  5: 'Another program holds the ledger. Close that program and try again.',
  8: 'The ledger cannot be written. Check the permissions of the workspace folder.',
  10: 'The disk under the ledger fails. Nothing more is sent. Check the disk, then run the same command again.',
  11: DAMAGED,
  13: 'The disk is full. Make room, then run the same command again.',
  14: 'The ledger cannot be opened. Check that the workspace folder exists and that you may write there.',
  26: 'ledger.sqlite is not a ledger. Move it aside and run "paydrop rebuild" with the files that were paid.',
};

/** A fault of SQLite as a `LedgerUnusable`; any other error as it is, because it is a bug. */
export function asLedgerUnusable(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // The low byte is the primary code; what stands above it are details.
  const words = WORDS[Number(error.errcode) & 0xff];
  return words === undefined ? error : new LedgerUnusable(words, { cause: error });
}

/** Our own JSON as it was written; the schema version guards its shape. Text that is none any more was changed under SQLite's eyes. */
export function readRecord(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new LedgerUnusable(DAMAGED, { cause: error });
  }
}
