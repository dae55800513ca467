// Which runs count as alive. A process that can be seen is dead when it is gone, whenever it beat last; for one that cannot be seen only the beats
// count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath, pid, platform, ppid } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openSqlite, placeOf } from '../../src/ledger/open-ledger.ts';
import { isAlive, type Machine, type ProcessPlace, type RunRecord } from '../../src/ledger/runs.ts';
import { atEnd } from '../at-end.ts';
import { ledgerFiles } from './ledger-files.ts';
import { CONTAINER, processAt } from './machines.ts';

const { newPath, open } = ledgerFiles();

const NOW = 1_000_000;

const THERE = (): boolean => true;
const GONE = (): boolean => false;

function runAt(changes: Partial<ProcessPlace>, beatAt: number): RunRecord {
  const { own } = processAt({ pid: 7, ...changes });
  return {
    ...own,
    run: 'other',
    startedAt: '2026-11-20T08:00:00.000Z',
    beatAt,
    note: null,
  };
}

describe('a run', () => {
  it.each<[string, Partial<ProcessPlace>, number, Machine['isThere'], boolean]>([
    ['whose process is there is alive, however late its beat', {}, -Infinity, THERE, true],
    ['whose process is gone is dead, however fresh its beat', {}, NOW, GONE, false],
    ['with our own number is the process before us', { pid: 1 }, NOW, THERE, false],
    ['from before the machine started again is dead', { boot: 'boot-0' }, NOW, THERE, false],
    ['of another host is alive while it beats', { host: 'b', boot: 'c' }, NOW - 59_000, GONE, true],
    ['of another host is lost without beats', { host: 'b' }, NOW - 60_000, THERE, false],
    ['of another host is lost when it beats in the future', { host: 'b' }, NOW + 60_000, THERE, false],
    ['in another container is alive while it beats', { namespace: 'pid:[2]' }, NOW - 59_000, GONE, true],
    ['in another container is lost without beats', { namespace: 'pid:[2]' }, NOW - 60_000, THERE, false],
    ['of a system that tells no boot is told by its process', { boot: null }, -Infinity, THERE, true],
  ])('%s', (_what, place, beatAt, isThere, expected) => {
    expect(isAlive(runAt(place, beatAt), processAt({}, isThere), NOW)).toBe(expected);
  });

  it('of this very process is alive for as long as its ledger is open', async () => {
    const path = newPath();
    const [one, other] = [openSqlite(path, systemClock), open(path)];
    await one.runs.tell(null);
    await other.runs.endDead();
    expect(await other.runs.alive()).toHaveLength(2);
    // Yet nothing is left to it: of two carriers in one process the later takes over.
    expect(other.runs.isElsewhere(one.run)).toBe(false);
    await one.close();
    expect(await other.runs.alive()).toMatchObject([{ run: other.run }]);
  });

  it('in another container tells by its beats that it lives', async () => {
    const path = newPath();
    const beats: (() => void)[] = [];
    const machine: Machine = {
      ...processAt(CONTAINER),
      repeatEvery: (_ms, call) => {
        beats.push(call);
        return () => undefined;
      },
    };
    const [other, own] = [open(path, machine), open(path)];
    await other.runs.tell(null);
    expect(own.runs.isElsewhere(other.run)).toBe(true);
    const [before] = await own.runs.alive();
    // The next beat is in another millisecond.
    for (const at = Date.now(); Date.now() === at;) await new Promise(setImmediate);
    for (const beat of beats) beat();
    await other.runs.tell(null);
    const [after] = await own.runs.alive();
    expect(beats).toHaveLength(1);
    expect(after?.beatAt ?? 0).toBeGreaterThan(before?.beatAt ?? Infinity);
  });
});

describe('a second machine', () => {
  const SECOND = { host: 'b', boot: 'boot-b' };

  it('is refused while the first one works, and told what to do; it may look, and may go on once the first has ended', async () => {
    const path = newPath();
    const [first, second] = [openSqlite(path, systemClock), open(path, processAt(SECOND))];
    await first.runs.tell(null);
    expect(await second.batches()).toEqual([]);
    await expect(second.runs.tell(null)).rejects.toThrow(/in use on .+ PostgreSQL/);
    await first.close();
    await second.runs.tell(null);
    expect(await second.runs.alive()).toMatchObject([{ host: 'b' }]);
  });

  it('is none where it is a container of the same machine', async () => {
    const path = newPath();
    const [first, second] = [open(path), open(path, processAt(CONTAINER))];
    await first.runs.tell(null);
    await second.runs.tell(null);
    expect(await first.runs.alive()).toHaveLength(2);
  });
});

describe('a process', () => {
  it('of another paydrop is alive for as long as that works, and ended once it was killed', async () => {
    const path = newPath();
    const script = fileURLToPath(new URL('hold-open.ts', import.meta.url));
    const child = spawn(execPath, [script, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    atEnd(() => child.kill('SIGKILL'));
    const [run] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const own = open(path);
    expect(own.runs.isElsewhere(run)).toBe(true);
    child.kill('SIGKILL');
    await closed;
    expect(own.runs.isElsewhere(run)).toBe(false);
    await own.runs.endDead();
    expect(await own.runs.alive()).toMatchObject([{ run: own.run }]);
  });

  it.runIf(platform === 'linux')('is told from a later one that bears its number', async () => {
    const parent = placeOf(ppid);
    const start = String(Number(parent.start) - 1);
    for (const [place, expected] of [
      [parent, true],
      [{ ...parent, start }, false],
      [{ ...parent, pid: 999_999_999 }, false],
    ] as const) {
      const path = newPath();
      const [other, own] = [open(path, { ...processAt(), own: place }), open(path)];
      await other.runs.tell(null);
      expect(own.runs.isElsewhere(other.run)).toBe(expected);
    }
    expect(placeOf(pid).start).not.toBeNull();
  });
});
