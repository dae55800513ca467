// `paydrop run FILE...`: pays the files.
import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { checkPaths } from '../app/desk/check-paths.ts';
import { EXIT } from '../base/exit-codes.ts';
import { asSystemUser } from '../base/person-name.ts';
import { type CommandContext, withPaydrop } from './command-context.ts';
import { byOption, waitOption } from './options.ts';
import { printResults } from './print-results.ts';
import { complain, print } from './print.ts';

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

// `paydrop resume [BATCH]`: goes on with what is not finished.

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
