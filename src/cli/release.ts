// `paydrop release BATCH`: lets held rows go, or cancels them.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import type { Desk, DeskRecords } from '../app/desk/commands.ts';
import { printJson, withPaydrop, withRecords, type CommandContext } from './command-context.ts';
import { describeRelease } from './describe-release.ts';

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
    .description('let held rows go, in your name and with your reason; "resume" then pays them')
    .argument('<batch>', 'a batch, as "status" names it')
    .requiredOption('--by <name>', 'who decides')
    .requiredOption('--reason <text>', 'why')
    .option(
      '--rows <list>',
      'only these rows, such as 3,7; left out, what stopped the file, or else all held ones',
    )
    .option('--skip', 'cancel them instead, once the service has shown that they are unpaid')
    .option('--json', 'print one JSON document instead of words')
    .action(async (id: string, flags: ReleaseFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const decide = async (records: DeskRecords | Desk): Promise<void> => {
        const rows =
          flags.rows === undefined ? null : new Set(flags.rows.split(',').map((row) => row.trim()));
        const released = await commands.release(records, id, { ...flags, rows, skip: flags.skip === true });
        if (released === null) {
          process.stderr.write(`paydrop: there is no batch ${id}. "paydrop status" lists them.\n`);
          context.finish(EXIT.usage);
          return;
        }
        const { end, isDone } = released;
        if (flags.json === true) printJson({ batch: id, ...end });
        else
          process.stdout.write(
            `${say(describeRelease(id, end, flags.skip === true), records.config.language)}\n`,
          );
        context.finish(isDone ? EXIT.done : EXIT.unfinished);
      };
      // What is cancelled is looked up at the service first.
      await (flags.skip === true ? withPaydrop(command, decide) : withRecords(command, decide));
    });
}
