// Arguments to a command. Every way in which a command can end passes here and becomes an exit code and a sentence; nobody sees a stack trace.
import { Command, CommanderError } from 'commander';

import { EXIT, type ExitCode } from '../base/exit-codes.ts';
import { addApprove } from './approve.ts';
import { addCheck } from './check.ts';
import { addCorridors } from './corridors.ts';
import { addDecline } from './decline.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor.ts';
import { addPause } from './pause.ts';
import { addPreview } from './preview.ts';
import { addProfile } from './profile.ts';
import { addRebuild } from './rebuild.ts';
import { addReconcile } from './reconcile.ts';
import { addRelease } from './release.ts';
import { addResume } from './resume.ts';
import { addRun } from './run.ts';
import { addSandbox } from './sandbox.ts';
import { addSftp } from './sftp.ts';
import { addTemplate } from './template.ts';
import { addStatus } from './status.ts';
import { addWatch } from './watch.ts';
import { buildVersion } from '../base/build-version.ts';
import type { CommandContext } from './command-context.ts';
import { textIn, type Text } from '../messages/messages.ts';
import { languageOf, speak } from './help.ts';
import { fromWhereTyped, isByNpm, sayAsTyped } from './npm-start.ts';
import { say } from '../base/language.ts';
import { complain, printJson } from './print.ts';

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
