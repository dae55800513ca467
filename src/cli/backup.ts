// `paydrop backup FOLDER` and `paydrop restore BACKUP`: one command each, so that a night job and a bad morning need no more.
import type { Command } from 'commander';

import { isoTime, systemClock } from '../base/clock.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type CommandContext, complain, namedBy, print, printJson } from './command-context.ts';

type BackupFlags = { readonly json?: boolean };

export function addBackup(program: Command, context: CommandContext): void {
  const { text, language } = context;
  program
    .command('backup')
    .description(text('help.backup'))
    .argument('<folder>', text('help.backup.folder'))
    .option('--json', text('help.json'))
    .action(async (folder: string, flags: BackupFlags, command: Command) => {
      const { configOf } = await import('../app/desk/open-desk.ts');
      const { backUp } = await import('../app/desk/backup.ts');
      const made = await backUp(await configOf(namedBy(command)), folder);
      if (flags.json === true) printJson(made);
      else {
        print(text('backup.made', made));
        if (made.history === null) print(text('backup.database'));
      }
      if (made.history?.isSound === false) {
        complain(text('backup.unsound'), language);
        context.finish(EXIT.differences);
      }
    });
}

export function addRestore(program: Command, context: CommandContext): void {
  const { text } = context;
  program
    .command('restore')
    .description(text('help.restore'))
    .argument('<backup>', text('help.restore.backup'))
    .option('--json', text('help.json'))
    .action(async (backup: string, flags: BackupFlags, command: Command) => {
      const { configOf } = await import('../app/desk/open-desk.ts');
      const { restore } = await import('../app/desk/restore.ts');
      const restored = await restore(await configOf(namedBy(command)), backup);
      if (flags.json === true) {
        printJson(restored);
        return;
      }
      print(text('restore.done', restored));
      const days = { from: restored.at.slice(0, 10), to: isoTime(systemClock.now()).slice(0, 10) };
      print(restored.isStopped ? text('restore.stopped', days) : text('restore.goesOn'));
    });
}
