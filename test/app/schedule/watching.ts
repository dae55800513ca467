// The daemon over the inbox of a desk whose calendar the test turns.
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch, type DaemonOptions } from '../../../src/app/daemon/daemon.ts';
import type { WaitingFile } from '../../../src/app/workflow/ready-files.ts';
import type { Ledger, WhichBatches } from '../../../src/ledger/ledger.ts';
import type { Desk } from '../desk.ts';

export const QUICK = 'intake: { settleFor: 20ms, scanEvery: 60ms }';

export type Watching = {
  /** The first result that fits and was not taken yet. */
  readonly until: (fits: (result: BatchResult['summary']) => boolean) => Promise<BatchResult>;
  /** Everything that was told so far. */
  readonly told: readonly BatchResult[];
  readonly left: readonly WaitingFile[];
  /** Resolves when the daemon has looked at everything once more. */
  readonly look: () => Promise<void>;
  readonly stop: () => Promise<unknown>;
};

/** @param reload where the config may change meanwhile. */
export function startWatching(paydrop: Paydrop, reload?: DaemonOptions['reload']): Watching {
  const stopper = new AbortController();
  const told: BatchResult[] = [];
  const untaken: BatchResult[] = [];
  const left: WaitingFile[] = [];
  let tell = (): void => undefined;
  const looks: (() => void)[] = [];
  const onLook = (): void => {
    for (const looked of looks.splice(0)) looked();
  };
  const nextLook = (): Promise<void> => new Promise((resolve) => looks.push(resolve));
  const ended = watch(
    { ...paydrop, ledger: tellingLooks(paydrop.ledger, onLook) },
    {
      signal: stopper.signal,
      ...(reload === undefined ? {} : { reload }),
      onResult: (result) => {
        told.push(result);
        untaken.push(result);
        tell();
      },
      onWaiting: (file) => left.push(file),
      onTrouble: (words) => {
        throw new Error(words);
      },
    },
  );
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
  const look = async (): Promise<void> => {
    // The first may be in the middle of one that began before.
    for (let seen = 0; seen < 2; seen += 1) await nextLook();
  };
  return { until, told, left, look, stop };
}

/** The ledger itself; every look of the daemon begins with its batches. */
function tellingLooks(ledger: Ledger, onLook: () => void): Ledger {
  return new Proxy(ledger, {
    get: (target, key) => {
      if (key === 'batches')
        return (which?: WhichBatches) => {
          if (which !== undefined && 'toLookAt' in which) onLook();
          return target.batches(which);
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Writes a file into the inbox, below it where the name says so; gives its path. */
export async function dropInto(desk: Desk, name: string, lines: readonly string[]): Promise<string> {
  const path = join(desk.workspace, 'inbox', name);
  await mkdir(dirname(path), { recursive: true });
  await copyFile(await desk.file('dropped.csv', lines), path);
  return path;
}
