// Attacks on the ledger and on the disk under it.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { HEADER, lineTo } from '../app/desk.ts';
import { must, mustBeOnce, range, Skipped, sleep, until, withScene, type Scene } from './attack-scene.ts';

type Place = {
  readonly root: string;
  /** The ledger, and its log (`-wal`). */
  readonly ledger: string;
  /** The same two from an hour before. */
  readonly older: string;
};

const WAL = '-wal';
const DAMAGES: readonly (readonly [name: string, damage: (place: Place) => void])[] = [
  ['cut in half', ({ ledger }) => cutInHalf(ledger)],
  ['emptied', ({ ledger }) => truncateSync(ledger, 0)],
  ['removed', ({ ledger }) => rmSync(ledger)],
  ['200 bits flipped', ({ ledger }) => flipBits(ledger, 200)],
  ['its first page torn', ({ ledger }) => overwrite(ledger, 0, Buffer.alloc(2_048))],
  ['other bytes', ({ ledger }) => writeFileSync(ledger, 'this is no ledger\n'.repeat(500))],
  [
    'an older copy with its log',
    ({ ledger, older }) => {
      for (const end of ['', WAL]) copyFileSync(older + end, ledger + end);
    },
  ],
  ['without its log', ({ ledger }) => rmSync(ledger + WAL)],
  ['an older file with the new log', ({ ledger, older }) => copyFileSync(older, ledger)],
  ['the new file with an older log', ({ ledger, older }) => copyFileSync(older + WAL, ledger + WAL)],
  ['its log cut in half', ({ ledger }) => cutInHalf(ledger + WAL)],
  ['200 bits of its log flipped', ({ ledger }) => flipBits(ledger + WAL, 200)],
  [
    'removed with two fifths of the archive',
    ({ root, ledger }) => {
      rmSync(ledger);
      thinOut(join(root, 'ws', 'archive'));
    },
  ],
];

function cutInHalf(path: string): void {
  truncateSync(path, Math.floor(statSync(path).size / 2));
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const all = readFileSync(path);
  bytes.copy(all, at);
  writeFileSync(path, all);
}

function flipBits(path: string, count: number): void {
  const all = readFileSync(path);
  for (const each of range(count)) {
    const at = 100 + Math.floor(((all.length - 100) / count) * each);
    all[at] = (all[at] ?? 0) ^ (1 << (each % 8));
  }
  writeFileSync(path, all);
}

/** Two of five files are gone. */
function thinOut(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const [at, { parentPath, name }] of files.entries()) if (at % 5 < 2) rmSync(join(parentPath, name));
}

/**
 * A ledger that the disk or a person has spoilt after a kill, with its log still there: seen or healed, and everything paid once. The two files
 * share two payments, and the second is being paid when its process is killed.
 */
export async function ledgers(): Promise<string> {
  const outcomes: string[] = [];
  for (const [name, damage] of DAMAGES)
    await withScene(
      async (scene) => {
        const { root, workspace, pd, file } = scene;
        const place = { root, ledger: join(workspace, 'ledger.sqlite'), older: join(root, 'older') };
        const amounts = range(18).map((row) => 100 + row);
        const lines = amounts.map((amount) =>
          lineTo(`a${String(amount)}`, `A-${String(amount)}`, String(amount)),
        );
        const paths = [await file('first.csv', lines.slice(0, 10)), await file('second.csv', lines.slice(8))];
        await pd('run', '--wait', '10s', paths[0] ?? '');
        await killedAt(scene, 13, ['run', paths[1] ?? ''], () => {
          for (const end of ['', WAL]) copyFileSync(place.ledger + end, place.older + end);
        });
        await killedAt(scene, 16, ['resume']);
        damage(place);
        const codes: (number | null)[] = [];
        for (const again of [
          ['run', '--wait', '5s', paths[1] ?? ''],
          ['resume', '--wait', '5s'],
        ])
          codes.push((await pd(...again)).code);
        outcomes.push(
          `${name}: exit ${codes.join(' and ')}, ${(await rebuilt(scene, paths, amounts)) ? 'rebuilt' : 'healed'}`,
        );
        for (const path of paths) await pd('run', '--wait', '5s', path);
        mustBeOnce(await scene.transfers(), amounts);
      },
      { latencyMs: 60, config: 'service: { concurrency: 1 }' },
    );
  return `${String(DAMAGES.length)} runs, ${String(2 * DAMAGES.length)} kills (${outcomes.join('; ')}): 0 paid twice, 0 lost`;
}

/** A command that is killed once so many payments are made; what is done before that second, while it lives. */
async function killedAt(
  { start, transfers }: Scene,
  count: number,
  order: readonly string[],
  before: () => void = () => undefined,
): Promise<void> {
  const { child, ended } = start(...order);
  await until(
    `Payment ${String(count)}`,
    async () => child.exitCode !== null || (await transfers()).size >= count,
    20,
  );
  before();
  child.kill('SIGKILL');
  await ended;
}

/** Where the ledger does not go on by itself, it is taken away and made again from the files and the service. */
async function rebuilt(
  { pd, workspace, transfers }: Scene,
  paths: readonly string[],
  amounts: readonly number[],
): Promise<boolean> {
  const found = await transfers();
  for (const [amount, count] of found) must(count === 1, `${amount} was paid ${String(count)} times.`);
  const { code } = await pd('resume', '--wait', '5s');
  if (code === 0 && found.size === amounts.length) return false;
  for (const end of ['', WAL, '-shm']) rmSync(join(workspace, 'ledger.sqlite') + end, { force: true });
  await pd('rebuild', ...paths);
  await pd('resume', '--wait', '10s');
  return true;
}

