// A folder of the config outside of the workspace is a share, mounted or not: paydrop never makes one, a command says that it is missing, and a daemon that
// waits for it says so wherever somebody looks.
import { statSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { assertFolders, status } from '../../../src/app/desk/commands.ts';
import { examine } from '../../../src/app/desk/doctor.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { startBeside } from '../../../src/app/daemon/run-daemon.ts';
import { openWorkspace } from '../../../src/inbox/workspace.ts';
import { atEnd } from '../../at-end.ts';
import { freePort, receiver } from '../../sandbox/receiver.ts';
import type { NoticeMessage } from '../../../src/app/config/notify-config.ts';
import { leapClock } from '../leap-clock.ts';
import { line, openDesk, type Desk } from '../desk.ts';

const WAITING = { timeout: 30_000, interval: 50 };

let desk: Desk;
let mounts: string;
beforeEach(async () => {
  desk = await openDesk();
  mounts = await mkdtemp(join(tmpdir(), 'paydrop-mounts-'));
});
afterEach(async () => {
  await desk.close();
  await rm(mounts, { recursive: true });
});

async function openWith(moved: Parameters<typeof openWorkspace>[1], config = ''): Promise<Paydrop> {
  const paydrop = await desk.open(config);
  return { ...paydrop, workspace: await openWorkspace(desk.workspace, moved) };
}

it('a folder of the config is made inside of the workspace, and never outside', async () => {
  const root = join(desk.workspace, 'own');
  const [inside, outside] = [join(root, 'in', 'deep'), join(mounts, 'share', 'in')];
  await openWorkspace(root, { inbox: inside, outbox: outside });
  expect(await readdir(root)).toEqual(expect.arrayContaining(['in', 'processing', 'archive', 'refused']));
  expect(await readdir(mounts)).toEqual([]);
  expect(await readdir(inside)).toEqual([]);
});

it.each(['inbox', 'outbox', 'archive', 'refused'])(
  'a command ends with 2 where %s is missing',
  async (name) => {
    const share = join(mounts, 'share');
    const paydrop = await openWith({ [name]: share });
    await expect(assertFolders(paydrop)).rejects.toThrow(`The folder ${share} of the config is missing.`);
    expect(await readdir(mounts)).toEqual([]);
    await mkdir(share);
    await assertFolders(paydrop);
  },
);

it('a missing folder has no rights to mend: doctor says to mount or to create it, and of one without rights who needs them', async () => {
  const share = join(mounts, 'share');
  const paydrop = await openWith({ inbox: share });
  const finding = async () => (await examine(paydrop)).find(({ name }) => name === 'inbox');
  const missing = await finding();
  expect(missing).toMatchObject({ ok: false });
  expect(missing?.words.en).toMatch(/share is missing.* mount the share; otherwise create the folder/);
  expect(missing?.words.en).not.toContain('right');
  expect(missing?.words.fr).toContain('montez le partage');
  await mkdir(share);
  expect(await finding()).toMatchObject({ ok: true });
  // For the administrator nothing is without rights.
  if (process.getuid?.() === 0) return;
  await chmod(share, 0o500);
  expect((await finding())?.words.en).toContain('Give this user the right');
});

/** A daemon whose inbox is there, with what its health says, and the states of the files that it has ended with. */
async function daemonAt(inbox: string, hookUrl: string) {
  const address = `127.0.0.1:${String(await freePort())}`;
  const paydrop = await openWith(
    { inbox },
    `intake: { settleFor: 20ms, scanEvery: 50ms }\nmetrics: { listen: "${address}" }\nnotify: { hook: { url: "${hookUrl}" }, events: [trouble] }`,
  );
  const beside = await startBeside(paydrop);
  atEnd(() => beside.close());
  const stop = new AbortController();
  const results: string[] = [];
  const ended = watch(paydrop, {
    signal: stop.signal,
    onResult: ({ summary }) => void results.push(summary.state),
    onWaiting: () => undefined,
    onTrouble: () => undefined,
  });
  const health = async () => {
    const response = await fetch(`http://${address}/healthz`);
    return {
      code: response.status,
      ...((await response.json()) as { reasons: string[]; workspace: string; pid: number }),
    };
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { paydrop, address, results, health, end };
}

it('a daemon waits for its inbox, says so everywhere, and takes what is there once it is mounted', async () => {
  const share = join(mounts, 'share');
  const { paydrop, address, results, health, end } = await daemonAt(
    share,
    `http://127.0.0.1:${String(await freePort())}/`,
  );
  const metric = async () =>
    /^paydrop_inbox_gone (\d)$/m.exec(await (await fetch(`http://${address}/metrics`)).text())?.[1];
  try {
    await vi.waitFor(async () => expect((await health()).code).toBe(503), WAITING);
    expect(await health()).toMatchObject({
      reasons: [expect.stringContaining(`The inbox ${share} is missing.`)],
      workspace: paydrop.workspace.root,
      pid: process.pid,
    });
    expect(await metric()).toBe('1');
    expect((await status(paydrop, { all: true })).inbox.fault).toContain(`The inbox ${share} is missing.`);
    expect((await paydrop.ledger.notices.standing())[0]?.waiting).toBe(1);
    expect(await readdir(mounts)).toEqual([]);
    await mkdir(share);
    await copyFile(await desk.file('payroll.csv', [line('A-1', '100')]), join(share, 'payroll.csv'));
    await vi.waitFor(() => expect(results).toContain('closed'), WAITING);
    expect(await health()).toMatchObject({ code: 200, reasons: [] });
    expect(await metric()).toBe('0');
    expect((await status(paydrop, { all: true })).inbox.fault).toBeNull();
  } finally {
    await end();
  }
});

/** After this, what is new about a topic is told again. */
const QUIET_MS = 16 * 60_000;
const HOUR_MS = 3_600_000;

// A leap of the clock may fall into the telling of a notice, which then waits for its next try.
it(
  'each time that a share goes is told, and that it is back, and what is no longer true is told to nobody',
  { retry: 3 },
  async () => {
    await desk.close();
    const clock = leapClock();
    desk = await openDesk({ clock }, clock);
    const hook = await receiver();
    const told = () => hook.received.map(({ body }) => JSON.parse(body.toString()) as NoticeMessage);
    const share = join(mounts, 'share');
    await mkdir(share);
    const notify = `notify: { hook: { url: "${hook.url}" }, events: [trouble] }`;
    const paydrop = await openWith(
      { inbox: share },
      `intake: { settleFor: 20ms, scanEvery: 50ms }\nmetrics: { listen: null }\n${notify}`,
    );
    const beside = await startBeside(paydrop);
    atEnd(() => beside.close());
    const stop = new AbortController();
    const silent = { onResult: () => undefined, onWaiting: () => undefined, onTrouble: () => undefined };
    const ended = watch(paydrop, { signal: stop.signal, ...silent });
    const isSeen = async (isGone: boolean) => {
      await vi.waitFor(
        async () => expect((await status(paydrop, { all: true })).inbox.fault === null).toBe(!isGone),
        WAITING,
      );
    };
    const headlines = async (...expected: readonly string[]) => {
      clock.leap(QUIET_MS);
      await vi.waitFor(() => expect(told()).toHaveLength(expected.length), WAITING);
      expect(told().map(({ subject }) => subject.replace(/^\[.*?\] /, ''))).toEqual(expected);
    };
    const [gone, back] = ['the inbox is gone, and no file is taken', 'the inbox is there again'];
    const goes = async () => {
      await rm(share, { recursive: true });
      await isSeen(true);
    };
    const comes = async () => {
      await mkdir(share);
      await isSeen(false);
    };
    try {
      await isSeen(false);
      await goes();
      await headlines(gone);
      await comes();
      await headlines(gone, back);
      await goes();
      await headlines(gone, back, gone);
      // Within the time after which more is told: only the last of it is true.
      await comes();
      await goes();
      await comes();
      await headlines(gone, back, gone, back);
      await goes();
      await headlines(gone, back, gone, back, gone);
      clock.leap(6 * HOUR_MS);
      await headlines(gone, back, gone, back, gone, gone);
      expect(new Set(told().map(({ id }) => id)).size).toBe(6);
    } finally {
      stop.abort();
      await ended;
    }
  },
);

/** Memory that every Linux offers as a file system of its own. */
const OTHER_DISK = '/dev/shm';
const hasOtherDisk = statSync(OTHER_DISK, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev;

it.skipIf(!hasOtherDisk)(
  'an inbox on another disk than at the start is told as such, and nothing of it is taken until it is the first one again',
  async () => {
    const [own, other] = [join(mounts, 'own'), await mkdtemp(join(OTHER_DISK, 'paydrop-share-'))];
    atEnd(() => rm(other, { recursive: true }));
    const [share, next] = [join(mounts, 'share'), join(mounts, 'next')];
    const mount = async (disk: string) => {
      await symlink(disk, next);
      await rename(next, share);
    };
    await mkdir(own);
    await mount(own);
    const hook = await receiver();
    const { paydrop, results, health, end } = await daemonAt(share, hook.url);
    const MOVED = 'is on another disk than when "paydrop watch" started (is the share mounted?)';
    try {
      await vi.waitFor(async () => expect((await health()).code).toBe(200), WAITING);
      await copyFile(await desk.file('payroll.csv', [line('A-1', '100')]), join(other, 'payroll.csv'));
      await vi.waitFor(
        async () => expect((await status(paydrop, { all: true })).inbox.fault).toBeNull(),
        WAITING,
      );
      await mount(other);
      await vi.waitFor(async () => expect((await health()).code).toBe(503), WAITING);
      expect((await health()).reasons).toEqual([expect.stringContaining(MOVED)]);
      expect((await status(paydrop, { all: true })).inbox.fault).toContain(MOVED);
      await vi.waitFor(() => expect(hook.received).toHaveLength(1), WAITING);
      const notice = JSON.parse(hook.received[0]?.body.toString() ?? '') as NoticeMessage;
      expect(notice.text).toContain(MOVED);
      expect(await readdir(other)).toEqual(['payroll.csv']);
      expect(results).toEqual([]);
      await mount(own);
      await copyFile(join(other, 'payroll.csv'), join(own, 'payroll.csv'));
      await vi.waitFor(() => expect(results).toContain('closed'), WAITING);
    } finally {
      await end();
    }
  },
);
