// A config, a key or a profile that changes while the daemon works: what may change does, what may not is named, a broken config changes nothing,
// and no row is lost.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import { compose } from '../../../src/app/compose.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { accountInUse } from '../../../src/app/parts/bound-account.ts';
import { runDaemon } from '../../../src/app/daemon/run-daemon.ts';
import { ConfigReload } from '../../../src/app/daemon/config-reload.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { briskClock } from '../brisk-clock.ts';
import { configOnDisk, type ConfigOnDisk } from '../config-on-disk.ts';
import { line, openDesk, transfersOf, type Desk } from '../desk.ts';

let clock: Clock;
let desk: Desk;
let onDisk: ConfigOnDisk;
beforeEach(async () => {
  clock = briskClock();
  // Slow enough for a key to change in the middle.
  desk = await openDesk({ settleMs: 20, latencyMs: 25, clock }, clock);
  onDisk = await configOnDisk(desk);
});
afterEach(() => desk.close());

const INTAKE = 'intake: { settleFor: 10ms, scanEvery: 100ms }';
const WAITING_MS = { timeout: 20_000, interval: 20 };

type Watched = {
  readonly paydrop: Paydrop;
  readonly troubles: readonly string[];
  readonly results: readonly BatchResult[];
  readonly stop: () => Promise<void>;
};

/** @param daemon with its background services, as `paydrop watch` runs it, or alone. */
async function start(daemon: 'whole' | 'alone' = 'alone'): Promise<Watched> {
  const config = onDisk.load();
  const paydrop = await compose(config, silentLog, clock);
  const stopper = new AbortController();
  const troubles: string[] = [];
  const results: BatchResult[] = [];
  const listener = {
    signal: stopper.signal,
    onResult: (result: BatchResult) => void results.push(result),
    onWaiting: () => undefined,
    onTrouble: (words: string) => void troubles.push(words),
  };
  const beside = { loadConfig: onDisk.load, reopenLog: null, onStarted: () => undefined, startWeb: null };
  const ended =
    daemon === 'whole'
      ? runDaemon(paydrop, { ...listener, ...beside })
      : watch(paydrop, { ...listener, reload: new ConfigReload(onDisk.load, config) });
  const stop = async (): Promise<void> => {
    stopper.abort();
    await ended;
    await paydrop.close();
  };
  return { paydrop, troubles, results, stop };
}

async function drop(name: string, lines: readonly string[]): Promise<void> {
  const path = await desk.file(name, lines);
  await mkdir(join(desk.workspace, 'inbox'), { recursive: true });
  await rename(path, join(desk.workspace, 'inbox', name));
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_none, index) => line(`A-${String(index)}`, String(100 + index)));

const closed = ({ results }: Watched, name: string) =>
  vi.waitFor(() => {
    const result = results.findLast(({ summary }) => summary.file.name === name);
    expect(result?.summary.state).toMatch(/closed|refused/);
    return result?.summary;
  }, WAITING_MS);

describe('a key that is rotated', () => {
  it('at the service first stops the batch, fails no row, and is gone on with once the new one is in place', async () => {
    await onDisk.write(INTAKE);
    const watched = await start();
    await drop('payroll.csv', rowsOf(150));
    await vi.waitFor(
      async () => expect((await transfersOf(watched.paydrop)).length).toBeGreaterThan(10),
      WAITING_MS,
    );
    desk.sandbox.rotateKey('key-b');
    await vi.waitFor(async () => {
      const [batch] = await watched.paydrop.ledger.batches();
      expect(batch?.wait?.for).toBe('credentials');
    }, WAITING_MS);
    await onDisk.writeKey('api-key', 'key-b\n');
    expect(await closed(watched, 'payroll.csv')).toMatchObject({ outcomes: { paid: 150, failed: 0 } });
    expect(watched.paydrop.keys.apiKey).toBe('key-b');
    const books = desk.sandbox.books().find(({ currency }) => currency === 'XAF');
    expect(books?.pendingAmount).toBe('0');
    await watched.stop();
  });

  it('is used once the service shows the payments of the ledger under it', async () => {
    await onDisk.write(`${INTAKE}\nmetrics: { listen: null }`);
    const watched = await start('whole');
    await drop('one.csv', rowsOf(3));
    await closed(watched, 'one.csv');
    desk.sandbox.rotateKey('key-b');
    await onDisk.writeKey('api-key', 'key-b\n');
    await vi.waitFor(() => expect(watched.paydrop.keys.apiKey).toBe('key-b'), WAITING_MS);
    expect(await watched.paydrop.ledger.account.bound()).toBe(JSON.stringify(accountInUse(watched.paydrop)));
    await watched.stop();
  });

  it.each([
    ['at a look at the inbox', '1s', false],
    ['at SIGHUP, however seldom it looks', '23h', true],
  ])('is read %s', async (_when, scanEvery, isToldNow) => {
    await onDisk.write(`intake: { settleFor: 10ms, scanEvery: ${scanEvery} }\nmetrics: { listen: null }`);
    const watched = await start('whole');
    desk.sandbox.rotateKey('key-b');
    await onDisk.writeKey('api-key', 'key-b\n');
    if (isToldNow) process.emit('SIGHUP');
    await vi.waitFor(() => expect(watched.paydrop.keys.apiKey).toBe('key-b'), WAITING_MS);
    await watched.stop();
  });

  it('is not used where it is no key of the account: the earlier config stays in force, in words', async () => {
    await onDisk.write(`${INTAKE}\nmetrics: { listen: null }`);
    const watched = await start('whole');
    await drop('one.csv', rowsOf(3));
    await closed(watched, 'one.csv');
    const bound = await watched.paydrop.ledger.account.bound();
    await onDisk.writeKey('api-key', 'key-of-nobody\n');
    await vi.waitFor(() => expect(watched.troubles).toHaveLength(1), WAITING_MS);
    expect(watched.troubles[0]).toContain('the earlier one stays in force');
    await drop('two.csv', [line('B-1', '99')]);
    expect(await closed(watched, 'two.csv')).toMatchObject({ outcomes: { paid: 1 } });
    expect(watched.paydrop.keys.apiKey).toBe(desk.sandbox.apiKey);
    expect(await watched.paydrop.ledger.account.bound()).toBe(bound);
    await watched.stop();
  });

  it('is not taken from a file that is empty for a moment: the earlier one stays in force', async () => {
    await onDisk.write(INTAKE);
    const watched = await start();
    await onDisk.writeKey('api-key', '');
    await vi.waitFor(() => expect(watched.troubles).toHaveLength(1), WAITING_MS);
    expect(watched.troubles[0]).toContain('the earlier one stays in force');
    await drop('payroll.csv', rowsOf(2));
    expect(await closed(watched, 'payroll.csv')).toMatchObject({ outcomes: { paid: 2 } });
    await watched.stop();
  });
});

