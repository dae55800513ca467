// What every command is given, and how it opens and closes the parts it works with.
import type { Command } from 'commander';

import { configOf, withPaydrop as openPaydrop, withRecords as openRecords } from '../app/desk/open-desk.ts';
import type { ConfigPlace, Opened } from '../app/desk/open-desk.ts';
import type { Desk, DeskRecords } from '../app/desk/commands.ts';
import type { ExitCode } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';

export type CommandContext = {
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Sets the exit code. */
  readonly finish: (code: ExitCode) => void;
};

/** Where the global options look for the config. */
export function namedBy(command: Command): ConfigPlace {
  const { config, workspace } = command.optsWithGlobals<{ config?: string; workspace?: string }>();
  return { config, workspace };
}

/** Opens everything, runs `work`, and closes everything again, whatever happens. */
export async function withPaydrop<T>(
  command: Command,
  work: (paydrop: Desk, opened: Opened) => Promise<T>,
): Promise<T> {
  return openPaydrop(await configOf(namedBy(command)), async (paydrop, opened) => {
    warnOfSandbox(opened);
    const done = await work(paydrop, opened);
    await sayClocks(paydrop);
    return done;
  });
}

/** As the command that asked the service found it; one that asked nothing knows nothing of it. */
async function sayClocks(paydrop: Desk): Promise<void> {
  const { clockWords } = await import('../app/desk/commands.ts');
  const words = await clockWords(paydrop);
  if (words !== null) process.stderr.write(`paydrop: ${say(words, paydrop.config.language)}\n`);
}

/** The same for a command that asks the service nothing. */
export async function withRecords<T>(
  command: Command,
  work: (records: DeskRecords) => Promise<T>,
): Promise<T> {
  return openRecords(await configOf(namedBy(command)), (records, opened) => {
    warnOfSandbox(opened);
    return work(records);
  });
}

function warnOfSandbox({ isSandbox }: Opened): void {
  if (isSandbox) process.stderr.write('SANDBOX: no payout service is configured; this is play money.\n');
}

/** Prints one JSON document, and nothing else, to stdout. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
