// `paydrop service --moved`: a named person says that the account of the service has another address or key, which nothing else proves.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import { byOption, type CommandContext, print, printJson, withRecords } from './command-context.ts';
import { reasonOption } from './decide.ts';

type ServiceFlags = { readonly by: string; readonly reason: string; readonly json?: boolean };

export function addService(program: Command, context: CommandContext): void {
  program
    .command('service')
    .description(context.text('help.service'))
    .requiredOption('--moved', context.text('help.service.moved'))
    .addOption(byOption(context.text('help.service.by'), context.text).makeOptionMandatory())
    .addOption(reasonOption(context, 'help.service.reason').makeOptionMandatory())
    .option('--json', context.text('help.json'))
    .action(async ({ by, reason, json }: ServiceFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const { kind, words } = await commands.moveService(records, { by, reason });
        if (json === true) printJson({ kind, words: say(words, records.config.language) });
        else print(say(words, records.config.language));
        context.finish(kind === 'moved' ? EXIT.done : EXIT.usage);
      });
    });
}
