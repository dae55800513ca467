// What every command is given, and how it opens and closes the parts it works with.
import type { Command } from 'commander';

import type { ExitCode } from '../app/batch-result.ts';
import type { Paydrop, Records } from '../app/compose.ts';
import type { Config } from '../app/config.ts';

export type CommandContext = {
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Sets the exit code. */
  readonly finish: (code: ExitCode) => void;
};

/** The config that the global options name. */
export async function configOf(command: Command): Promise<Config> {
  const { loadConfig } = await import('../app/config.ts');
  const { config, workspace } = command.optsWithGlobals<{ config?: string; workspace?: string }>();
  return loadConfig({ config, workspace });
}

/** Opens everything, runs `work`, and closes everything again, whatever happens. */
export async function withPaydrop<T>(command: Command, work: (paydrop: Paydrop) => Promise<T>): Promise<T> {
  const { compose } = await import('../app/compose.ts');
  const { openLog } = await import('../app/open-log.ts');
  const config = await configOf(command);
  const paydrop = await compose(config, openLog(config));
  if (paydrop.isSandbox)
    process.stderr.write('SANDBOX: no payout service is configured; this is play money.\n');
  try {
    return await work(paydrop);
  } finally {
    await paydrop.close();
  }
}

/** The same for a command that asks the service nothing. */
export async function withRecords<T>(command: Command, work: (records: Records) => Promise<T>): Promise<T> {
  const { composeRecords } = await import('../app/compose.ts');
  const { openLog } = await import('../app/open-log.ts');
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
