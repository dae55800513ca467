// Attacks on the ledger and on the disk under it.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { lineTo } from '../app/desk.ts';
import { must, mustBeOnce, range, Skipped, withScene } from './attack-scene.ts';

const DAMAGES: readonly (readonly [name: string, damage: (path: string, older: string) => void])[] = [
  ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['emptied', (path) => truncateSync(path, 0)],
  ['removed', (path) => rmSync(path)],
  ['200 bits flipped', (path) => flipBits(path, 200)],
  ['its first page torn', (path) => overwrite(path, 0, Buffer.alloc(2_048))],
  ['other bytes', (path) => writeFileSync(path, 'this is no ledger\n'.repeat(500))],
  ['an older copy put back', (path, older) => copyFileSync(older, path)],
];

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

/** A ledger that the disk or a person has spoilt: told, set aside, rebuilt, and everything paid once. */
export async function ledgers(): Promise<string> {
  const outcomes: string[] = [];
  for (const [name, damage] of DAMAGES)
    await withScene(async ({ root, pd, file, transfers }) => {
      const ledger = join(root, 'ws', 'ledger.sqlite');
      const first = await file(
        'first.csv',
        range(5).map((row) => lineTo(`a${String(row)}`, `A-${String(row)}`, String(100 + row))),
      );
      const second = await file(
        'second.csv',
        range(5).map((row) => lineTo(`b${String(row)}`, `B-${String(row)}`, String(200 + row))),
      );
      await pd('run', '--wait', '10s', first);
      copyFileSync(ledger, join(root, 'older'));
      await pd('run', '--wait', '10s', second);
      for (const end of ['-wal', '-shm']) rmSync(ledger + end, { force: true });
      damage(ledger, join(root, 'older'));
      const { code } = await pd('run', '--wait', '5s', second);
      outcomes.push(`${name}: exit ${String(code)}`);
      for (const end of ['', '-wal', '-shm']) rmSync(ledger + end, { force: true });
      await pd('rebuild', first, second);
      await pd('run', '--wait', '5s', first);
      await pd('resume', '--wait', '10s');
      mustBeOnce(await transfers(), [
        ...range(5).map((row) => 100 + row),
        ...range(5).map((row) => 200 + row),
      ]);
    });
  return `${String(DAMAGES.length)} runs (${outcomes.join(', ')}): 0 paid twice, 0 lost`;
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

function mounted(folder: string, size: string): { readonly away: () => void } {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    throw new Skipped('this user may not mount a small disk');
  }
  return { away: () => void execFileSync('umount', ['-l', folder]) };
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
