// `paydrop template --corridor ID`: an empty spreadsheet to fill in.
import type { Command } from 'commander';

import { withPaydrop, type CommandContext } from './command-context.ts';
import { print, printJson } from './print.ts';

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
