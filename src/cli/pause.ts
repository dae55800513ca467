// `paydrop pause BATCH`: stops a batch before its next call to the service.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { printJson, withRecords, type CommandContext } from './command-context.ts';

export function addPause(program: Command, context: CommandContext): void {
  program
    .command('pause')
    .description('stop a batch before its next call; what is confirmed already is paid. "resume" goes on')
    .argument('<batch>', 'a batch, as "status" names it')
    .option('--json', 'print one JSON document instead of words')
    .action(async (id: string, flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const end = await commands.pause(records, id);
        if (end === null) {
          process.stderr.write(`paydrop: there is no batch ${id}. "paydrop status" lists them.\n`);
          context.finish(EXIT.usage);
          return;
        }
        const isOpen = end === 'paused';
        if (flags.json === true) printJson({ batch: id, paused: isOpen });
        else
          process.stdout.write(
            isOpen
              ? `${id} is paused. "paydrop resume ${id}" goes on.\n`
              : `${id} is finished; there is nothing to pause.\n`,
          );
      });
    });
}
