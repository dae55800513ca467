// Holds each group of the history against the one before it in its chain.
import type { HistoryFault } from '../history.ts';
import { type Chain, chainAfter, type Found, type Group, type Head, sealOf, startOf } from '../seals.ts';
import { PAGE_GROUPS, pages, rowName, told, type Verified } from './verify-records.ts';

type Chains = Map<string, Chain>;

/** Every group against the one before it in its chain, and where that leaves the chains. @param countsAll the numbers of a store with one chain count through all of them. */
export async function checkGroups(
  of: Verified,
  chainOf: (found: Found) => string,
  countsAll: boolean,
): Promise<{ readonly chains: Chains; readonly fault: HistoryFault | null }> {
  const chains: Chains = new Map();
  const text = `SELECT * FROM groups WHERE ${of.order} > $1 ORDER BY ${of.order} LIMIT $2`;
  const place = (found: Found) => [Number(found[of.order])];
  let [fault, last]: [HistoryFault | null, number] = [null, 0];
  for await (const found of pages(of, text, [], [Number.MIN_SAFE_INTEGER], place, PAGE_GROUPS)) {
    const name = chainOf(found);
    const [before, group] = [chains.get(name) ?? startOf(name, chains), groupOf(found)];
    fault ??=
      (countsAll ? faultOfNumber(last, Number(found['seq'])) : faultOfNumber(before.last, group.seq)) ??
      (await faultOfGroup(of, before, found, group));
    chainAfter(chains, name, group);
    last = Number(found['last']);
  }
  return { chains, fault };
}

/** Its numbers are those of its chain, which are its own where the table has one chain for each run. */
function groupOf(found: Found): Group & { readonly hash: string } {
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

function faultOfNumber(last: number, seq: number): HistoryFault | null {
  return seq === last + 1 ? null : { kind: 'events-missing', from: last + 1, to: seq - 1 };
}

/** @param before the group before it in its chain. */
async function faultOfGroup(
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
