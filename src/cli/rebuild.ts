// `paydrop rebuild FILE...`: recreates a lost ledger.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import { checkPaths } from '../app/desk/check-paths.ts';
import { printJson, withPaydrop, type CommandContext } from './command-context.ts';

export function addRebuild(program: Command, context: CommandContext): void {
  program
    .command('rebuild')
    .description(
      'recreate a lost ledger for files that were processed before, from the service alone; pays nothing',
    )
    .argument('<files...>', 'the files, byte for byte as they were paid')
    .option('--json', 'print one JSON document instead of words')
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { waitMs: 0, signal: context.signal, view: progressView(paydrop.config.language) };
        const { rebuilt, leftOut } = await commands.rebuild(paydrop, files, control);
        for (const words of leftOut)
          process.stderr.write(`paydrop: ${say(words, paydrop.config.language)}\n`);
        if (leftOut.length > 0) context.finish(EXIT.unfinished);
        if (flags.json === true) {
          printJson({
            batches: rebuilt.map(({ batch, found, isKnown }) => ({
              batch: batch.id,
              rows: batch.rows,
              transfersFound: found,
              wasKnown: isKnown,
            })),
          });
          return;
        }
        for (const { batch, found, isKnown } of rebuilt) {
          const goesOn = `${batch.paused ? 'it was paused and still is, until ' : ''}"paydrop resume ${batch.id}" goes on`;
          const words = isKnown
            ? 'the ledger knows it already'
            : `${String(found)} of ${String(batch.rows)} rows have a transfer at the service; ${goesOn}`;
          process.stdout.write(`${batch.fileName}: batch ${batch.id}, ${words}.\n`);
        }
      });
    });
}
