// A disk so small that it can be filled, for users who may mount one.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type SmallDisk = { readonly makeRoom: () => void; readonly close: () => void };

const SIZE_BYTES = 65_536;

/** Mounts a full disk at `folder`; null where this process may not. */
export function fullDisk(folder: string): SmallDisk | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(SIZE_BYTES)}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    // Not root, or root of a container that has no say about disks.
    return null;
  }
  const ballast = join(folder, '.ballast');
  writeFileSync(ballast, Buffer.alloc(SIZE_BYTES));
  return {
    makeRoom: () => rmSync(ballast),
    close: () => {
      execFileSync('umount', [folder]);
    },
  };
}
