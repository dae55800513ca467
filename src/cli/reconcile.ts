// `paydrop reconcile [BATCH | --from DATE --to DATE]`: file, ledger and service side by side.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printReconciliation } from './print-reconciliation.ts';

type ReconcileFlags = { readonly from?: string; readonly to?: string; readonly json?: boolean };

export function addReconcile(program: Command, context: CommandContext): void {
  program
    .command('reconcile')
    .description('compare file, ledger and service, to the minor unit; pays and changes nothing')
    .argument('[batch]', 'one batch; all when left out')
    .option('--from <date>', 'all transfers of a period instead: its first day, such as 2026-11-01 (UTC)')
    .option('--to <date>', 'its last day, included')
    .option('--json', 'print one JSON document instead of words')
    .action(async (batch: string | undefined, flags: ReconcileFlags, command: Command) => {
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        const done = await commands.reconcile(paydrop, { batch, ...flags }, control);
        if ('fault' in done) {
          process.stderr.write(`paydrop: ${done.fault}\n`);
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
