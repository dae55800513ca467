// What the runs on a shared ledger tell each other. Here they share a file, which confers as a database does: which runs are there, what each would
// use, a STOP in the inbox of one of them, and a notification that came to another.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, expect, it, vi } from 'vitest';

import { openCluster, type Cluster } from '../../src/app/parts/cluster.ts';
import { openHearing, type Hearing } from '../../src/app/parts/webhooks.ts';
import { systemClock } from '../../src/base/clock.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { lookForStop, stopFileWords } from '../../src/inbox/stop-file.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import type { Machine } from '../../src/ledger/runs.ts';
import { atEnd } from '../at-end.ts';
import { processAt } from '../ledger/machines.ts';

const LIMITS = { lanes: 16, perSecond: Infinity };
const SOON = { timeout: 20_000, interval: 20 };

let root: string;
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'cluster-'));
  atEnd(() => rmSync(made, { recursive: true, force: true }));
  root = made;
});

type Node = {
  readonly cluster: Cluster;
  readonly rateControl: RateControl;
  readonly hearing: Hearing;
  readonly inbox: string;
  readonly ended: () => boolean;
  readonly close: () => Promise<void>;
};

async function open(name: string, machine: Machine): Promise<Node> {
  const inbox = join(root, `in-${name}`);
  mkdirSync(inbox);
  const ledger = openSqlite(join(root, 'ledger.sqlite'), systemClock, machine);
  const rateControl = new RateControl(systemClock, LIMITS);
  const hearing = openHearing(systemClock);
  const workspace = { root, inbox };
  const cluster = await openCluster({
    ledger,
    clock: systemClock,
    rateControl,
    limits: LIMITS,
    hearing,
    workspace,
  });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= cluster.close().then(() => ledger.close()));
  atEnd(close);
  return { cluster, rateControl, hearing, inbox, ended: () => ledger.runs.ended.aborted, close };
}

/** Lanes that a run holds, as far as it uses them. */
async function lanesOf({ rateControl }: Node): Promise<number> {
  let left = 0;
  for (let call = 0; call < 40; call += 1)
    void Promise.resolve(rateControl.turn('mutation')).then(() => (left += 1));
  await new Promise(setImmediate);
  return left;
}

/** The first has all lanes, hears of the second, and gives it one. */
async function makeRoom(first: Node, second: Node): Promise<void> {
  expect(await lanesOf(first)).toBe(16);
  expect(await lanesOf(second)).toBe(0);
  await vi.waitFor(() => {
    if (first.rateControl.demand().lanes.underWay > 8) first.rateControl.left();
    expect(second.rateControl.demand().lanes.underWay).toBeGreaterThan(0);
  }, SOON);
}

it('shares out the lanes: the first has all, gives back as its calls end, and the second takes what is free', async () => {
  const first = await open('a', processAt({ pid: 10 }));
  expect(await lanesOf(first)).toBe(16);
  const second = await open('b', processAt({ pid: 20 }));
  expect(await lanesOf(second)).toBe(0);
  // Each call of the first that ends makes room, though the first has others that wait.
  await vi.waitFor(() => {
    if (first.rateControl.demand().lanes.underWay > 8) first.rateControl.left();
    expect(second.rateControl.demand().lanes.underWay).toBe(8);
  }, SOON);
  expect(first.rateControl.demand().lanes.underWay).toBe(8);
});

it('hears of a STOP in an inbox of another, and of its end', async () => {
  const first = await open('a', processAt({ pid: 10 }));
  const second = await open('b', processAt({ pid: 20 }));
  writeFileSync(join(second.inbox, 'STOP'), '');
  await vi.waitFor(() => expect(first.cluster.stopElsewhere()?.en).toContain(second.inbox), SOON);
  expect(second.cluster.stopElsewhere()).toBeNull();
  rmSync(join(second.inbox, 'STOP'));
  await vi.waitFor(() => expect(first.cluster.stopElsewhere()).toBeNull(), SOON);
});

it('keeps a STOP of another in the shared workspace, also once that one is gone, until it is back without', () => {
  const [a, b] = ['a', 'b'].map((node) => ({ root, inbox: join(root, `in-${node}`), node }));
  if (a === undefined || b === undefined) throw new Error('There are two.');
  for (const { inbox } of [a, b]) mkdirSync(inbox);
  writeFileSync(join(b.inbox, 'STOP'), '');
  expect(lookForStop(b)?.en).toContain('The file STOP');
  expect([lookForStop(a)?.en, stopFileWords(a)?.en]).toEqual([
    expect.stringContaining('in the inbox of b'),
    expect.stringContaining('in the inbox of b'),
  ]);
  rmSync(join(b.inbox, 'STOP'));
  expect(lookForStop(a)).not.toBeNull();
  expect(lookForStop(b)).toBeNull();
  expect(lookForStop(a)).toBeNull();
});

it('trusts the notifications that come to another', async () => {
  const first = await open('a', processAt({ pid: 10 }));
  const second = await open('b', processAt({ pid: 20 }));
  expect(first.hearing.isTrusted()).toBe(false);
  second.hearing.heard();
  await vi.waitFor(() => expect(first.hearing.isTrusted()).toBe(true), SOON);
});

it('tells at once that another has ended, and its lanes are free', async () => {
  const second = await open('b', processAt({ pid: 20 }));
  expect(await lanesOf(second)).toBe(16);
  const first = await open('a', processAt({ pid: 10 }));
  const told = vi.fn();
  first.cluster.onEnded(told);
  expect(await lanesOf(first)).toBe(0);
  await second.close();
  await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1), SOON);
  await vi.waitFor(() => expect(first.rateControl.demand().lanes.underWay).toBe(16), SOON);
});

it('ends one that was killed, for good', async () => {
  let isThere = true;
  const first = await open(
    'a',
    processAt({ pid: 10 }, () => isThere),
  );
  const second = await open('b', processAt({ pid: 20 }));
  const told = vi.fn();
  await makeRoom(first, second);
  first.cluster.onEnded(told);
  isThere = false;
  await vi.waitFor(() => expect(told).toHaveBeenCalled(), SOON);
  await vi.waitFor(() => expect(second.ended()).toBe(true), SOON);
});

it('keeps nobody waiting for a turn once it was given up: the call is refused right before it leaves', async () => {
  let isThere = true;
  const first = await open(
    'a',
    processAt({ pid: 10 }, () => isThere),
  );
  const second = await open('b', processAt({ pid: 20 }));
  await makeRoom(first, second);
  isThere = false;
  await vi.waitFor(() => expect(second.ended()).toBe(true), SOON);
  await vi.waitFor(() => expect(second.rateControl.demand().lanes.underWay).toBe(16), SOON);
});
