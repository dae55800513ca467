// `paydrop check FILE...`: says what would be refused, and sends nothing.
import type { Command } from 'commander';

import type { BatchResult } from '../app/workflow/batch-result.ts';
import { checkPaths } from './check-paths.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command('check')
    .description(
      'read and validate spreadsheets; nothing is sent, moved or remembered; rows to fix are written to the outbox',
    )
    .argument('<files...>', 'CSV files or workbooks (.xlsx)')
    .option('--json', 'print one JSON document instead of words')
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { checkFile } = await import('../app/desk/check-file.ts');
      const { patientReads } = await import('../app/parts/patient-reads.ts');
      await withPaydrop(command, async (opened) => {
        const paydrop = patientReads(opened, context.signal);
        const results: BatchResult[] = [];
        for (const file of files) results.push(await checkFile(paydrop, file));
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
