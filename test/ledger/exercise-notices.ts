// Notices of a ledger: a notice waits until some process has sent it, and is sent once.
import { expect, it } from 'vitest';

import type { NewNotice } from '../../src/ledger/notices.ts';
import type { OpenLedgers } from './two-ledgers.ts';

const NEWS: NewNotice = { topic: 'b/held', version: '1', channel: 'email', message: '{"text":"told"}' };
const LEASE_MS = 60_000;
const QUIET_MS = 900_000;

export function exerciseNotices(open: OpenLedgers): void {
  beingKept(open);
  beingClaimed(open);
  followingEachOther(open);
}

function beingKept(open: OpenLedgers): void {
  it('the same notice is kept once for each channel, whoever thinks of it', async () => {
    const { ledger, other } = await open();
    expect(await ledger.notices.add(NEWS, 1, 0)).toBe(true);
    expect(await other.notices.add({ ...NEWS, message: 'again' }, 2, 0)).toBe(false);
    expect(await other.notices.add({ ...NEWS, channel: 'hook' }, 2, 0)).toBe(true);
    expect(await ledger.notices.claim('email', 2, LEASE_MS, 10)).toEqual([
      { ...NEWS, createdAt: 1, tries: 0 },
    ]);
    expect(await ledger.notices.claim('hook', 2, LEASE_MS, 10)).toEqual([
      { ...NEWS, channel: 'hook', createdAt: 2, tries: 0 },
    ]);
  });

  it('what was told is never told again, and keeps nothing but its name', async () => {
    const { ledger, other } = await open();
    await ledger.notices.add(NEWS, 1, 0);
    const [notice] = await ledger.notices.claim('email', 1, LEASE_MS, 10);
    if (notice !== undefined) await ledger.notices.end(notice, { kind: 'told', at: 5 });
    expect(await other.notices.add(NEWS, 9, 0)).toBe(false);
    expect(await other.notices.claim('email', LEASE_MS * 2, LEASE_MS, 10)).toEqual([]);
    expect(await other.notices.standing()).toEqual([
      { channel: 'email', waiting: 0, givenUp: 0, oldestAt: null, fault: null },
    ]);
  });

  it('what could not be told says why, is due again at its time, and is counted once it is given up', async () => {
    const { ledger, other } = await open();
    await ledger.notices.add(NEWS, 1, 0);
    const [first] = await ledger.notices.claim('email', 1, LEASE_MS, 10);
    if (first !== undefined) await ledger.notices.end(first, { kind: 'later', dueAt: 500, fault: 'late' });
    expect(await other.notices.standing()).toMatchObject([{ waiting: 1, oldestAt: 1, fault: 'late' }]);
    expect(await other.notices.claim('email', 499, LEASE_MS, 10)).toEqual([]);
    const [second] = await other.notices.claim('email', 500, LEASE_MS, 10);
    expect(second).toEqual({ ...NEWS, createdAt: 1, tries: 1 });
    if (second !== undefined) await other.notices.end(second, { kind: 'given-up', fault: 'late' });
    expect(await ledger.notices.standing()).toEqual([
      { channel: 'email', waiting: 0, givenUp: 1, oldestAt: null, fault: null },
    ]);
  });
}

function beingClaimed(open: OpenLedgers): void {
  it('two runs never hold the same notice; what a dead one held is free when its claim ends', async () => {
    const { ledger, other } = await open();
    await ledger.notices.add(NEWS, 1, 0);
    const [held] = await ledger.notices.claim('email', 1, LEASE_MS, 10);
    expect(await other.notices.claim('email', LEASE_MS, LEASE_MS, 10)).toEqual([]);
    expect(await other.notices.claim('email', 1 + LEASE_MS, LEASE_MS, 10)).toHaveLength(1);
    // The one that woke up too late ends nothing.
    if (held !== undefined) await ledger.notices.end(held, { kind: 'given-up', fault: 'late' });
    expect(await ledger.notices.standing()).toMatchObject([{ waiting: 1, givenUp: 0 }]);
  });
}

function followingEachOther(open: OpenLedgers): void {
  it('a newer one replaces one of its topic that nobody has tried to tell', async () => {
    const { ledger } = await open();
    await ledger.notices.add(NEWS, 1, QUIET_MS);
    await ledger.notices.add({ ...NEWS, version: '2' }, 2, QUIET_MS);
    await ledger.notices.add({ ...NEWS, topic: 'c/held' }, 3, QUIET_MS);
    const claimed = await ledger.notices.claim('email', 3, LEASE_MS, 10);
    expect(claimed.map(({ topic, version }) => `${topic} ${version}`)).toEqual(['b/held 2', 'c/held 1']);
  });

  it('the next of a topic waits until it has been quiet, and another topic does not', async () => {
    const { ledger } = await open();
    await ledger.notices.add(NEWS, 1, QUIET_MS);
    const [notice] = await ledger.notices.claim('email', 1, LEASE_MS, 10);
    if (notice !== undefined) await ledger.notices.end(notice, { kind: 'told', at: 10 });
    await ledger.notices.add({ ...NEWS, version: '2' }, 20, QUIET_MS);
    await ledger.notices.add({ ...NEWS, topic: 'c/held' }, 20, QUIET_MS);
    const dueBy = async (now: number) =>
      (await ledger.notices.claim('email', now, LEASE_MS, 10)).map(({ topic }) => topic);
    expect(await dueBy(20)).toEqual(['c/held']);
    expect(await dueBy(10 + QUIET_MS - 1)).not.toContain('b/held');
    expect(await dueBy(10 + QUIET_MS)).toContain('b/held');
  });
}
