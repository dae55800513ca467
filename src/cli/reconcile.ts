// `paydrop reconcile [BATCH | --from DATE --to DATE]`: file, ledger and service side by side.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printReconciliation } from './print-reconciliation.ts';
import { say } from '../base/language.ts';
import { complain } from './print.ts';

type ReconcileFlags = { readonly from?: string; readonly to?: string; readonly json?: boolean };

export function addReconcile(program: Command, context: CommandContext): void {
  program
    .command('reconcile')
    .description(context.text('help.reconcile'))
    .argument('[batch]', context.text('help.reconcile.batch'))
    .option('--from <date>', context.text('help.reconcile.from'))
    .option('--to <date>', context.text('help.reconcile.to'))
    .option('--json', context.text('help.json'))
    .action(async (batch: string | undefined, flags: ReconcileFlags, command: Command) => {
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        const done = await commands.reconcile(paydrop, { batch, ...flags }, control);
        if ('fault' in done) {
          complain(say(done.fault, paydrop.config.language));
          context.finish(EXIT.usage);
          return;
        }
        const { language } = paydrop.config;
        const { outbox } = paydrop.workspace;
        const shown = { answers: done.answers, json: flags.json === true, language, outbox };
        context.finish(printReconciliation(done.findings, shown));
      });
    });
}
