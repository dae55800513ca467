// How far a batch has come, and every way on from there. The ledger refuses any other, so that a process that slept too long cannot take
// a batch back to where it left it.

/**
 * `taking`: announced, its files are being copied; `checking`: its rows are validated and registered, then compared with all other batches, some at a time; `pricing`: that is done, not acknowledged yet; `accepted`: acknowledged, and nothing is sent before what it waits for has come; `reserving`: every transfer is created and none confirmed, where all rows are paid or none;
 * `sending`: some rows may still be sent; `following`: all are sent, and are followed to their end; `closing`: all have ended, and are answered; `closed`: that is done; `refused`: nothing was sent, and its bytes may come again; `resolving`: the
 * ledger was lost, and it is not known yet what was sent.
 */
export const BATCH_STATES = [
  'taking',
  'checking',
  'pricing',
  'accepted',
  'reserving',
  'sending',
  'following',
  'closing',
  'closed',
  'refused',
  'resolving',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Where each state may lead. `app/workflow/states.ts` says what is done in each. */
export const ARROWS = {
  taking: ['checking', 'refused'],
  checking: ['pricing', 'refused'],
  pricing: ['accepted', 'refused'],
  // A file that its owner withdraws before anything was sent is refused.
  accepted: ['reserving', 'sending', 'refused'],
  reserving: ['sending', 'closing'],
  // Of a message that names several days, each is reserved alone where it is paid whole or not at all.
  sending: ['following', 'closing', 'reserving'],
  // The next day of a message has come; or the service contradicts itself about a row that was sent: it is held, and a person may let it be sent.
  following: ['closing', 'sending', 'reserving'],
  closing: ['closed', 'sending'],
  closed: [],
  refused: [],
  // A file that was never accepted is read as if it came for the first time; what was closed needs nothing but its answers.
  resolving: ['checking', 'accepted', 'reserving', 'sending'],
} as const satisfies Readonly<Record<BatchState, readonly BatchState[]>>;

/** True when a batch may go from one state to another; staying is always allowed. */
export function mayBecome(from: BatchState, to: BatchState): boolean {
  const next: readonly BatchState[] = ARROWS[from];
  return from === to || next.includes(to);
}

/** From the moment that something of a batch may be sent until it is closed. */
export const PAYING: ReadonlySet<BatchState> = new Set<BatchState>([
  'reserving',
  'sending',
  'following',
  'closing',
]);

/** States in which all rows of a batch have been held against all others, so that later ones are held against them; before, those of `checked` have. */
export const CHECKED: readonly BatchState[] = ['pricing', 'accepted', ...PAYING, 'closed'];

/** Ended for good, unless the service changes its word about a payment. */
export const ENDED_BATCH: ReadonlySet<BatchState> = new Set<BatchState>(['closed', 'refused']);

/** In which of the two a batch is paid whose gates are passed. */
export function payingState({ whole }: { readonly whole: string | null }): 'reserving' | 'sending' {
  return whole === 'reserving' ? 'reserving' : 'sending';
}

type Standing = { readonly state: BatchState; readonly checked?: unknown; readonly doubt?: unknown };

/** True while its rows are validated and registered: no other batch has been held against them yet. */
export function isBeingRead({ state, checked }: Standing): boolean {
  return state === 'checking' && checked === undefined;
}

/** True while the rows sent before the loss of the ledger are being looked for; once they are known, those of other batches may still be unknown. */
export function isBeingRebuilt({ state, doubt }: Standing): boolean {
  return state === 'resolving' && doubt === undefined;
}

/** True once it is known what was sent of a batch of a lost ledger. */
export function isRebuilt(batch: Standing): boolean {
  return batch.state === 'resolving' && !isBeingRebuilt(batch);
}
