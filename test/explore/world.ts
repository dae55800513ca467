// The world in which the row machine is explored: rows with their owners and what the ledger has of them, the service, messages still on their way. Time
// runs in ticks, and two worlds that differ only in when they began are the same, so the search has no end in time.
import type { RowEvent } from '../../src/payouts/row-machine/row-event.ts';
import {
  freshRow,
  type RowCall,
  type RowEnd,
  type RowState,
} from '../../src/payouts/row-machine/row-state.ts';

/** The accidents and wishes of a configuration: how many of each, and what the service may do. */
export type Options = {
  readonly rows: number;
  /** Two rows are the same payment, or limits leave room for one. */
  readonly meet: 'alone' | 'same-payment' | 'limit';
  readonly crashes: number;
  /** The owner is frozen, another takes over, and the first one wakes. */
  readonly freezes: number;
  /** The ledger is replaced by a copy of itself, is lost and registered again; `isNoticed`: paydrop knows of it. */
  readonly olderCopies: number;
  readonly losses: number;
  readonly isNoticed: boolean;
  readonly cancels: number;
  readonly releases: number;
  /** Calls without an answer. */
  readonly silences: number;
  /** Messages that may be on their way at once after nobody waits for them. */
  readonly late: number;
  /** The service and the network may refuse any call. */
  readonly refuses: boolean;
  /** The service fails transfers that have expired unconfirmed. */
  readonly failsExpired: boolean;
  readonly needsDocument: boolean;
  /** Documents that the service takes and misses all the same. */
  readonly documentsLost: number;
  readonly attempts: number;
  /** Answers that lead nowhere are counted, and few are met before a person looks. */
  readonly isImpatient: boolean;
  /** Ticks: the age of a read, the distance of the service's clocks, the life of a quotation, the fences. */
  readonly staleTicks: number;
  readonly skewTicks: number;
  readonly lifeTicks: number;
  readonly ownTicks: number;
  readonly otherTicks: number;
  /** Planted: the ledger takes what a lost lease commits; an intent or a raise is not durable before it is used. */
  readonly isTokenIgnored: boolean;
  readonly isIntentVolatile: boolean;
  readonly isRaiseVolatile: boolean;
};

export const ACCIDENTS = [
  'crashes',
  'freezes',
  'olderCopies',
  'losses',
  'cancels',
  'releases',
  'silences',
  'documentsLost',
] as const;
export type Accident = (typeof ACCIDENTS)[number];

/** A process that carries a row: what it has in memory, and the call that it waits for. */
export type Owner = { readonly row: RowState; readonly lease: string; readonly call: RowCall | null };

/** A transfer at the service: its expiry and every status with its tick. */
export type ServiceTransfer = {
  readonly expiresAt: number;
  readonly hasDocument: boolean;
  readonly history: readonly { readonly at: number; readonly status: string }[];
};

/** A create or a confirm that somebody sent, and nobody waits for. */
export type Late = {
  readonly call: 'create' | 'confirm';
  readonly attempt: number;
  readonly priceEnds: number;
};

export type RowWorld = {
  /** As the ledger has it. */
  readonly durable: RowState;
  /** An end other than paid, as people were told it: they remember it, whatever becomes of the ledger. */
  readonly told: RowEnd | null;
  /** By attempt, from 1; index 0 is not used. */
  readonly transfers: readonly (ServiceTransfer | null)[];
  readonly owner: Owner;
  /** It was frozen, its lease is lost, and it does not know. */
  readonly woken: Owner | null;
  readonly late: readonly Late[];
  readonly copy: RowState | null;
  readonly leases: number;
  /** A person has cancelled it, by the head file in the folder of its file, which outlives the ledger: whoever takes it up without knowing carries that out. */
  readonly isForbidden: boolean;
  /** When its keys were registered, so that others find it, from 1; 0 before. `isCompared`: it has looked for those that were registered before. */
  readonly registered: number;
  readonly isCompared: boolean;
  /** What limits count for it: by the ledger. */
  readonly isCounted: boolean;
};

export type World = {
  readonly tick: number;
  readonly rows: readonly RowWorld[];
  readonly left: Readonly<Record<Accident, number>>;
  /** The tick since which the ledger is in doubt; null while it is not. */
  readonly doubtSince: number | null;
};

export type Successor = readonly [name: string, world: World];

/** Long enough that no margin of the machine, which are seconds, is as long as a tick. */
export const TICK_MS = 100_000;

const ISO: string[] = [];

export function isoOf(tick: number): string {
  return (ISO[tick] ??= new Date(tick * TICK_MS).toISOString());
}

export function tickOf(iso: string): number {
  return Date.parse(iso) / TICK_MS;
}

export function statusOf(transfer: ServiceTransfer | null | undefined): string {
  return transfer?.history.at(-1)?.status ?? 'none';
}

export function withRow(world: World, index: number, change: Partial<RowWorld>): World {
  return { ...world, rows: world.rows.map((row, at) => (at === index ? { ...row, ...change } : row)) };
}

export function spending(world: World, accident: Accident): World {
  return { ...world, left: { ...world.left, [accident]: world.left[accident] - 1 } };
}

