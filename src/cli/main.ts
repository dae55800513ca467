// Arguments to a command. Every way in which a command can end passes here and becomes an exit code and a sentence; nobody sees a stack trace.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { Command, CommanderError } from 'commander';

import { checkPaths } from '../app/desk/check-paths.ts';
import { buildVersion } from '../base/build-version.ts';
import { EXIT, type ExitCode } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import { type Text, textIn } from '../messages/messages.ts';
import { type CommandContext, withPaydrop, withRecords } from './command-context.ts';
import { addCorridors, addSandbox } from './corridors.ts';
import { addApprove, addDecline } from './decide.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor.ts';
import { languageOf, speak } from './help.ts';
import { printResults } from './print-results.ts';
import { complain, print, printJson } from './print.ts';
import { addProfile } from './profile.ts';
import { addRebuild } from './rebuild.ts';
import { addReconcile } from './reconcile.ts';
import { addRelease } from './release.ts';
import { addResume, addRun } from './run.ts';
import { addSftp } from './sftp.ts';
import type { Flags } from './show-status.ts';
import { addWatch } from './watch.ts';

/** As `--help` lists them: what a person wants to do. */
const GROUPS = [
  ['help.group.pay', [addRun, addCheck, addPreview, addResume]],
  ['help.group.decide', [addApprove, addDecline, addRelease, addPause]],
  ['help.group.look', [addStatus, addReconcile, addCorridors]],
  ['help.group.setUp', [addTemplate, addProfile, addDoctor, addSftp, addDemo]],
  ['help.group.operate', [addWatch, addRebuild, addSandbox]],
] as const;

/** Runs one command. `exitNow` is for a second signal: whatever is under way is as safe as after a kill. */
export async function main(args: readonly string[], exitNow: (code: ExitCode) => void): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const stop = new AbortController();
  const language = languageOf(isByNpm() ? fromWhereTyped(args) : args);
  const text = textIn(language);
  const context: CommandContext = {
    signal: stop.signal,
    finish: (code) => {
      exitCode = code;
    },
    language,
    text,
  };
  const release = onSignals(stop, exitNow, text);
  const stdout = ignoreClosedPipe();
  const paydrop = program(context);
  if (isByNpm()) sayAsTyped(paydrop, args.includes('--json'));
  try {
    await paydrop.parseAsync([...(isByNpm() ? fromWhereTyped(args) : args)], { from: 'user' });
    if (stop.signal.aborted && isUnfinished(exitCode)) complain(text('main.interrupted'));
    return exitCode;
  } catch (error) {
    // Commander has said what was wrong, or has printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const commands = await import('../app/desk/commands.ts');
    const { code, words } = await commands.describe(error);
    const said = say(words, language);
    complain(said);
    // A program that asked for JSON gets a document even now, unless the command itself was wrong.
    if (args.includes('--json') && code !== EXIT.usage)
      printJson({ batches: [], exitCode: code, error: said });
    return code;
  } finally {
    stdout.release();
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
    .addHelpText('after', `\n${text('help.after')}`)
    .exitOverride();
  speak(paydrop, text);
  for (const [group, adds] of GROUPS)
    for (const add of adds) {
      add(paydrop, context);
      const added = paydrop.commands.at(-1);
      added?.helpGroup(text(group)).helpOption('-h, --help', text('help.help')).exitOverride();
    }
  return paydrop;
}

function onSignals(stop: AbortController, exitNow: (code: ExitCode) => void, text: Text): () => void {
  const onSignal = (): void => {
    if (stop.signal.aborted) exitNow(EXIT.unfinished);
    void import('./progress-view.ts').then(({ endBar }) => {
      endBar();
      complain(text('main.stopping'));
    });
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
}

/** A reader such as `head` may close our output early; that is fine. */
function ignoreClosedPipe(): { readonly release: () => void } {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
  };
  process.stdout.on('error', onError);
  return { release: () => void process.stdout.off('error', onError) };
}

// `paydrop status [BATCH|NAME]`: where is my file, and what does it wait for.

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(context.text('help.status'))
    .argument('[file]', context.text('help.status.file'))
    .option('--all', context.text('help.status.all'))
    .option('--json', context.text('help.json'))
    .action(async (name: string | undefined, flags: Flags, command: Command) => {
      const { showAll, showNamed } = await import('./show-status.ts');
      await withRecords(command, async (records) => {
        if (name === undefined) await showAll(records, flags);
        else if (!(await showNamed(records, name, flags))) {
          complain(context.text('command.noBatchOrFile', { name }));
          context.finish(EXIT.usage);
        }
      });
    });
}