describe('a config that is changed', () => {
  it('is obeyed by the next file where that is safe', async () => {
    await onDisk.write(INTAKE);
    const watched = await start();
    await drop('one.csv', [line('A-1', '100'), line('A-2', 'x')]);
    expect((await closed(watched, 'one.csv'))?.state).toBe('refused');
    await onDisk.write(`${INTAKE}\npolicy: { onInvalidRows: skip-rows }\nlanguage: fr`);
    await drop('two.csv', [line('B-1', '100'), line('B-2', 'x')]);
    await vi.waitFor(() => expect(watched.troubles).toEqual([]), { timeout: 20_000 });
    expect((await closed(watched, 'two.csv'))?.outcomes).toMatchObject({ paid: 1, rejected: 1 });
    await watched.stop();
  });

  it('in a key that only a start obeys is named, and the rest of it is obeyed', async () => {
    await onDisk.write(INTAKE);
    const watched = await start();
    await onDisk.write(
      `${INTAKE}\npolicy: { onInvalidRows: skip-rows }\nworkspace: ./elsewhere`,
      'apiKeyFile: ./api-key, concurrency: 3',
    );
    await vi.waitFor(() => expect(watched.troubles).toHaveLength(1), WAITING_MS);
    expect(watched.troubles[0]).toMatch(
      /need a restart.*service\.concurrency.*workspace|workspace.*service\.concurrency/,
    );
    await drop('one.csv', [line('A-1', '100'), line('A-2', 'x')]);
    expect((await closed(watched, 'one.csv'))?.outcomes).toMatchObject({ paid: 1, rejected: 1 });
    expect(watched.paydrop.workspace.root).toBe(desk.workspace);
    // Taken back, it is not spoken of any more.
    await onDisk.write(INTAKE);
    await drop('two.csv', [line('B-1', '101')]);
    await closed(watched, 'two.csv');
    expect(watched.troubles).toHaveLength(1);
    await watched.stop();
  });

  it('and cannot be used is refused in words once, and the earlier one stays in force', async () => {
    await onDisk.write(INTAKE);
    const watched = await start();
    await onDisk.write(`${INTAKE}\npolicy: { onInvalidRows: perhaps }`);
    await drop('one.csv', [line('A-1', '100'), line('A-2', 'x')]);
    expect((await closed(watched, 'one.csv'))?.state).toBe('refused');
    expect(watched.troubles).toHaveLength(1);
    expect(watched.troubles[0]).toMatch(/line 4, column \d+: policy\.onInvalidRows/);
    await watched.stop();
  });

  it('by a profile that comes or goes is obeyed by the next file', async () => {
    await onDisk.write(INTAKE);
    const watched = await start();
    const profile = join(onDisk.folder, 'profiles', 'own.yaml');
    await writeFile(profile, 'files: "own*.csv"\npolicy: { onInvalidRows: skip-rows }\n');
    await drop('own-1.csv', [line('A-1', '100'), line('A-2', 'x')]);
    expect((await closed(watched, 'own-1.csv'))?.outcomes).toMatchObject({ paid: 1, rejected: 1 });
    await rm(profile);
    await drop('own-2.csv', [line('B-1', '100'), line('B-2', 'x')]);
    expect((await closed(watched, 'own-2.csv'))?.state).toBe('refused');
    await watched.stop();
  });
});