/** The parts of a row that no proof rests on are left out, so that worlds which differ in nothing else are one. */
export function normal(row: RowState, isImpatient: boolean): RowState {
  if (row.end !== null) return { ...ENDED, end: row.end };
  return {
    ...row,
    due: 0,
    tries: 0,
    doubts: isImpatient ? Math.min(row.doubts, 2) : 0,
    quotation: 1,
    confirmedAt: row.confirmedAt === null ? null : 0,
    finalAt: null,
    // Nothing is created any more under this attempt, and the next one asks for a price of its own.
    price: row.transfer === null ? row.price : null,
  };
}

/** Of what has ended nothing more is done, and nothing more is asked. */
const ENDED = freshRow(null);

/** One text for all worlds that are the same from here on. */
export function keyOf(world: World, options: Options): string {
  const { tick, left, doubtSince } = world;
  const age = (at: number): number => Math.max(-capOf(options), at - tick);
  let key = doubtSince === null ? '' : `?${String(age(doubtSince))}`;
  for (const accident of ACCIDENTS) key += String(left[accident]);
  for (const row of world.rows) key += keyOfRow(row, tick, age, options);
  return key;
}

function keyOfRow(row: RowWorld, tick: number, age: (at: number) => number, options: Options): string {
  const transfers = row.transfers.map((one) => (one === null ? '-' : keyOfTransfer(one, tick, age, options)));
  const late = landing(row, tick)
    .map(({ call, attempt, priceEnds }) => `${call}${attempt}${age(priceEnds)}`)
    .sort();
  const copy = row.copy === null ? '' : keyOfState(row.copy, age);
  return `|${keyOfState(row.durable, age)}#${row.told ?? ''}${row.isForbidden ? 'x' : ''}${row.registered}${row.isCompared ? '=' : ''}${row.isCounted ? '$' : ''}#${transfers.join(';')}#${keyOfOwner(row.owner, age)}#${keyOfOwner(row.woken, age)}#${late.join()}#${copy}`;
}

/** Without those that can only be refused any more: they are the same as none. */
export function landing({ late, transfers }: RowWorld, tick: number): readonly Late[] {
  return late.filter(({ call, attempt, priceEnds }) => {
    const transfer = transfers[attempt] ?? null;
    if (call === 'create') return transfer === null && tick <= priceEnds;
    return transfer !== null && statusOf(transfer) === 'created' && tick <= transfer.expiresAt;
  });
}

/** What a read may still show of the past, and what is true now. */
function keyOfTransfer(
  { expiresAt, hasDocument, history }: ServiceTransfer,
  tick: number,
  age: (at: number) => number,
  { staleTicks }: Options,
): string {
  let key = `${age(expiresAt)}${hasDocument ? 'd' : ''}`;
  for (let index = history.length - 1; index >= 0; index--) {
    const { at, status } = history[index] ?? { at: 0, status: '' };
    const old = Math.min(staleTicks + 1, tick - at);
    key += status.slice(0, 1) + String(old);
    if (old > staleTicks) break;
  }
  return key;
}

function keyOfOwner(owner: Owner | null, age: (at: number) => number): string {
  if (owner === null) return '';
  const { call } = owner;
  const calls =
    call === null
      ? ''
      : `${call.do}${'attempt' in call ? call.attempt : 'transferId' in call ? call.transferId : ''}`;
  return `${owner.lease}{${keyOfState(owner.row, age)}}${calls}`;
}

function keyOfState(row: RowState, age: (at: number) => number): string {
  const { transfer, price, closing, hold, document } = row;
  const flags =
    (row.isQuotationThere ? 'q' : '') +
    (row.mayBeAnothers ? 'e' : '') +
    (row.isIntended ? 'i' : '') +
    (row.isRefusedLate ? 'l' : '') +
    (row.isDead ? 'd' : '') +
    (row.mustLook ? 'k' : '') +
    (row.confirmedAt === null ? '' : 'c') +
    (row.networkRefusal === null ? '' : 'n') +
    (row.counted === null ? '' : '$');
  const close = closing === null ? '' : `${closing.as}${closing.isOwnOver}${closing.mayHaveNext}`;
  const known =
    transfer === null ? '-' : transfer.status.slice(0, 1) + String(age(tickOf(transfer.expiredAt)));
  const dead =
    row.deadAttempts.map((each) => each.transfer.status.slice(0, 1)).join('') + String(row.deadLooked);
  return `${row.vouchedBy ?? '-'},${flags},${price === null ? '_' : age(tickOf(price.expiredAt))},${known},${row.mayLandUntil === null ? '' : age(row.mayLandUntil / TICK_MS)},${dead},${document === 'none' ? '' : document.length},${hold?.code ?? ''},${close},${row.end ?? ''},${row.doubts}${row.silentAt === null ? '' : `s${String(age(row.silentAt / TICK_MS))}`}`;
}

/** Further in the past nothing makes a difference any more. */
export function capOf({ staleTicks, skewTicks }: Options): number {
  return 2 + staleTicks + 2 * skewTicks;
}

/** An event for the owner, and the world in which it comes. */
export type Answered = { readonly world: World; readonly event: RowEvent };
