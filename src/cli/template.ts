// `paydrop template --corridor ID`: an empty spreadsheet to fill in.
import type { Command } from 'commander';

import { printJson, withPaydrop } from './command-context.ts';

type TemplateFlags = {
  readonly corridor: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
};

export function addTemplate(program: Command): void {
  program
    .command('template')
    .description('write an empty spreadsheet that fits a corridor: its columns, choices and limits')
    .requiredOption('--corridor <id>', 'a corridor, as "corridors" lists it')
    .option('-o, --output <file>', 'where to (default: template-<corridor>.xlsx here)')
    .option('--force', 'replace a file that is there')
    .option('--json', 'print one JSON document instead of words')
    .action(async (flags: TemplateFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const { corridor } = flags;
        const path = flags.output ?? `template-${corridor.replace(/[^\w.-]+/g, '-')}.xlsx`;
        await commands.template(paydrop, { corridor, path, mayReplace: flags.force === true });
        if (flags.json === true) printJson({ corridor, path });
        else process.stdout.write(`${path}: fill it in, then "paydrop check ${path}".\n`);
      });
    });
}
