// A person decides about held rows with the real code of `release`: tries them again, or cancels them, at a good moment or a bad one. The
// command may be killed between any two of its records.
import { type ReleaseOrder, releaseRows } from '../../src/app/workflow/decisions/release-rows.ts';
import { giveOrder } from '../../src/app/workflow/decisions/mailbox.ts';
import { underLease } from '../../src/ledger/ledger.ts';
import { SqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { type ClosedList, told } from './closed-list.ts';
import { errorWords } from './error-words.ts';
import { recordsIn } from './ledger-copy.ts';
import { Life } from './life.ts';
import { mortalLedger } from './mortal-ledger.ts';
import type { Random } from './random.ts';
import { BATCH } from './session.ts';
import { virtualClock } from './virtual-clock.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after the last fault some decisions come: within every fence, and beyond them all. */
const LATER_MS = [MINUTE_MS, 12 * MINUTE_MS, 2 * HOUR_MS, 30 * HOUR_MS] as const;

/** All is decided, and the machine that it was decided on may be lost. */
const THE_END = 'the end';

/** A command has few points at which it can die, and its end is the one that matters most. */
export function deathAt(point: string): number {
  return point === THE_END ? 0.25 : 0.03;
}

export function scheduleDecisions(world: World, list: ClosedList): void {
  const random = world.random.fork('person');
  const { decisions, faultsMs } = world.plan;
  for (let number = 1; number <= decisions; number++) {
    const isLater = random.chance(0.5);
    const ms = isLater ? faultsMs + random.between(0, random.pick(LATER_MS)) : random.between(0, faultsMs);
    world.scheduler.after(ms, () => void decide(world, list, random.fork(String(number)), number));
  }
}

async function decide(world: World, list: ClosedList, random: Random, number: number): Promise<void> {
  const held = recordsIn(world.database).flatMap(({ row, progress }) =>
    progress.hold !== null ? [row] : [],
  );
  if (held.length === 0) return;
  const order = {
    by: 'Ama',
    reason: 'looked it up',
    rows: random.chance(0.5) ? null : new Set([random.pick(held)]),
    skip: random.chance(0.5),
  };
  const life = new Life(`person-${String(number)}`, world.scheduler, (own, point) =>
    world.atPersonsPoint(own, point),
  );
  // No other event comes in between: the command takes no time, and its files are read and written meanwhile.
  await world.scheduler.during(Promise.race([release(world, list, life, order, random), life.death]));
  world.atPersonsPoint(life, THE_END);
  life.die();
  world.resume();
}

async function release(
  world: World,
  list: ClosedList,
  life: Life,
  order: ReleaseOrder,
  random: Random,
): Promise<void> {
  const { scheduler, database, witness, plan } = world;
  const wrongMs = random.between(-plan.wallWrongMsMost, plan.wallWrongMsMost);
  const clock = virtualClock(scheduler, life, random, wrongMs);
  const kept = new SqliteLedger(database, world.startOf(life.id), clock);
  const ledger = mortalLedger(kept, life, scheduler, witness.write, () => undefined);
  try {
    const batch = await ledger.batch(BATCH);
    if (batch === null) return;
    const records = { ...list.asking(life, clock), ledger, workspace: list.workspace };
    const end = await underLease(ledger, batch, (leased) => releaseRows(records, leased, order));
    if (end !== null) witness.write({ kind: 'decided', life: life.id, ...told(order, end) });
    // A process has it: that one carries the order out.
    else await giveOrder({ ledger, clock }, batch, order);
  } catch (error) {
    world.bugs.push(errorWords(error));
  }
}
