// `paydrop watch`: the daemon.
import type { Command } from 'commander';

import type { CommandContext } from './command-context.ts';

export function addWatch(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description(
      'the daemon: pay what is dropped into the inbox, and follow it to the end, until it is stopped',
    )
    .action(async (_flags: unknown, command: Command) => {
      const { runWatch } = await import('./run-watch.ts');
      await runWatch(command, context);
    });
}
