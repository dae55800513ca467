// `paydrop status [BATCH|NAME]`: where is my file, and what does it wait for.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withRecords, type CommandContext } from './command-context.ts';
import type { Flags } from './show-status.ts';
import { complain } from './print.ts';

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
