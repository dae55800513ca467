// Which runs are taken for living ones: a number of a process alone proves nothing, because it is given anew.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath, pid, platform, ppid } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { isOtherRunHere, isRunAlive, processMark } from '../../src/ledger/open-ledger.ts';
import { atEnd } from '../at-end.ts';

/** The run of another paydrop that works until it is killed. */
async function startOther() {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const script = fileURLToPath(new URL('hold-open.ts', import.meta.url));
  const child = spawn(execPath, [script, join(folder, 'ledger.sqlite')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  atEnd(kill);
  const [run] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { run, kill };
}

/** A run of the process that has started this one; `mark` as that run may have noted it. */
const runOfParent = (...mark: readonly string[]): string =>
  [hostname(), ppid, ...mark, '11111111-1111-1111-1111-111111111111'].join('/');

describe('a run', () => {
  it('of another paydrop is alive for as long as that works', async () => {
    const { run, kill } = await startOther();
    expect([isRunAlive(run), isOtherRunHere(run, 'another')]).toEqual([true, true]);
    await kill();
    expect([isRunAlive(run), isOtherRunHere(run, 'another')]).toEqual([false, false]);
  });

  it('of a system that gives no marks is alive while any process has its number', () => {
    expect(isRunAlive(runOfParent())).toBe(true);
    expect(isRunAlive(`${hostname()}/999999999/dead`)).toBe(false);
  });

  it('of another machine is alive, and one of our own number is not', () => {
    expect(isRunAlive(`not-${hostname()}/${String(ppid)}/boot.1/run`)).toBe(true);
    expect(isRunAlive(`${hostname()}/${String(pid)}/${processMark(pid) ?? 'boot.1'}/run`)).toBe(false);
  });
});

describe.runIf(platform === 'linux')('a run on Linux', () => {
  const [boot = '', start = ''] = processMark(ppid)?.split('.') ?? [];

  it('notes the boot and the start of its process, and its own id last', async () => {
    const { run } = await startOther();
    expect(run.split('/')).toMatchObject({ length: 4, 0: hostname() });
    expect(run.split('/')[2]).toMatch(/^[\da-f-]{36}\.\d+$/);
    expect(run.split('/')[3]).toMatch(/^[\da-f-]{36}$/);
  });

  it('is alive while the process of its number is the one that it noted', () => {
    expect(isRunAlive(runOfParent(`${boot}.${start}`))).toBe(true);
  });

  it('is dead when its number has been given to a process that started later', () => {
    expect(isRunAlive(runOfParent(`${boot}.${String(Number(start) - 1)}`))).toBe(false);
  });

  it('is dead when the machine has started anew since, at whatever moment the other process began', () => {
    expect(isRunAlive(runOfParent(`00000000-0000-4000-8000-000000000000.${start}`))).toBe(false);
  });
});