// `paydrop pause BATCH`: stops a batch before its next call to the service.

export function addPause(program: Command, context: CommandContext): void {
  program
    .command('pause')
    .description(context.text('help.pause'))
    .argument('<batch>', context.text('help.batch'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const end = await commands.pause(records, id);
        if (end === null) {
          complain(context.text('command.noBatch', { id }));
          context.finish(EXIT.usage);
          return;
        }
        const isOpen = end === 'paused';
        if (flags.json === true) printJson({ batch: id, paused: isOpen });
        else print(context.text(isOpen ? 'pause.paused' : 'pause.finished', { id }));
      });
    });
}

// `paydrop check FILE...`: says what would be refused, and sends nothing.

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command('check')
    .description(context.text('help.check'))
    .argument('<files...>', context.text('help.files'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const results = await commands.check(paydrop, files, context);
        context.finish(
          printResults(results, {
            json: flags.json === true,
            waitMs: 0,
            outbox: paydrop.workspace.outbox,
            language: paydrop.config.language,
          }),
        );
      });
    });
}

// `paydrop preview FILE...`: prices everything, and sends nothing.

export function addPreview(program: Command, context: CommandContext): void {
  program
    .command('preview')
    .description(context.text('help.preview'))
    .argument('<files...>', context.text('help.files2'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        const results = await commands.preview(paydrop, files, control);
        context.finish(
          printResults(results, {
            json: flags.json === true,
            waitMs: 0,
            outbox: paydrop.workspace.outbox,
            language: paydrop.config.language,
          }),
        );
      });
    });
}

// `paydrop template --corridor ID`: an empty spreadsheet to fill in.

type TemplateFlags = {
  readonly corridor: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
};

export function addTemplate(program: Command, context: CommandContext): void {
  program
    .command('template')
    .description(context.text('help.template'))
    .requiredOption('--corridor <id>', context.text('help.template.corridor'))
    .option('-o, --output <file>', context.text('help.template.output'))
    .option('--force', context.text('help.template.force'))
    .option('--json', context.text('help.json'))
    .action(async (flags: TemplateFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const { corridor } = flags;
        const path = flags.output ?? `template-${corridor.replace(/[^\w.-]+/g, '-')}.xlsx`;
        await commands.template(paydrop, { corridor, path, mayReplace: flags.force === true });
        if (flags.json === true) printJson({ corridor, path });
        else print(context.text('template.written', { path }));
      });
    });
}

// `npm start` in a clone: npm changes the folder to that of package.json, and there is no command called paydrop. So files are looked for where
// the person stands, and a command that is printed is one that can be typed. The workspace stays the one of the clone, wherever one stands.

export function isByNpm(): boolean {
  return process.env['npm_lifecycle_event'] === 'start';
}

/** Commands whose arguments are files. */
const TAKE_FILES: ReadonlySet<string> = new Set(['run', 'check', 'preview', 'profile', 'rebuild']);
/** Options whose value is a path. */
const PATH_OPTION = /^(?:--(?:config|workspace|output|state|faults)|-o)$/;

export function fromWhereTyped(args: readonly string[]): readonly string[] {
  const stands = process.env['INIT_CWD'];
  if (stands === undefined) return args;
  const takesFiles = args.some((arg) => TAKE_FILES.has(arg));
  return args.map((arg, index) => {
    if (PATH_OPTION.test(args[index - 1] ?? '')) return resolve(stands, arg);
    const path = resolve(stands, arg);
    return takesFiles && !arg.startsWith('-') && !TAKE_FILES.has(arg) && existsSync(path) ? path : arg;
  });
}

/** A JSON document stays as it is. */
export function sayAsTyped(paydrop: Command, isJson: boolean): void {
  const typed = asTyped(paydrop);
  for (const stream of isJson ? [process.stderr] : [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array, ...rest: readonly never[]) =>
      write(typeof text === 'string' ? typed(text) : text, ...rest);
  }
}

/** Gives a text with each command of the program as it can be typed in a clone. */
export function asTyped(paydrop: Command): (text: string) => string {
  const names = paydrop.commands.map((command) => command.name()).join('|');
  const printed = new RegExp(`\\bpaydrop (?=(?:${names})\\b)`, 'g');
  return (text) => text.replace(printed, 'npm start --silent -- ');
}
