// What happens to a daemon over months: its inbox goes and comes back, a neighbouring daemon is killed, its log is rotated, it is asked to stop.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { InboxPresence } from '../../../src/app/intake/watch-inbox.ts';
import { claimFile } from '../../../src/inbox/claim-file.ts';
import { daemonNotes } from '../../../src/app/parts/daemon-note.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openSqlite } from '../../../src/ledger/open-ledger.ts';
import { startPaydrop, type Started } from '../../crash/processes.ts';
import { leapClock } from '../leap-clock.ts';
import { line, openDesk, SENDER, transfersOf, type Desk } from '../desk.ts';

let desk: Desk;
let inbox: string;
const clock = leapClock();
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20, clock }, clock);
  inbox = join(desk.workspace, 'inbox');
  await mkdir(inbox, { recursive: true });
});
afterEach(() => desk.close());

const QUICK = 'intake: { settleFor: 10ms, scanEvery: 50ms }';
const WAITING = { timeout: 20_000, interval: 20 };

async function drop(name: string, ...lines: readonly string[]): Promise<void> {
  await rename(await desk.file(name, lines), join(inbox, name));
}

function start(paydrop: Paydrop) {
  const stopper = new AbortController();
  const results: BatchResult[] = [];
  const troubles: string[] = [];
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: (result) => void results.push(result),
    onWaiting: () => undefined,
    onTrouble: (words) => void troubles.push(words),
  });
  const stop = () => {
    stopper.abort();
    return ended;
  };
  return { results, troubles, stop };
}

describe('an inbox', () => {
  it('that is taken away is told once, and watched again when it is back', async () => {
    const paydrop = await desk.open(QUICK);
    const { results, troubles, stop } = start(paydrop);
    await rm(inbox, { recursive: true });
    await vi.waitFor(() => expect(troubles).toHaveLength(1), WAITING);
    expect(troubles[0]).toContain('is missing');
    await mkdir(inbox);
    await drop('payroll.csv', line('A-1', '100'));
    await vi.waitFor(() => expect(results).toHaveLength(1), WAITING);
    expect(troubles).toHaveLength(1);
    await stop();
  });

  it('that is taken away in the midst of a look ends nothing', async () => {
    const paydrop = await desk.open(QUICK);
    const presence = new InboxPresence({ ...paydrop.workspace, inbox });
    const fails = async (): Promise<string[]> => {
      await rm(inbox, { recursive: true });
      return await readdir(inbox);
    };
    expect((await presence.look(fails)).fault?.en).toContain('is missing');
    await mkdir(inbox);
    expect(await presence.look(() => readdir(inbox))).toEqual({ fault: null, seen: [] });
    await expect(presence.look(() => readdir(`${inbox}/elsewhere`))).rejects.toThrow('ENOENT');
  });

  it('on another disk than at the start is not taken for one without work', async () => {
    const paydrop = await desk.open(QUICK);
    const presence = new InboxPresence({ ...paydrop.workspace, inbox });
    expect(await presence.fault()).toBeNull();
    await rm(inbox, { recursive: true });
    expect((await presence.fault())?.en).toContain('is missing');
    if (!existsSync('/dev/shm')) return;
    await symlink('/dev/shm', inbox);
    expect((await presence.fault())?.fr).toContain('un autre disque');
  });
});

it('what another daemon had claimed when it was killed is taken up while this one works', async () => {
  const paydrop = await desk.open(QUICK);
  const { results, stop } = start(paydrop);
  await vi.waitFor(async () => expect(await daemonNotes(paydrop.ledger)).toHaveLength(1), WAITING);
  const path = await desk.file('payroll.csv', [line('A-1', '100')]);
  await claimFile(paydrop.workspace, path, 'elsewhere/1/dead', []);
  clock.leap(61_000);
  await vi.waitFor(() => expect(results).toHaveLength(1), WAITING);
  await stop();
  expect(await transfersOf(paydrop)).toHaveLength(1);
  expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
});

describe('as a process', () => {
  const config = () => join(desk.workspace, 'paydrop.yaml');
  const logPath = () => join(desk.workspace, 'paydrop.log');
  const configure = (more: string) =>
    writeFile(
      config(),
      `${SENDER}\nlog: { file: ./paydrop.log }\nintake: { settleFor: 10ms, scanEvery: 10m }\n${more}\n`,
    );
  const startDaemon = async (): Promise<Started> => {
    const args = ['--config', config(), '--workspace', desk.workspace, 'watch'];
    const daemon = startPaydrop(args, desk.sandbox);
    await daemon.said('watching');
    return daemon;
  };
  const log = () => readFile(logPath(), 'utf8').catch(() => '');

  it('it reads its config again at SIGHUP, goes on in a new log, and ends with 0 when nothing is left', async () => {
    await configure('');
    const daemon = await startDaemon();
    const ledger = openSqlite(join(desk.workspace, 'ledger.sqlite'), systemClock);
    await vi.waitFor(async () => expect(await daemonNotes(ledger)).toHaveLength(1), WAITING);
    await rename(logPath(), `${logPath()}.1`);
    await configure('language: fr');
    daemon.signal('SIGHUP');
    await vi.waitFor(async () => expect(await log()).toContain('config reloaded'), WAITING);
    daemon.signal('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect(await ledger.runs.alive()).toEqual([]);
    await ledger.close();
  });

  it(
    'it ends with 5 when a batch is left, and the next start goes on with it',
    { timeout: 60_000 },
    async () => {
      await configure('');
      const daemon = await startDaemon();
      const rows = Array.from({ length: 200 }, (_none, row) => line(`A-${String(row)}`, String(100 + row)));
      await drop('payroll.csv', ...rows);
      await vi.waitFor(
        () =>
          expect(desk.sandbox.books().find(({ currency }) => currency === 'XAF')?.pendingAmount).not.toBe(
            '0',
          ),
        WAITING,
      );
      daemon.signal('SIGTERM');
      expect((await daemon.ended).code).toBe(5);
      const next = await startDaemon();
      const paydrop = await desk.open();
      await vi.waitFor(async () => expect((await paydrop.ledger.batches())[0]?.state).toBe('closed'), {
        ...WAITING,
        timeout: 50_000,
      });
      next.signal('SIGTERM');
      expect((await next.ended).code).toBe(0);
      const [batch] = await paydrop.ledger.batches();
      expect((await paydrop.ledger.stageCounts(batch?.id ?? '')).get('paid')).toBe(200);
    },
  );
});
