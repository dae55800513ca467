// `paydrop resume [BATCH]`: goes on with what is not finished.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';
import { waitOption } from './options.ts';
import { complain, print } from './print.ts';

type ResumeFlags = { readonly wait?: number; readonly json?: boolean };

export function addResume(program: Command, context: CommandContext): void {
  program
    .command('resume')
    .description(context.text('help.resume'))
    .argument('[batch]', context.text('help.resume.batch'))
    .addOption(waitOption(context.text))
    .option('--json', context.text('help.json'))
    .action(async (batch: string | undefined, flags: ResumeFlags, command: Command) => {
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const waitMs = flags.wait ?? paydrop.config.tracking.wait;
        const control = { waitMs, signal: context.signal, view: progressView(paydrop.config.language) };
        const results = await commands.resume(paydrop, batch ?? null, control);
        if (results === null) {
          complain(context.text('command.noBatch', { id: batch ?? '' }));
          context.finish(EXIT.usage);
          return;
        }
        if (results.length === 0 && flags.json !== true) print(context.text('resume.nothing'));
        context.finish(
          printResults(results, {
            json: flags.json === true,
            waitMs,
            outbox: paydrop.workspace.outbox,
            language: paydrop.config.language,
          }),
        );
        await commands.tellPeople(paydrop, context.signal);
      });
    });
}
