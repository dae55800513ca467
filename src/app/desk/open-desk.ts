// Opens the parts of a command, and always closes them again: all of paydrop, or its records alone.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import type { Config } from '../config/config.ts';
import type { Paydrop, Records } from '../parts.ts';
import type { OpenedLog } from '../parts/open-log.ts';

/** Where the config is looked for; `undefined` for the default place. */
export type ConfigPlace = {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  /** Where the page is served if the config does not say. */
  readonly listen?: string | undefined;
  /** The place to which `migrate` moves the ledger. */
  readonly moveTo?: string | undefined;
};

/** `isSandbox`: payments use play money, which people must learn before anything else. `setAside`: see `Paydrop`. */
export type OpenedDesk = {
  readonly log: OpenedLog;
  readonly isSandbox: boolean;
  readonly setAside: string | null;
};

/** The config on disk at this moment. Throws `ConfigUnusable`. */
export async function configOf(place: ConfigPlace): Promise<Config> {
  const { loadConfig } = await import('../config/config.ts');
  return loadConfig(place);
}

/** How a command waits for a ledger that is away, such as a database that starts together with the machine: until it is asked to stop. */
export type Patience = { readonly signal: AbortSignal; readonly tell: (words: Words) => void };

/** How often it looks. */
const AWAY_LOOK_MS = 500;

/** Repeats the work while the ledger is away, and reports that once. Throws `LedgerAway` when it is asked to stop. */
export async function patiently<T>(work: () => Promise<T>, { signal, tell }: Patience): Promise<T> {
  for (let isTold = false; ; isTold = true)
    try {
      return await work();
    } catch (error) {
      const { LedgerAway } = await import('../../ledger/ledger-unusable.ts');
      if (!(error instanceof LedgerAway) || signal.aborted) throw error;
      if (!isTold) tell(error.words);
      await systemClock.sleep(AWAY_LOOK_MS, signal);
    }
}

/** @param patience for a command that can wait. */
export async function withPaydrop<T>(
  config: Config,
  work: (paydrop: Paydrop, opened: OpenedDesk) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const { compose } = await import('../compose.ts');
  const { openLog } = await import('../parts/open-log.ts');
  const log = openLog(config);
  const open = (): Promise<Paydrop> => compose(config, log);
  const paydrop = await (patience === undefined ? open() : patiently(open, patience));
  try {
    return await work(paydrop, { log, isSandbox: paydrop.isSandbox, setAside: paydrop.setAside });
  } finally {
    await paydrop.close();
  }
}

/** A check remembers nothing: where there is no workspace yet, it works in a passing one, and leaves only the file to correct in the outbox. */
export async function inPassing<T>(given: Config, work: (config: Config) => Promise<T>): Promise<T> {
  const config = { ...given, sendsNothing: true };
  const { workspacePath, folderPaths, ledgerPath, sharedLedger } = config;
  if (existsSync(workspacePath) || ledgerPath !== null || sharedLedger !== null) return work(config);
  const passing = await mkdtemp(join(tmpdir(), 'paydrop-check-'));
  const outbox = folderPaths.outbox ?? join(workspacePath, 'outbox');
  const { createFolder } = await import('../../inbox/workspace.ts');
  if (folderPaths.outbox === undefined) await createFolder(outbox);
  try {
    return await work({ ...config, workspacePath: passing, folderPaths: { ...folderPaths, outbox } });
  } finally {
    await rm(passing, { recursive: true });
    // Without a file to correct, both are empty.
    if (folderPaths.outbox === undefined)
      for (const folder of [outbox, workspacePath]) await rmdir(folder).catch(() => undefined);
  }
}

/** The same for a command without calls to the service: it loads nothing else. */
export async function withRecords<T>(
  config: Config,
  work: (records: Records, opened: OpenedDesk) => Promise<T>,
): Promise<T> {
  const { composeRecords } = await import('../compose-records.ts');
  const { openLog } = await import('../parts/open-log.ts');
  const log = openLog(config);
  const records = await composeRecords(config, log);
  try {
    return await work(records, { log, isSandbox: config.baseUrl === null, setAside: null });
  } finally {
    await records.close();
  }
}
