// `paydrop check FILE...`: says what would be refused, and sends nothing.
import type { Command } from 'commander';

import { checkPaths } from '../app/desk/check-paths.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command('check')
    .description(context.text('help.check'))
    .argument('<files...>', context.text('help.files'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const results = await commands.check(paydrop, files, context);
        context.finish(
          printResults(results, {
            json: flags.json === true,
            waitMs: 0,
            outbox: paydrop.workspace.outbox,
            language: paydrop.config.language,
          }),
        );
      });
    });
}
