// What tells a process from another one that has its number: numbers are given anew, above all after a reboot, when a daemon that starts with the
// machine finds the numbers of yesterday in other hands. Only Linux tells it; elsewhere the number has to do.
import { readFileSync } from 'node:fs';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** Where the start of the process stands in its `stat`, counted behind its name: the 22nd field, and the name is the second. */
const START_BEHIND_NAME = 22 - 3;

/** The boot of the machine and the start of the process since, without a slash; null where nobody tells. */
export function processMark(processId: number): string | null {
  const boot = read(BOOT_ID)?.trim() ?? null;
  const start = startOf(processId);
  return boot === null || start === null ? null : `${boot}.${start}`;
}

/** False when the process that bears the number now cannot be the one of the mark. */
export function mayBear(mark: string, processId: number): boolean {
  const [boot, start] = mark.split('.');
  const bootNow = read(BOOT_ID)?.trim() ?? null;
  if (bootNow === null || boot !== bootNow) return bootNow === null;
  const startNow = startOf(processId);
  return startNow === null || startNow === start;
}

function startOf(processId: number): string | null {
  const stat = read(`/proc/${String(processId)}/stat`);
  // The name is any text in brackets, with spaces and brackets of its own.
  const behindName = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return behindName?.[START_BEHIND_NAME] ?? null;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Another system, or one that hides the processes of others.
    return null;
  }
}
