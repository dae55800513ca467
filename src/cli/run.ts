// `paydrop run FILE...`: pays the files.
import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { asSystemUser } from '../base/person-name.ts';
import { byOption } from './by-option.ts';
import { checkPaths } from '../app/desk/check-paths.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';
import { waitOption } from './wait-option.ts';

type RunFlags = {
  readonly wait?: number;
  readonly json?: boolean;
  readonly again?: boolean;
  readonly by?: string;
};

export function addRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description(
      'pay the rows of spreadsheets, wait for their final statuses, write the answers; the originals stay where they are',
    )
    .argument(
      '<files...>',
      'CSV files or workbooks (.xlsx); the documents that their rows name lie beside them or below',
    )
    .addOption(waitOption())
    .option('--again', 'deliberately pay an identical file a second time')
    .addOption(byOption('who brings the files; cannot approve them'))
    .option('--json', 'print one JSON document instead of words')
    .action(async (files: string[], flags: RunFlags, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const waitMs = flags.wait ?? paydrop.config.tracking.wait;
        const control = { waitMs, signal: context.signal, view: progressView(paydrop.config.language) };
        const brings = flags.by === undefined ? [] : [flags.by];
        const order = { again: flags.again === true, by: [...brings, asSystemUser(userInfo().username)] };
        const results = await commands.run(paydrop, files, control, order);
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
