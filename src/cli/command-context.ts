// The context of every command: it opens and closes the parts of a command, and writes for people.
import { type Command, InvalidArgumentError, Option } from 'commander';

import type { Desk, DeskRecords } from '../app/desk/commands.ts';
import {
  configOf,
  type ConfigPlace,
  inPassing,
  type OpenedDesk,
  type Patience,
  withPaydrop as openPaydrop,
  withRecords as openRecords,
} from '../app/desk/open-desk.ts';
import { parseDuration } from '../base/duration.ts';
import type { ExitCode } from '../base/exit-codes.ts';
import { MACHINE_ZONE, withZonedTimes } from '../base/local-time.ts';
import { type Language, say } from '../base/language.ts';
import { readPersonName } from '../base/person-name.ts';
import { sentence, type Text } from '../messages/messages.ts';

export type CommandContext = {
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Sets the exit code. */
  readonly finish: (code: ExitCode) => void;
  /** The config's language, known before anything is opened. */
  readonly language: Language;
  /** Sentences in that language. */
  readonly text: Text;
};

/** The address of `paydrop web`: on this machine only, so that nothing has to be set up. */
const PAGE = '127.0.0.1:8790';

/** Where the global options look for the config, and what the command itself asks of it. */
export function namedBy(command: Command): ConfigPlace {
  const { config, workspace, to } = command.optsWithGlobals<{
    config?: string;
    workspace?: string;
    to?: string;
  }>();
  const name = command.name();
  return {
    config,
    workspace,
    listen: name === 'web' ? PAGE : undefined,
    moveTo: name === 'migrate' ? to : undefined,
  };
}

/** Opens everything, runs `work`, and always closes everything again. */
export async function withPaydrop<T>(
  command: Command,
  work: (paydrop: Desk, opened: OpenedDesk) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const done = async (paydrop: Desk, opened: OpenedDesk): Promise<T> => {
    warnOfSandbox(opened, paydrop.config.language);
    const result = await work(paydrop, opened);
    await sayClocks(paydrop);
    return result;
  };
  const config = await configOf(namedBy(command));
  if (command.name() === 'check') return inPassing(config, (passing) => openPaydrop(passing, done));
  return openPaydrop(config, done, patience);
}

/** Reports the difference that a command with calls to the service has seen; other commands know nothing of it. */
async function sayClocks(paydrop: Desk): Promise<void> {
  const { clockWords } = await import('../app/desk/commands.ts');
  const words = await clockWords(paydrop);
  if (words !== null) complain(say(words, paydrop.config.language), paydrop.config.language);
}

/** The same for a command without calls to the service. */
export async function withRecords<T>(
  command: Command,
  work: (records: DeskRecords) => Promise<T>,
): Promise<T> {
  return openRecords(await configOf(namedBy(command)), (records, opened) => {
    warnOfSandbox(opened, records.config.language);
    return work(records);
  });
}

function warnOfSandbox({ isSandbox, setAside }: OpenedDesk, language: Language): void {
  if (isSandbox) note(say(sentence('command.sandbox'), language));
  if (setAside !== null) note(say(sentence('boundAccount.setAside', { folder: setAside }), language));
}

// Options that several commands have: the name of the person who decides, how long to wait.

/** `--by NAME`, the same for every command with a decision. */
export function byOption(description: string, text: Text): Option {
  return new Option('--by <name>', description).argParser((name: string): string => {
    const read = readPersonName(name);
    if (read === null) throw new InvalidArgumentError(text('help.wrong.name'));
    return read;
  });
}

/** `--wait DURATION`, in ms. */
export function waitOption(text: Text): Option {
  return new Option('--wait <duration>', text('help.wait')).argParser((duration: string): number => {
    const ms = parseDuration(duration);
    if (ms === null) throw new InvalidArgumentError(text('help.wrong.wait'));
    return ms;
  });
}

// The one place where the command line writes for people. A name or a cell from a stranger must not move the cursor or reverse the line.

/** One or more lines on stdout. */
export function print(text: string): void {
  process.stdout.write(`${broken(shown(withZonedTimes(text, MACHINE_ZONE)), process.stdout)}\n`);
}

/** The same on stderr, where progress and warnings go. */
export function note(text: string): void {
  process.stderr.write(`${broken(shown(withZonedTimes(text, MACHINE_ZONE)), process.stderr)}\n`);
}

/** A terminal would break a long line within a word. A command on its own line and a table stay as they are. */
function broken(
  text: string,
  { isTTY, columns }: { readonly isTTY: boolean; readonly columns: number },
): string {
  if (!isTTY || !(columns > NARROWEST)) return text;
  const isWhole = (line: string): boolean =>
    line.length <= columns || COMMAND.test(line) || (line.match(GAP) ?? []).length > 1;
  return text
    .split('\n')
    .map((line) => (isWhole(line) ? line : inLines(line, columns)))
    .join('\n');
}

/** With or without a label. */
const COMMAND = /^ *(?:\S+\s?: +)?paydrop /;

/** A table has several; one gap divides a name from what is said of it. */
const GAP = /\S {2,}(?=\S)/g;

const ENDS_IN_COMMAND = /^(?<said>.*:) (?<command>paydrop .*)\.$/;

/** Nobody reads prose in fewer columns. */
const NARROWEST = 40;

/** The following lines are indented two columns more than the first. A command that ends the line stands alone, so that it can be copied. */
function inLines(line: string, columns: number): string {
  const { said, command } = ENDS_IN_COMMAND.exec(line)?.groups ?? {};
  if (said !== undefined && command !== undefined)
    return `${inLines(said, columns)}\n${/^ */.exec(line)?.[0] ?? ''}    ${command}`;
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(/ (?! )/)) {
    const isFirst = current.trim() === '';
    if (!isFirst && current.length + 1 + word.length > columns) {
      lines.push(current);
      current = `${indent}  ${word}`;
    } else current += isFirst ? word : ` ${word}`;
  }
  return [...lines, current].join('\n');
}

/** An error message, on stderr. */
export function complain(text: string, language: Language): void {
  note(say(sentence('command.fault', { words: text }), language));
}

/** Prints one JSON document, and nothing else, to stdout. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2).replace(UNSEEN, escaped)}\n`);
}

/** JSON allows these characters, but a terminal would obey them; as escapes they mean the same. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}]/gu;

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

export function shown(text: string): string {
  return text.replace(UNSEEN, '\u{fffd}');
}
