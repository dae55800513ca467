// The daemon over the inbox of a desk whose calendar the test turns.
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { BatchResult } from '../../../src/app/batch-result.ts';
import type { Paydrop } from '../../../src/app/compose.ts';
import { watch } from '../../../src/app/daemon.ts';
import type { WaitingFile } from '../../../src/app/watch/inbox-watch.ts';
import type { Desk } from '../desk.ts';

export const QUICK = 'intake: { settleFor: 20ms, scanEvery: 60ms }';

export type Watching = {
  /** The first result that fits and was not taken yet. */
  readonly until: (fits: (result: BatchResult['summary']) => boolean) => Promise<BatchResult>;
  /** Everything that was told so far. */
  readonly told: readonly BatchResult[];
  readonly left: readonly WaitingFile[];
  readonly stop: () => Promise<unknown>;
};

export function startWatching(paydrop: Paydrop): Watching {
  const stopper = new AbortController();
  const told: BatchResult[] = [];
  const untaken: BatchResult[] = [];
  const left: WaitingFile[] = [];
  let tell = (): void => undefined;
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: (result) => {
      told.push(result);
      untaken.push(result);
      tell();
    },
    onWaiting: (file) => left.push(file),
    onTrouble: (words) => {
      throw new Error(words);
    },
  });
  const until: Watching['until'] = async (fits) => {
    for (;;) {
      const index = untaken.findIndex(({ summary }) => fits(summary));
      const [result] = index < 0 ? [] : untaken.splice(index, 1);
      if (result !== undefined) return result;
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
  };
  const stop = (): Promise<unknown> => {
    stopper.abort();
    return ended;
  };
  return { until, told, left, stop };
}

/** Writes a file into the inbox, below it where the name says so; gives its path. */
export async function dropInto(desk: Desk, name: string, lines: readonly string[]): Promise<string> {
  const path = join(desk.workspace, 'inbox', name);
  await mkdir(dirname(path), { recursive: true });
  await copyFile(await desk.file('dropped.csv', lines), path);
  return path;
}
