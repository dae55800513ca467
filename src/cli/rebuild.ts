// `paydrop rebuild FILE...`: recreates a lost ledger.
import type { Command } from 'commander';

import { checkPaths } from '../app/desk/typed-words.ts';
import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { sentence } from '../messages/messages.ts';
import { complain, print, printJson } from './print.ts';

export function addRebuild(program: Command, context: CommandContext): void {
  program
    .command('rebuild')
    .description(context.text('help.rebuild'))
    .argument('<files...>', context.text('help.rebuild.files'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { waitMs: 0, signal: context.signal, view: progressView(paydrop.config.language) };
        const { rebuilt, leftOut } = await commands.rebuild(paydrop, files, control);
        for (const words of leftOut) complain(say(words, paydrop.config.language));
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
        for (const { batch, found, isKnown, isPaused } of rebuilt) {
          const { id, rows, fileName } = batch;
          const goesOn = sentence(isPaused ? 'rebuild.paused' : 'rebuild.goesOn', { id });
          const end = isKnown
            ? sentence('rebuild.known')
            : sentence('rebuild.found', { rows, found, goesOn });
          print(context.text('rebuild.line', { fileName, id, end }));
        }
      });
    });
}
