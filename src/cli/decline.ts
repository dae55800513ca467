// `paydrop decline BATCH`: a batch that waits for approval is closed with nothing sent.
import { InvalidArgumentError, Option, type Command } from 'commander';

import { oneLine } from '../base/person-name.ts';
import { EXIT } from '../base/exit-codes.ts';
import { commandOf, printDecision } from './approve.ts';
import { byOption } from './options.ts';
import { withPaydrop, withRecords, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

/** It stands in every row of the result. */
const REASON_LENGTH_MOST = 300;

type DeclineFlags = { readonly by: string; readonly reason: string; readonly json?: boolean };

export function addDecline(program: Command, context: CommandContext): void {
  program
    .command('decline')
    .description(context.text('help.decline'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.decline.by'), context.text).makeOptionMandatory())
    .addOption(reasonOption(context).makeOptionMandatory())
    .option('--json', context.text('help.json'))
    .action(async (id: string, { by, reason, json }: DeclineFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const isJson = json === true;
      const isLeft = await withRecords(command, async (records) => {
        const order = { by, reason, via: commandOf() };
        const { end, isLeft } = await commands.decline(records, id, order);
        printDecision(id, end, { json: isJson, language: records.config.language });
        context.finish(end.kind === 'refused' ? EXIT.usage : EXIT.done);
        // A `watch` that has it closes it by itself.
        return isLeft;
      });
      if (isLeft) await close(id, command, context, isJson);
    });
}

async function close(
  id: string,
  command: Command,
  { signal }: CommandContext,
  isJson: boolean,
): Promise<void> {
  const commands = await import('../app/desk/commands.ts');
  const { progressView } = await import('./progress-view.ts');
  await withPaydrop(command, async (paydrop) => {
    const control = { waitMs: 0, signal, view: progressView(paydrop.config.language) };
    const results = (await commands.resume(paydrop, id, control)) ?? [];
    if (!isJson)
      printResults(results, {
        json: false,
        waitMs: 0,
        outbox: paydrop.workspace.outbox,
        language: paydrop.config.language,
      });
  });
}

function reasonOption(context: CommandContext): Option {
  return new Option('--reason <text>', context.text('help.decline.reason')).argParser(
    (text: string): string => {
      const reason = oneLine(text, REASON_LENGTH_MOST);
      if (reason === null) throw new InvalidArgumentError(context.text('help.wrong.line'));
      return reason;
    },
  );
}
