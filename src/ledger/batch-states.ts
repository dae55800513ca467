// How far a batch has come, and every way on from there. The ledger refuses any other, so that a process that slept too long cannot take
// a batch back to where it left it.

/**
 * `taking`: announced, its files are being copied; `reading`: its rows are being validated and registered; `checking`: all are registered,
 * and are being held against all other batches, some at a time; `pricing`: that is done, not acknowledged yet; `accepted`: acknowledged, and nothing is sent before what it waits for has come; `paying`:
 * transfers are made and followed; `closed`: every row is final and answered;
 * `refused`: nothing was sent, and its bytes may come again. After a lost ledger, `rebuilding`: its transfers are being looked for;
 * `rebuilt`: they are known, but what other batches paid is not, and so nothing is sent yet.
 */
export const BATCH_STATES = [
  'taking',
  'reading',
  'checking',
  'pricing',
  'accepted',
  'paying',
  'closed',
  'refused',
  'rebuilding',
  'rebuilt',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Where each state may lead. */
export const ARROWS: Readonly<Record<BatchState, readonly BatchState[]>> = {
  taking: ['reading', 'refused'],
  reading: ['checking', 'pricing', 'refused'],
  // What another batch was held against stands: it is never read anew.
  checking: ['pricing', 'refused'],
  pricing: ['accepted', 'refused'],
  // What its owner has withdrawn before anything was sent.
  accepted: ['paying', 'refused'],
  paying: ['closed'],
  closed: [],
  refused: [],
  // A file that was never accepted is read as if it came for the first time.
  rebuilding: ['rebuilt', 'reading'],
  // What was closed needs nothing but its answers.
  rebuilt: ['accepted', 'paying'],
};

/** True when a batch may go from one state to another; staying is always allowed. */
export function mayBecome(from: BatchState, to: BatchState): boolean {
  return from === to || ARROWS[from].includes(to);
}

/** States in which the rows of a batch are registered anew, and by one run alone. */
export const REGISTERING: ReadonlySet<BatchState> = new Set<BatchState>(['reading', 'rebuilding']);

/** States in which all rows of a batch have been held against all others, so that later ones are held against them; before, those of `checked` have. */
export const CHECKED: readonly BatchState[] = ['pricing', 'accepted', 'paying', 'closed'];
