// `paydrop status [BATCH|NAME]`: where is my file, and what does it wait for.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withRecords, type CommandContext } from './command-context.ts';
import type { Flags } from './show-status.ts';

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('where every file stands and what it waits for; or one, with the rows that need attention')
    .argument('[file]', 'a batch, as the list names it, or the name of a file')
    .option('--all', 'list the batches of all time')
    .option('--json', 'print one JSON document instead of words')
    .action(async (name: string | undefined, flags: Flags, command: Command) => {
      const { showAll, showNamed } = await import('./show-status.ts');
      await withRecords(command, async (records) => {
        if (name === undefined) await showAll(records, flags);
        else if (!(await showNamed(records, name, flags))) {
          process.stderr.write(
            `paydrop: there is no batch and no file ${name}. "paydrop status" lists them.\n`,
          );
          context.finish(EXIT.usage);
        }
      });
    });
}
