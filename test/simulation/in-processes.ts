// Spreads a run over several processes, one for each core, and adds up what they tell.
import { fork } from 'node:child_process';
import { join } from 'node:path';

import type { Many } from './run-many.ts';
import type { Tally } from './tally.ts';

const WORKER = join(import.meta.dirname, 'simulation-worker.ts');

export async function inProcesses(
  count: number,
  many: Omit<Many, 'step'>,
  tell: (part: Tally) => void,
): Promise<void> {
  const shareOf = (index: number): Many => ({
    ...many,
    from: many.from + index,
    step: count,
    seeds: Math.ceil((many.seeds - index) / count),
  });
  await Promise.all(Array.from({ length: count }, (_none, index) => inProcess(shareOf(index), tell)));
}

function inProcess(many: Many, tell: (part: Tally) => void): Promise<void> {
  const child = fork(WORKER, [JSON.stringify(many)]);
  child.on('message', (part) => tell(part as Tally));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`A process of the simulation ended with ${String(code)}.`));
    });
  });
}
