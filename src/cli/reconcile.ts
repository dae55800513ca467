// `paydrop reconcile [BATCH | --from DATE --to DATE]`: file, ledger and service side by side.
import type { Command } from 'commander';

import { EXIT } from '../app/parts/exit-codes.ts';
import type { Paydrop } from '../app/parts.ts';
import type { Findings } from '../app/desk/findings.ts';
import type { RunControl } from '../app/parts/run-options.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printReconciliation } from './print-reconciliation.ts';

type ReconcileFlags = { readonly from?: string; readonly to?: string; readonly json?: boolean };

type Control = Pick<RunControl, 'signal' | 'view'>;

/** What was reconciled, or what is wrong with the wish for it. */
type Done = { readonly answers: readonly string[] } | { readonly fault: string };

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
      const found = await import('../app/desk/findings.ts');
      const { patientReads } = await import('../app/parts/patient-reads.ts');
      await withPaydrop(command, async (opened) => {
        const paydrop = patientReads(opened, context.signal);
        const findings = new found.Findings();
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        const done = await reconcile(paydrop, batch, flags, findings, control);
        if ('fault' in done) {
          process.stderr.write(`paydrop: ${done.fault}\n`);
          context.finish(EXIT.usage);
          return;
        }
        const { language } = paydrop.config;
        const { outbox } = paydrop.workspace;
        const shown = { ...done, json: flags.json === true, language, outbox };
        context.finish(printReconciliation(findings, shown));
      });
    });
}

async function reconcile(
  paydrop: Paydrop,
  batch: string | undefined,
  { from, to }: ReconcileFlags,
  findings: Findings,
  control: Control,
): Promise<Done> {
  if (from === undefined && to === undefined) return reconcileBatches(paydrop, batch, findings, control);
  if (from === undefined || to === undefined || batch !== undefined)
    return { fault: 'write one batch, or a period with both --from and --to.' };
  const { periodOf, reconcilePeriod } = await import('../app/desk/reconcile-period.ts');
  const period = periodOf({ from, to });
  if (period === null)
    return { fault: '--from and --to are two days such as 2026-11-01 and 2026-11-30, the first one first.' };
  return { answers: await reconcilePeriod(paydrop, { from, to }, period, findings, control) };
}

async function reconcileBatches(
  paydrop: Paydrop,
  id: string | undefined,
  findings: Findings,
  control: Control,
): Promise<Done> {
  const { MAY_HAVE_TRANSFERS } = await import('../app/desk/may-have-transfers.ts');
  const { reconcileBatch } = await import('../app/desk/reconcile-batch.ts');
  const batches = (await paydrop.ledger.batches()).filter((batch) => id === undefined || batch.id === id);
  if (id !== undefined && batches.length === 0)
    return { fault: `there is no batch ${id}. "paydrop status" lists them.` };
  const answers: string[] = [];
  for (const batch of batches)
    if (MAY_HAVE_TRANSFERS.has(batch.state))
      answers.push(...(await reconcileBatch(paydrop, batch, findings, control)));
  return { answers };
}
