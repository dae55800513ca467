// What every command is given, and how it opens and closes the parts it works with.
import type { Command } from 'commander';

import { configOf, withPaydrop as openPaydrop, withRecords as openRecords } from '../app/desk/open-desk.ts';
import type { ConfigPlace, Opened } from '../app/desk/open-desk.ts';
import type { Desk, DeskRecords } from '../app/desk/commands.ts';
import type { ExitCode } from '../base/exit-codes.ts';
import { say, type Language } from '../base/language.ts';
import { sentence, type Text } from '../messages/messages.ts';
import { complain, note } from './print.ts';

export type CommandContext = {
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Sets the exit code. */
  readonly finish: (code: ExitCode) => void;
  /** That of the config, known before anything is opened. */
  readonly language: Language;
  /** Sentences in it. */
  readonly text: Text;
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
    warnOfSandbox(opened, paydrop.config.language);
    const done = await work(paydrop, opened);
    await sayClocks(paydrop);
    return done;
  });
}

/** As the command that asked the service found it; one that asked nothing knows nothing of it. */
async function sayClocks(paydrop: Desk): Promise<void> {
  const { clockWords } = await import('../app/desk/commands.ts');
  const words = await clockWords(paydrop);
  if (words !== null) complain(say(words, paydrop.config.language));
}

/** The same for a command that asks the service nothing. */
export async function withRecords<T>(
  command: Command,
  work: (records: DeskRecords) => Promise<T>,
): Promise<T> {
  return openRecords(await configOf(namedBy(command)), (records, opened) => {
    warnOfSandbox(opened, records.config.language);
    return work(records);
  });
}

function warnOfSandbox({ isSandbox }: Opened, language: Language): void {
  if (isSandbox) note(say(sentence('command.sandbox'), language));
}