/** The workspace on a disk of its own that is filled up to the last bytes, while it is paid. */
export async function diskFull(): Promise<string> {
  const room = [20_000, 60_000, 150_000, 300_000, 500_000, 800_000, 1_200_000, 1_800_000, 2_500_000];
  const codes: string[] = [];
  for (const [at, left] of room.entries())
    await withScene(async ({ workspace, pd, file, transfers }) => {
      mkdirSync(workspace);
      const disk = mounted(workspace, at % 2 === 0 ? '12m' : '40m');
      try {
        const amounts = range(60).map((row) => 100 + row);
        const path = await file(
          'd.csv',
          amounts.map((amount) => lineTo(`d${String(amount)}`, `D-${String(amount)}`, String(amount))),
        );
        await pd('status');
        fill(workspace, left);
        const { code, said } = await pd('run', '--wait', '10s', path);
        codes.push(String(code));
        must(code === 0 || code === 5 || code === 2, `run ended with ${String(code)}: ${said}`);
        must(code === 0 || /disk|space|full/i.test(said), `A full disk is told as: ${said}`);
        rmSync(join(workspace, 'filler'));
        await pd('run', '--wait', '20s', path);
        await pd('resume', '--wait', '20s');
        mustBeOnce(await transfers(), amounts);
      } finally {
        disk.away();
      }
    });
  return `${String(room.length)} runs on disks of 12 and 40 MB with 20 kB to 2.5 MB left (exit ${codes.join(', ')}): nothing lost or double, all paid after room was made`;
}

type Disk = { readonly lock: () => void; readonly unlock: () => void; readonly away: () => void };

function mounted(folder: string, size: string): Disk {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    throw new Skipped('this user may not mount a small disk');
  }
  const again = (how: string): void => void execFileSync('mount', ['-o', `remount,${how}`, folder]);
  return {
    lock: () => again('ro'),
    unlock: () => again('rw'),
    away: () => void execFileSync('umount', ['-l', folder]),
  };
}

function fill(folder: string, left: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const size = Math.max(0, bavail * bsize - left);
  const block = Buffer.alloc(65_536, 1);
  const path = join(folder, 'filler');
  const handle = openSync(path, 'w');
  try {
    for (let at = 0; at < size; at += block.length)
      writeFileSync(handle, block.subarray(0, Math.min(block.length, size - at)));
  } catch {
    // Full a moment earlier than it said.
    ftruncateSync(handle, 0);
  } finally {
    closeSync(handle);
  }
}

/** What the disk refuses besides a full ledger: an outbox or an archive that cannot be written, and an inbox on another disk with 25 kills. */
export async function locked(): Promise<string> {
  const codes: string[] = [];
  for (const folder of ['outbox', 'archive', 'processing', 'refused'])
    for (const kind of ['read-only', 'full'])
      await withScene(async ({ workspace, pd, file, transfers }) => {
        await pd('status');
        const place = join(workspace, folder);
        const disk = mounted(place, '256k');
        try {
          if (kind === 'full') fill(place, 0);
          else disk.lock();
          const amounts = range(12).map((row) => 100 + row);
          const path = await file(
            'l.csv',
            amounts.map((amount) => lineTo(`l${String(amount)}`, `L-${String(amount)}`, String(amount))),
          );
          const { code, said } = await pd('run', '--wait', '10s', path);
          codes.push(`${folder} ${kind} ${String(code)}`);
          must(code === 0 || code === 5 || code === 2, `run ended with ${String(code)}: ${said}`);
          must(code === 0 || /disk|space|full|read-only|written/i.test(said), `It is told as: ${said}`);
          await pd('status');
          if (kind === 'full') rmSync(join(place, 'filler'));
          else disk.unlock();
          await pd('run', '--wait', '20s', path);
          await pd('resume', '--wait', '20s');
          mustBeOnce(await transfers(), amounts);
          const results = readdirSync(join(workspace, 'outbox')).filter((name) =>
            name.endsWith('.result.csv'),
          );
          must(results.length === 1, `${String(results.length)} results were written.`);
        } finally {
          disk.away();
        }
      });
  return `${String(codes.length)} runs (${codes.join(', ')}): nothing lost or double, all paid and answered once it could be written; ${await otherDisk()}`;
}

/** Files come into an inbox on another disk, where nothing can be renamed into the workspace, and the daemon is killed again and again. */
async function otherDisk(): Promise<string> {
  const kills = 25;
  return withScene(async ({ inbox, pd, start, transfers }) => {
    await pd('status');
    const disk = mounted(inbox, '40m');
    try {
      for (const at of range(kills)) {
        writeFileSync(
          join(inbox, `o${String(at)}.csv`),
          `${HEADER}\n${range(4)
            .map((row) => 100 + at * 4 + row)
            .map((amount) => lineTo(`o${String(amount)}`, `O-${String(amount)}`, String(amount)))
            .join('\n')}\n`,
        );
        const { child, ended } = start('watch');
        await Promise.race([ended, sleep(900 + 53 * at)]);
        child.kill('SIGKILL');
        await ended;
      }
      const daemon = start('watch');
      await until('Payment of each file', async () => (await transfers()).size >= kills * 4);
      await daemon.stop();
      mustBeOnce(
        await transfers(),
        range(kills * 4).map((at) => 100 + at),
      );
      return `an inbox on another disk, ${String(kills)} kills: ${String(kills * 4)} of ${String(kills * 4)} paid once`;
    } finally {
      disk.away();
    }
  });
}
