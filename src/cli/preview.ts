// `paydrop preview FILE...`: prices everything, and sends nothing.
import type { Command } from 'commander';

import { checkPaths } from '../app/desk/check-paths.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export function addPreview(program: Command, context: CommandContext): void {
  program
    .command('preview')
    .description(context.text('help.preview'))
    .argument('<files...>', context.text('help.files2'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        const results = await commands.preview(paydrop, files, control);
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
