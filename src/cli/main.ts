// From arguments to a command. Every end of a command passes through here and becomes an exit code and a sentence; nobody sees a stack trace.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { Command, CommanderError } from 'commander';

import { buildVersion } from '../base/build-version.ts';
import { EXIT, type ExitCode } from '../base/exit-codes.ts';
import { type Language, say } from '../base/language.ts';
import { type Text, textIn } from '../messages/messages.ts';
import { addBackup, addRestore } from './backup.ts';
import { type CommandContext, complain, printJson } from './command-context.ts';
import { addCorridors, addSandbox, addTemplate } from './corridors.ts';
import { addApprove, addDecline, addPause, addRelease } from './decide.ts';
import { addDemo } from './demo.ts';
import { addDoctor, addMigrate, addRebuild, addStatus } from './doctor.ts';
import { beginning, languageOf, speak, speakOf } from './help.ts';
import { addFind } from './find.ts';
import { addPayees } from './payees.ts';
import { addJournal } from './journal.ts';
import { addPeople } from './people.ts';
import { addProfile } from './profile.ts';
import { addProof, addVerify } from './proof.ts';

import { addReconcile } from './reconcile.ts';
import { addCheck, addPreview, addResume, addRun } from './run.ts';
import { addService } from './service.ts';
import { addSftp } from './sftp.ts';
import { addWatch, addWeb } from './watch.ts';

/** The groups of `--help`, by what a person wants to do. */
const GROUPS = [
  ['help.group.pay', [addRun, addCheck, addPreview, addResume]],
  ['help.group.decide', [addApprove, addDecline, addRelease, addPause]],
  [
    'help.group.look',
    [addStatus, addFind, addPayees, addReconcile, addProof, addVerify, addJournal, addCorridors],
  ],
  ['help.group.setUp', [addTemplate, addProfile, addDoctor, addSftp, addDemo]],
  [
    'help.group.operate',
    [addWatch, addWeb, addPeople, addService, addBackup, addRestore, addRebuild, addMigrate, addSandbox],
  ],
] as const;

/** Runs one command. `exitNow` is for a second signal: work in progress is then as safe as after a kill. */
export async function main(args: readonly string[], exitNow: (code: ExitCode) => void): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const stop = new AbortController();
  const language = languageOf(fromWhereTyped(args));
  const text = textIn(language);
  const context: CommandContext = {
    signal: stop.signal,
    finish: (code) => {
      exitCode = code;
    },
    language,
    text,
  };
  const paydrop = program(context);
  let running: string | undefined;
  paydrop.hook('preAction', (_, command) => {
    running = command.name();
  });
  const release = onSignals({ stop, exitNow, language, text, running: () => running });
  if (isByNpm()) sayAsTyped(paydrop, args.includes('--json'));
  try {
    await paydrop.parseAsync([...fromWhereTyped(args)], { from: 'user' });
    if (stop.signal.aborted && isUnfinished(exitCode)) complain(text('main.interrupted'), language);
    return exitCode;
  } catch (error) {
    // Commander has reported the fault, or has printed the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const commands = await import('../app/desk/commands.ts');
    const { code, words, errorCode } = await commands.describe(error);
    const said = say(words, language);
    complain(said, language);
    // A program that asked for JSON gets a document even now, unless the command itself was wrong.
    if (args.includes('--json') && code !== EXIT.usage)
      printJson({
        batches: [],
        exitCode: code,
        error: said,
        ...(errorCode === undefined ? {} : { errorCode }),
      });
    return code;
  } finally {
    release();
  }
}

function isUnfinished(code: ExitCode): boolean {
  return code === EXIT.unfinished;
}

/** The whole command line; docs/cli.md is generated from it. */
export function program(context: CommandContext): Command {
  const { text } = context;
  const paydrop = new Command('paydrop')
    .description(text('help.paydrop'))
    .version(buildVersion(), '--version', text('help.version'))
    .helpOption('-h, --help', text('help.help'))
    .helpCommand(false)
    .option('--config <file>', text('help.config'))
    .option('--workspace <dir>', text('help.workspace'))
    .addHelpText('after', () => `\n${beginning(text, isByNpm())}\n\n${text('help.after')}`)
    .exitOverride();
  speak(paydrop, text);
  for (const [group, adds] of GROUPS)
    for (const add of adds) {
      add(paydrop, context);
      const added = paydrop.commands.at(-1);
      if (added === undefined) continue;
      added.helpGroup(text(group)).helpOption('-h, --help', text('help.help')).exitOverride();
      for (const command of [added, ...added.commands]) speakOf(command, text);
    }
  return paydrop;
}

/** The commands whose unfinished work `resume` continues. */
const MAY_LEAVE_WORK: ReadonlySet<string | undefined> = new Set(['run', 'resume', 'watch', 'web', 'rebuild']);

type Signals = {
  readonly stop: AbortController;
  readonly exitNow: (code: ExitCode) => void;
  readonly language: Language;
  readonly text: Text;
  /** The name of the running command; undefined before it has begun. */
  readonly running: () => string | undefined;
};

function onSignals({ stop, exitNow, language, text, running }: Signals): () => void {
  const onSignal = (): void => {
    if (stop.signal.aborted) exitNow(EXIT.unfinished);
    void import('./progress-view.ts').then(({ endBar }) => {
      endBar();
      complain(text(MAY_LEAVE_WORK.has(running()) ? 'main.stopping' : 'main.stopped'), language);
    });
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
}

// `npm start` and `npx paydrop` in a clone: npm start changes to the folder of package.json, and there is no command called paydrop. So files are looked for in the
// person's folder, and printed commands are ones that can be typed. The workspace stays the clone's, wherever the person is.

export function isByNpm(): boolean {
  return ['start', 'npx'].includes(process.env['npm_lifecycle_event'] ?? '');
}

/** Commands whose arguments are files. */
const TAKE_FILES: ReadonlySet<string> = new Set([
  'run',
  'check',
  'preview',
  'profile',
  'rebuild',
  'backup',
  'restore',
  'verify',
]);
/** Options whose value is a path. */
const PATH_OPTION = /^(?:--(?:config|workspace|output|state|faults)|-o)$/;

export function fromWhereTyped(args: readonly string[]): readonly string[] {
  const stands = process.env['INIT_CWD'];
  // `npx` stays where it was typed; npm changes to the folder of package.json.
  if (stands === undefined || process.env['npm_lifecycle_event'] !== 'start') return args;
  const takesFiles = args.some((arg) => TAKE_FILES.has(arg));
  return args.map((arg, index) => {
    if (PATH_OPTION.test(args[index - 1] ?? '')) return resolve(stands, arg);
    const path = resolve(stands, arg);
    return takesFiles && !arg.startsWith('-') && !TAKE_FILES.has(arg) && existsSync(path) ? path : arg;
  });
}

/** A JSON document stays as it is. */
function sayAsTyped(paydrop: Command, isJson: boolean): void {
  const typed = asTyped(paydrop);
  for (const stream of isJson ? [process.stderr] : [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array, ...rest: readonly never[]) =>
      write(typeof text === 'string' ? typed(text) : text, ...rest);
  }
}

/** Returns a text with each command of the program as it can be typed in a clone. */
export function asTyped(paydrop: Command): (text: string) => string {
  const names = paydrop.commands.map((command) => command.name()).join('|');
  const printed = new RegExp(`(?<!npx )\\bpaydrop (?=(?:${names})\\b)`, 'g');
  return (text) => text.replace(printed, 'npx paydrop ');
}
