// `paydrop approve BATCH`: a second person lets a checked and priced batch be paid.
import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import type { DecisionEnd } from '../app/desk/commands.ts';
import { say, type Language } from '../base/language.ts';
import { complain, print, printJson } from './print.ts';
import { withRecords, type CommandContext } from './command-context.ts';
import { byOption } from './options.ts';

type ApproveFlags = {
  readonly by: string;
  readonly total?: string | null;
  readonly question?: string | null;
  readonly json?: boolean;
};

export function addApprove(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description(context.text('help.approve'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.approve.by'), context.text).makeOptionMandatory())
    .option('--total <amounts>', context.text('help.approve.total'))
    .option('--question <code>', context.text('help.approve.question'))
    .option('--json', context.text('help.json'))
    .action(
      async (id: string, { by, total = null, question = null, json }: ApproveFlags, command: Command) => {
        const commands = await import('../app/desk/commands.ts');
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

/** What `approve` and `decline` say at their end. */
export function printDecision(
  batch: string,
  end: DecisionEnd,
  { json, language }: { readonly json: boolean; readonly language: Language },
): void {
  const words = say(end.words, language);
  if (json) printJson({ batch, decision: end.kind, code: end.kind === 'refused' ? end.code : null, words });
  else if (end.kind === 'refused') complain(words);
  else print(words);
}
