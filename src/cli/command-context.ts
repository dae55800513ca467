// What every command is given, and how it opens and closes the parts it works with.
import type { Command } from 'commander';

import type { ExitCode } from '../app/parts/exit-codes.ts';
import type { Paydrop, Records } from '../app/parts.ts';
import type { Config } from '../app/config/config.ts';
import type { OpenedLog } from '../app/parts/open-log.ts';

export type CommandContext = {
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Sets the exit code. */
  readonly finish: (code: ExitCode) => void;
};

/** The config that the global options name, as it stands on disk at this moment. */
export async function configOf(command: Command): Promise<Config> {
  const { loadConfig } = await import('../app/config/config.ts');
  return loadConfig(namedBy(command));
}

/** What the global options name. */
export function namedBy(command: Command): ConfigFlags {
  const { config, workspace } = command.optsWithGlobals<{ config?: string; workspace?: string }>();
  return { config, workspace };
}

type ConfigFlags = { readonly config: string | undefined; readonly workspace: string | undefined };

/** Opens everything, runs `work`, and closes everything again, whatever happens. */
export async function withPaydrop<T>(
  command: Command,
  work: (paydrop: Paydrop, log: OpenedLog) => Promise<T>,
): Promise<T> {
  const { compose } = await import('../app/compose.ts');
  const { openLog } = await import('../app/parts/open-log.ts');
  const config = await configOf(command);
  const log = openLog(config);
  const paydrop = await compose(config, log);
  if (paydrop.isSandbox)
    process.stderr.write('SANDBOX: no payout service is configured; this is play money.\n');
  try {
    return await work(paydrop, log);
  } finally {
    await paydrop.close();
  }
}

/** The same for a command that asks the service nothing. */
export async function withRecords<T>(command: Command, work: (records: Records) => Promise<T>): Promise<T> {
  const { composeRecords } = await import('../app/compose-records.ts');
  const { openLog } = await import('../app/parts/open-log.ts');
  const config = await configOf(command);
  const records = await composeRecords(config, openLog(config));
  if (config.baseUrl === null)
    process.stderr.write('SANDBOX: no payout service is configured; this is play money.\n');
  try {
    return await work(records);
  } finally {
    await records.close();
  }
}

/** Prints one JSON document, and nothing else, to stdout. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
