// One world to crash in: a workspace, files to pay, a sandbox in a process of its own that keeps a journal, and a watched way to it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { writePaymentFile } from './payment-file.ts';
import {
  startPaydrop,
  startSandboxProcess,
  startUnder,
  type SandboxProcess,
  type Started,
} from './processes.ts';
import { watchedService, type WatchedService } from './watched-service.ts';

export type Scene = {
  readonly folder: string;
  readonly workspace: string;
  readonly files: readonly string[];
  /** Of all files together. */
  readonly rows: number;
  /** Every change at the service, in its order. */
  readonly journal: string;
  readonly sandbox: SandboxProcess;
  readonly watched: WatchedService;
  /** Starts a command of paydrop on this workspace. */
  readonly start: (command: readonly string[]) => Started;
  /** The same under a limit that the shell sets first. */
  readonly startUnder: (prelude: string, command: readonly string[]) => Started;
  /** Ends the processes; the folder goes too, unless somebody has to look at it. */
  readonly close: (keep?: boolean) => Promise<void>;
};

export type SceneOptions = {
  readonly rows: number;
  readonly files?: number;
  /** How many calls in a hundred meet a fault of the network or the service. */
  readonly faultsPercent?: number;
  readonly seed?: number;
  readonly sandboxArgs?: readonly string[];
  /** A sandbox of the caller's own, with this journal. */
  readonly sandbox?: (journal: string) => Promise<SandboxProcess>;
  readonly config?: string;
  /** Where the folder is made. */
  readonly parent?: string;
};

const SENDER =
  'sender: { registeredName: Wouri SARL, registrationNumber: RC1, address: Rue Joss, city: Douala, countryIsoCode: CMR }\n';

/** The faults that share the given percentage evenly; what they cost in time is kept small. */
const FAULTS = [
  { fault: 'drop-answer' },
  { fault: 'drop' },
  { fault: 'reset' },
  { fault: 'cut' },
  { fault: 'html', acts: true },
  { fault: 'html' },
  { fault: 'delay', delayMs: 300 },
  { fault: 'throttle', retryAfterSeconds: 0 },
] as const;

export async function openScene(options: SceneOptions): Promise<Scene> {
  const { rows, files = 1, config = '', parent = tmpdir(), sandboxArgs = [] } = options;
  const folder = await mkdtemp(join(parent, 'paydrop-crash-'));
  const journal = join(folder, 'service.jsonl');
  const faults = join(folder, 'faults.json');
  await writeFile(faults, JSON.stringify(faultsOf(options)));
  const settings = join(folder, 'paydrop.yaml');
  await writeFile(settings, SENDER + config);
  const workspace = join(folder, 'ws');
  await mkdir(workspace);
  const sandbox = await (options.sandbox?.(journal) ??
    startSandboxProcess(['--state', journal, '--faults', faults, ...sandboxArgs]));
  const watched = await watchedService(sandbox.baseUrl);
  const service = { baseUrl: watched.baseUrl, apiKey: sandbox.apiKey };
  const global = ['--config', settings, '--workspace', workspace];
  return {
    folder,
    workspace,
    files: await writeFiles(folder, files, rows),
    rows: files * rows,
    journal,
    sandbox,
    watched,
    start: (command) => startPaydrop([...global, ...command], service),
    startUnder: (prelude, command) => startUnder(prelude, [...global, ...command], service),
    close: async (keep = false) => {
      await watched.close();
      await sandbox.stop();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

function faultsOf({ faultsPercent = 0, seed = 1 }: SceneOptions): object {
  const probability = faultsPercent / 100 / FAULTS.length;
  return { seed, rules: faultsPercent === 0 ? [] : FAULTS.map((fault) => ({ ...fault, probability })) };
}

async function writeFiles(folder: string, files: number, rows: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let index = 0; index < files; index += 1) {
    const mark = String.fromCharCode('A'.charCodeAt(0) + index);
    const path = join(folder, `payments-${mark.toLowerCase()}.csv`);
    await writePaymentFile(path, rows, mark);
    paths.push(path);
  }
  return paths;
}
