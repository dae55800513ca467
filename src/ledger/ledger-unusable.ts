// A ledger that cannot be trusted or written: nothing may be sent on its word.
import { ToldError, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export class LedgerUnusable extends ToldError {
  override readonly name: string = 'LedgerUnusable';
}

/** The ledger is out of reach for now: nothing may be sent, and who can wait tries again. What was being written may have reached it or not. */
export class LedgerAway extends LedgerUnusable {
  override readonly name = 'LedgerAway';
}

/** The batch was taken over since: another carrier goes on with it, and nothing was written. */
export class LeaseLost extends ToldError {
  override readonly name = 'LeaseLost';

  constructor(batch: string) {
    super(sentence('ledger.leaseLost', { batch }));
  }
}

export const DAMAGED: Words = sentence('ledger.damaged');

/** SQLITE_BUSY: another program held the ledger for as long as we wait. */
export const BUSY = 5;

const DISK_FAILS: Words = sentence('ledger.diskFails');

const DISK_FULL: Words = sentence('ledger.diskFull');

/** Words for SQLite's primary result codes that a person can do something about. */
const WORDS: Readonly<Record<number, Words>> = {
  [BUSY]: sentence('ledger.held'),
  8: sentence('ledger.notWritable'),
  10: DISK_FAILS,
  11: DAMAGED,
  13: DISK_FULL,
  14: sentence('ledger.notOpened'),
  26: sentence('ledger.notALedger'),
};

/** A fault of SQLite as a `LedgerUnusable`; any other error as it is, because it is a bug. */
export function asLedgerUnusable(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // The low byte is the primary code; the higher ones are details.
  const code = Number(error.errcode) & 0xff;
  const words = WORDS[code];
  if (words === undefined) return error;
  return new (code === BUSY ? LedgerAway : LedgerUnusable)(words, { cause: error });
}

/** The disk did not take what the ledger was told to keep. */
export function notSynced(error: unknown): LedgerUnusable {
  const isFull =
    error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
  return new LedgerUnusable(isFull ? DISK_FULL : DISK_FAILS, { cause: error });
}

/** Our own JSON as it was written; the schema version guards its shape. Text that is none any more was changed under SQLite's eyes. */
export function readRecord(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new LedgerUnusable(DAMAGED, { cause: error });
  }
}
