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
import { printJson, type CommandContext } from './command-context.ts';
import { fromWhereTyped, isByNpm, sayAsTyped } from './npm-start.ts';

/** As `--help` lists them: what a person wants to do. */
const GROUPS = [
  ['Pay:', [addRun, addCheck, addPreview, addResume]],
  ['Decide:', [addApprove, addDecline, addRelease, addPause]],
  ['Look:', [addStatus, addReconcile, addCorridors]],
  ['Set up:', [addTemplate, addProfile, addDoctor, addSftp, addDemo]],
  ['Operate:', [addWatch, addRebuild, addSandbox]],
] as const;

/** Runs one command. `exitNow` is for a second signal: whatever is under way is as safe as after a kill. */
export async function main(args: readonly string[], exitNow: (code: ExitCode) => void): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const stop = new AbortController();
  const context: CommandContext = {
    signal: stop.signal,
    finish: (code) => {
      exitCode = code;
    },
  };
  const release = onSignals(stop, exitNow);
  ignoreClosedPipe();
  const paydrop = program(context);
  if (isByNpm()) sayAsTyped(paydrop, args.includes('--json'));
  try {
    await paydrop.parseAsync([...(isByNpm() ? fromWhereTyped(args) : args)], { from: 'user' });
    if (stop.signal.aborted && isUnfinished(exitCode))
      process.stderr.write('paydrop: interrupted; "paydrop resume" goes on, and pays no row twice.\n');
    return exitCode;
  } catch (error) {
    // Commander has said what was wrong, or has printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const commands = await import('../app/desk/commands.ts');
    const { code, words } = await commands.describe(error);
    process.stderr.write(`paydrop: ${words}\n`);
    // A program that asked for JSON gets a document even now, unless the command itself was wrong.
    if (args.includes('--json') && code !== EXIT.usage)
      printJson({ batches: [], exitCode: code, error: words });
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
  const paydrop = new Command('paydrop')
    .description(
      'Pays every row of a spreadsheet across borders exactly once, or says in plain words why not.',
    )
    .version(buildVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--config <file>', 'the config file (default: none, the sandbox and sensible settings)')
    .option('--workspace <dir>', 'the folder with inbox, outbox and archive (default: ./workspace)')
    .addHelpText('after', HELP)
    .exitOverride();
  for (const [group, adds] of GROUPS)
    for (const add of adds) {
      add(paydrop, context);
      paydrop.commands.at(-1)?.helpGroup(group).exitOverride();
    }
  return paydrop;
}

const HELP = `
To begin:  paydrop check payroll.csv     reads the file and says what to fix; sends nothing
           paydrop preview payroll.csv   says what it would cost and what looks unusual; sends nothing
           paydrop run payroll.csv       pays it and writes the answers to workspace/outbox
           paydrop status                where every file stands, and what it waits for
           paydrop resume                goes on after an interruption; never pays twice

Without a configured service everything runs against the built-in SANDBOX, with play money.
Exit codes: 0 done, 2 wrong usage or configuration, 3 file refused, 4 finished with rows not paid, 5 not finished.`;

function onSignals(stop: AbortController, exitNow: (code: ExitCode) => void): () => void {
  const onSignal = (): void => {
    if (stop.signal.aborted) exitNow(EXIT.unfinished);
    void import('./progress-view.ts').then(({ endBar }) => {
      endBar();
      process.stderr.write('paydrop: stopping after the calls under way; "paydrop resume" goes on.\n');
    });
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
}

/** `paydrop status | head` closes our output early; that is its reader's good right. */
function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
