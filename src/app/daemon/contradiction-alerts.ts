// What in a notification should make a person look: where it contradicts what is on record. Nothing is decided by it.
import { compareDecimals } from '../../base/decimal.ts';
import type { NamedTransfer } from '../../ledger/records.ts';
import type { Stage, StageOrHeld } from '../../payouts/lifecycle.ts';
import { stageOrHeld, mayHaveBeenConfirmed, type KnownTransfer } from '../../payouts/progress.ts';
import type { Transfer } from '../../service/wire.ts';

export const ALARMS = [
  'unreadable',
  'contradicts',
  'given-up',
  'not-confirmed-here',
  'ended-otherwise',
] as const;
export type Alarm = (typeof ALARMS)[number];

export const ALARM_WORDS: Readonly<Record<Alarm, string>> = {
  unreadable: 'webhook with a good signature that cannot be read',
  contradicts: 'webhook contradicts the ledger',
  'given-up': 'webhook of a transfer that was proved dead; it may have been paid beside its successor',
  'not-confirmed-here': 'webhook of a transfer that nobody has confirmed here',
  'ended-otherwise': 'webhook says paid of a payout that has ended otherwise',
};

/** Null when everything is as it should be. */
export function alarmOf({ row, attempt }: NamedTransfer, told: Transfer | null): Alarm | null {
  const { progress } = row;
  if (attempt !== progress.transferAttempt) return 'given-up';
  if (told === null) return 'unreadable';
  if (progress.transfer !== null && contradicts(progress.transfer, told)) return 'contradicts';
  if (UNCONFIRMED.has(stageOrHeld(progress)) && !mayHaveBeenConfirmed(progress)) return 'not-confirmed-here';
  // What was paid and came back is told twice, and the two may overtake each other.
  const isReversed = progress.transfer?.statusCode === '100001';
  return told.status === 'paid' && UNPAID.has(stageOrHeld(progress)) && !isReversed
    ? 'ended-otherwise'
    : null;
}

const UNCONFIRMED: ReadonlySet<StageOrHeld> = new Set<Stage>(['ready', 'quoted', 'created']);
const UNPAID: ReadonlySet<StageOrHeld> = new Set<Stage>(['failed', 'rejected', 'duplicate']);

function contradicts(known: KnownTransfer, told: Transfer): boolean {
  return (
    told.id !== known.transferId ||
    told.externalId.toLowerCase() !== known.externalId.toLowerCase() ||
    compareDecimals(told.sendAmount, known.sendAmount) !== 0 ||
    compareDecimals(told.feeAmount, known.feeAmount) !== 0 ||
    compareDecimals(told.receiveAmount, known.receiveAmount) !== 0
  );
}
