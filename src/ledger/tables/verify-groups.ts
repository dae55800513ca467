// Holds each group of the history against the one before it in its chain.
import type { HistoryFault } from '../history.ts';
import { type Found, type Group, type Head, sealOf } from '../seals.ts';
import { rowName, told, type Verified } from './verify-records.ts';

/** Its numbers are those of its chain, which are its own where the table has one chain for each run. */
export function groupOf(found: Found): Group & { readonly hash: string } {
  const [seq, last] = [Number(found['seq']), Number(found['last'])];
  const first = numberOrNull(found['chain_seq']) ?? seq;
  return {
    seq: first,
    last: first + last - seq,
    at: String(found['at']),
    batch: String(found['batch']),
    from: numberOrNull(found['from_position']),
    to: numberOrNull(found['to_position']),
    events: String(found['events']),
    hash: String(found['hash']),
  };
}

export function faultOfNumber(last: number, seq: number): HistoryFault | null {
  return seq === last + 1 ? null : { kind: 'events-missing', from: last + 1, to: seq - 1 };
}

/** @param before the group before it in its chain. */
export async function faultOfGroup(
  of: Verified,
  before: Head,
  found: Found,
  { hash, ...group }: ReturnType<typeof groupOf>,
): Promise<HistoryFault | null> {
  const { seq, at, batch } = group;
  const isNext = faultOfNumber(before.last, seq) === null;
  if (isNext && sealOf(before.hash, group) === hash) return null;
  const [first] = told(found);
  const row = typeof first?.position === 'number' ? await rowName(of, batch, first.position) : null;
  return {
    kind: 'event-forged',
    place: { seq: Number(found['seq']), at, batch, row, event: first?.event ?? '' },
  };
}

function numberOrNull(value: Found[string]): number | null {
  return typeof value === 'number' ? value : null;
}
