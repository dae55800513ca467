// How much of a file was refused by the service or the network: where that is a lot, what is wrong with the refused rows is probably wrong
// with the rest, and a person should look before it is sent.
import type { Words } from '../base/language.ts';
import { SETTLED, type StageOrHeld } from './lifecycle.ts';
import { sentence } from '../messages/messages.ts';

/** Rows that the service or the network has decided, and how many of them it refused. A confirm that was taken is a decision: waiting for final statuses would take days. */
export type Decisions = { readonly decided: number; readonly refused: number };

/** Hundredths of a percent; null for no limit. */
export type Share = number | null;

/** Of fewer rows than this a single refusal is a large share. */
const DECIDED_LEAST = 10;

export function isOverShare({ decided, refused }: Decisions, share: Share): boolean {
  return share !== null && decided >= DECIDED_LEAST && refused * 10_000 > share * decided;
}

/** What a row adds that has just left the stages before the confirm. */
export function decisionOf(to: StageOrHeld, errorCode: string | null): Decisions {
  // Rows that paydrop itself rejects, or holds, say nothing of the service: the service's codes are numbers.
  const isRefused = to === 'failed' || (errorCode !== null && /^\d+$/.test(errorCode));
  const isDecided = to === 'confirmed' || to === 'paid' || (isRefused && SETTLED.has(to) && to !== 'held');
  return { decided: isDecided ? 1 : 0, refused: isDecided && isRefused && to !== 'paid' ? 1 : 0 };
}

export function plus(a: Decisions, b: Decisions): Decisions {
  return { decided: a.decided + b.decided, refused: a.refused + b.refused };
}

export function minus(a: Decisions, b: Decisions): Decisions {
  return { decided: Math.max(0, a.decided - b.decided), refused: Math.max(0, a.refused - b.refused) };
}

/** In plain words; `share` is the one that was exceeded. */
export function describeShare({ decided, refused }: Decisions, share: number): Words {
  const percent = String(Math.floor((refused * 100) / decided));
  const allowed = String(share / 100);
  return sentence('refusalShare.describeShare', { refused, decided, percent, allowed });
}
