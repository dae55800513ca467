// `paydrop resume [BATCH]`: goes on with what is not finished.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';
import { waitOption } from './wait-option.ts';

type ResumeFlags = { readonly wait?: number; readonly json?: boolean };

export function addResume(program: Command, context: CommandContext): void {
  program
    .command('resume')
    .description(
      'continue unfinished batches, also after a crash, and check for reversals; never pays a row twice',
    )
    .argument('[batch]', 'one batch; all that are not finished when left out')
    .addOption(waitOption())
    .option('--json', 'print one JSON document instead of words')
    .action(async (batch: string | undefined, flags: ResumeFlags, command: Command) => {
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const waitMs = flags.wait ?? paydrop.config.tracking.wait;
        const control = { waitMs, signal: context.signal, view: progressView(paydrop.config.language) };
        const results = await commands.resume(paydrop, batch ?? null, control);
        if (results === null) {
          process.stderr.write(`paydrop: there is no batch ${batch ?? ''}. "paydrop status" lists them.\n`);
          context.finish(EXIT.usage);
          return;
        }
        if (results.length === 0 && flags.json !== true)
          process.stdout.write('Nothing to do: every batch is finished.\n');
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
