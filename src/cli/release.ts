// `paydrop release BATCH`: lets held rows go, or cancels them.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import type { Desk, DeskRecords } from '../app/desk/commands.ts';
import { withPaydrop, withRecords, type CommandContext } from './command-context.ts';
import { describeRelease } from './describe-release.ts';
import { complain, print, printJson } from './print.ts';

type ReleaseFlags = {
  readonly rows?: string;
  readonly by: string;
  readonly reason: string;
  readonly skip?: boolean;
  readonly json?: boolean;
};

export function addRelease(program: Command, context: CommandContext): void {
  program
    .command('release')
    .description(context.text('help.release'))
    .argument('<batch>', context.text('help.batch'))
    .requiredOption('--by <name>', context.text('help.release.by'))
    .requiredOption('--reason <text>', context.text('help.release.reason'))
    .option('--rows <list>', context.text('help.release.rows'))
    .option('--skip', context.text('help.release.skip'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: ReleaseFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const decide = async (records: DeskRecords | Desk): Promise<void> => {
        const rows =
          flags.rows === undefined ? null : new Set(flags.rows.split(',').map((row) => row.trim()));
        const released = await commands.release(records, id, { ...flags, rows, skip: flags.skip === true });
        if (released === null) {
          complain(context.text('command.noBatch', { id }));
          context.finish(EXIT.usage);
          return;
        }
        const { end, isDone } = released;
        if (flags.json === true) printJson({ batch: id, ...end });
        else print(say(describeRelease(id, end, flags.skip === true), records.config.language));
        context.finish(isDone ? EXIT.done : EXIT.unfinished);
      };
      // What is cancelled is looked up at the service first.
      await (flags.skip === true ? withPaydrop(command, decide) : withRecords(command, decide));
    });
}
