// `paydrop pause BATCH`: stops a batch before its next call to the service.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withRecords, type CommandContext } from './command-context.ts';
import { complain, print, printJson } from './print.ts';

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
