// The search itself, breadth first, so that the schedule which it finds is a shortest one: every world is looked at once, until one breaks a property or
// none is left. The bound is on worlds, never on seconds.
import { next } from '../../src/payouts/row-machine/next.ts';
import { attemptOf, freshRow } from '../../src/payouts/row-machine/row-state.ts';
import { nowOf, successors } from './successors.ts';
import {
  ACCIDENTS,
  keyOf,
  type Options,
  type RowWorld,
  statusOf,
  type Successor,
  type World,
} from './world.ts';

export type Found = {
  readonly broken: string;
  /** From the beginning to the world that breaks the property. */
  readonly schedule: readonly string[];
  readonly row: RowWorld | null;
};

export type Searched = {
  readonly worlds: number;
  readonly depth: number;
  /** Every world was looked at. */
  readonly isWhole: boolean;
  readonly found: Found | null;
  /** From so many of them a fair run was followed to its end. */
  readonly fairRuns: number;
  /** How the rows stood at people, over all worlds: a search that never sees an end proves nothing. */
  readonly standings: Readonly<Record<string, number>>;
};

/** From one world in so many a fair run has to end. */
const FAIR_EVERY = 37;

export function search(options: Options, worldsMost: number): Searched {
  const keys = new Set<string>();
  const worlds: (World | null)[] = [];
  const from: number[] = [];
  const names: string[] = [];
  const depths: number[] = [];
  const standings: Record<string, number> = {};
  let fairRuns = 0;
  const add = (world: World, parent: number, name: string): void => {
    const key = keyOf(world, options);
    if (keys.has(key)) return;
    keys.add(key);
    worlds.push(world);
    from.push(parent);
    names.push(name);
    depths.push(parent < 0 ? 0 : (depths[parent] ?? 0) + 1);
  };
  const scheduleTo = (index: number): readonly string[] => {
    const schedule: string[] = [];
    for (let at = index; at > 0; at = from[at] ?? 0) schedule.unshift(names[at] ?? '');
    return schedule;
  };
  add(firstWorld(options), -1, '');
  let index = 0;
  let found: Found | null = null;
  for (; index < worlds.length && worlds.length <= worldsMost && found === null; index++) {
    const world = worlds[index];
    if (world === null || world === undefined) continue;
    worlds[index] = null;
    const standing = standingOf(world);
    standings[standing] = (standings[standing] ?? 0) + 1;
    const isSampled = index % FAIR_EVERY === 0;
    if (isSampled) fairRuns += 1;
    const broken =
      violationOf(world, options) ??
      (isSampled && !endsFairly(world, options) ? 'a fair run never ends' : null);
    if (broken !== null) found = { broken, schedule: scheduleTo(index), row: world.rows[0] ?? null };
    else for (const [name, after] of successors(world, options)) add(after, index, name);
  }
  const isWhole = found === null && index >= worlds.length;
  return { worlds: worlds.length, depth: depths.at(-1) ?? 0, isWhole, found, fairRuns, standings };
}

/** Long after the beginning of time, so that no moment that counts lies before it. */
const FIRST_TICK = 100;

function firstWorld(options: Options): World {
  const left = Object.fromEntries(
    ACCIDENTS.map((accident) => [accident, options[accident]]),
  ) as World['left'];
  const rows = Array.from({ length: options.rows }, (): RowWorld => {
    const row = freshRow('L1');
    const owner = { row, lease: 'L1', call: null };
    return {
      durable: row,
      told: null,
      transfers: [null],
      owner,
      woken: null,
      late: [],
      copy: null,
      leases: 1,
      isForbidden: false,
      registered: 0,
      isCompared: options.meet !== 'same-payment',
      isCounted: false,
    };
  });
  return { tick: FIRST_TICK, rows, left, doubtSince: null };
}

// The properties.

export function violationOf(world: World, { meet }: Options): string | null {
  const paying = world.rows.map(
    ({ transfers }) => transfers.filter((one) => ['submitted', 'paid'].includes(statusOf(one))).length,
  );
  const all = paying.reduce((sum, each) => sum + each, 0);
  if (paying.some((each) => each > 1)) return 'paid twice';
  if (all > 1 && meet === 'same-payment') return 'two rows paid that are the same payment';
  if (all > 1 && meet === 'limit') return 'more paid than the limit allows';
  if (world.rows.some(isConfirmedUnintended)) return 'confirms without a durable intent';
  const lie = world.rows.find(({ told }, index) => told !== null && (paying[index] ?? 0) > 0);
  return lie === undefined ? null : `told ${lie.told ?? ''}, and paying`;
}

/** The owner confirms what the ledger does not know as intended: one that is frozen and wakes would not be fenced off. */
function isConfirmedUnintended({ owner: { call, row }, durable }: RowWorld): boolean {
  // One that was seen on its way was confirmed before.
  if (call?.do !== 'confirm' || row.confirmedAt !== null) return false;
  return !durable.isIntended || `t-${String(attemptOf(durable))}` !== call.transferId;
}

function standingOf({ rows }: World): string {
  return rows.map(({ told, durable }) => told ?? durable.end ?? durable.hold?.code ?? 'open').join(' ');
}

// Liveness: from here on nothing goes wrong any more. Reads show the present, every call is answered, nobody decides anything.

const STEPS_MOST = 400;
/** Time has to pass now and then, or two owners that always have something to do would never see it. */
const TIME_EVERY = 12;
/** What the names of what happens begin with; time passes where nobody has anything to do. */
const WHOSE_TURN = ['the network', 'row', 'the ledger catches up', 'owner'] as const;
const UNFAIR =
  /person|refused$|10027|network refuses|is lost|copy|crash|freezes|no answer|of the ledger|ledger is lost|taken and lost/;

function endsFairly(world: World, options: Options): boolean {
  const left = Object.fromEntries(ACCIDENTS.map((accident) => [accident, 0])) as World['left'];
  let at: World = { ...world, left, rows: world.rows.map((row) => ({ ...row, woken: null, late: [] })) };
  for (let step = 0; step < STEPS_MOST; step++) {
    if (at.rows.every((row) => isAtRest(at, row, options))) return true;
    at = fairStep(at, step, options);
  }
  return false;
}

function isAtRest(world: World, { owner }: RowWorld, options: Options): boolean {
  const step = next(owner.row, nowOf(world, owner.lease, options));
  const isRaise = step.do === 'raise' && attemptOf(owner.row) >= options.attempts;
  return owner.call === null && (step.do === 'ended' || step.do === 'held' || isRaise);
}

function fairStep(world: World, step: number, options: Options): World {
  const time: Successor = ['time passes', { ...world, tick: world.tick + 1 }];
  if (step % TIME_EVERY === TIME_EVERY - 1) return time[1];
  const fair = [...successors(world, { ...options, refuses: false })].filter(
    ([name]) => !UNFAIR.test(name) && isPresent(world, name),
  );
  const first = WHOSE_TURN.map((who) => fair.find(([name]) => name.startsWith(who)));
  const [, after] = first.find((each) => each !== undefined) ?? time;
  return after;
}

/** Of all that a read may show, what is true now, by a clock that is right. */
function isPresent(world: World, name: string): boolean {
  const [, status, attempt] = /sees (\w+) of (\d+)/.exec(name) ?? [];
  if (status === undefined) return true;
  return (
    !name.includes('ahead') &&
    world.rows.some(({ transfers }) => statusOf(transfers[Number(attempt)]) === status)
  );
}
