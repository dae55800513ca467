// `paydrop run FILE...`: pays the files.
import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { checkPaths } from '../app/desk/check-paths.ts';
import { asSystemUser } from '../base/person-name.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';
import { byOption, waitOption } from './options.ts';

type RunFlags = {
  readonly wait?: number;
  readonly json?: boolean;
  readonly again?: boolean;
  readonly by?: string;
};

export function addRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description(context.text('help.run'))
    .argument('<files...>', context.text('help.run.files'))
    .addOption(waitOption(context.text))
    .option('--again', context.text('help.run.again'))
    .addOption(byOption(context.text('help.run.by'), context.text))
    .option('--json', context.text('help.json'))
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
