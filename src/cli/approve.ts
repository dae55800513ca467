// `paydrop approve BATCH`: a second person lets a checked and priced batch be paid.
import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { withRecords, type CommandContext } from './command-context.ts';
import { byOption } from './by-option.ts';

type ApproveFlags = {
  readonly by: string;
  readonly total?: string | null;
  readonly question?: string | null;
  readonly json?: boolean;
};

export function addApprove(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description('approve a waiting batch as its preview shows it; must not be the person who brought it')
    .argument('<batch>', 'a batch, as "status" names it')
    .addOption(byOption('who approves').makeOptionMandatory())
    .option(
      '--total <amounts>',
      'the total that you have seen, such as "1268750 XAF"; another one is not approved',
    )
    .option('--question <code>', 'the question that you have looked at; needed once it was asked again')
    .option('--json', 'print one JSON document instead of words')
    .action(
      async (id: string, { by, total = null, question = null, json }: ApproveFlags, command: Command) => {
        const commands = await import('../app/desk/commands.ts');
        const { printDecision } = await import('./print-decision.ts');
        await withRecords(command, async (records) => {
          const systemUser = userInfo().username;
          const order = { by, total, said: { question }, via: commandOf(), systemUser };
          const end = await commands.approve(records, id, order);
          printDecision(id, end, { json: json === true, language: records.config.language });
          context.finish(end.kind === 'refused' ? EXIT.usage : EXIT.done);
        });
      },
    );
}

/** Who gave the command as the system knows it: nobody has to believe the name alone. */
export function commandOf(): string {
  return `command of the system's user ${userInfo().username}`;
}
