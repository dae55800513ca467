// What people decide about a batch: `paydrop approve`, `paydrop decline` and `paydrop pause`.
import { InvalidArgumentError, Option, type Command } from 'commander';

import type { DecisionEnd } from '../app/desk/commands.ts';
import { EXIT } from '../base/exit-codes.ts';
import { say, type Language } from '../base/language.ts';
import { asSystemUser, oneLine, systemUser } from '../base/person-name.ts';
import { byOption, type CommandContext, withPaydrop, withRecords } from './command-context.ts';
import { printResults } from './print-results.ts';
import { complain, print, printJson } from './print.ts';

/** It stands in every row of the result. */
const REASON_LENGTH_MOST = 300;

type DeclineFlags = { readonly by: string; readonly reason: string; readonly json?: boolean };

export function addDecline(program: Command, context: CommandContext): void {
  program
    .command('decline')
    .description(context.text('help.decline'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.decline.by'), context.text).makeOptionMandatory())
    .addOption(reasonOption(context, 'help.decline.reason').makeOptionMandatory())
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

function reasonOption(context: CommandContext, key: 'help.decline.reason' | 'help.pause.reason'): Option {
  return new Option('--reason <text>', context.text(key)).argParser((text: string): string => {
    const reason = oneLine(text, REASON_LENGTH_MOST);
    if (reason === null) throw new InvalidArgumentError(context.text('help.wrong.line'));
    return reason;
  });
}

// `paydrop approve BATCH`: a second person lets a checked and priced batch be paid.

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
          const order = { by, total, said: { question }, via: commandOf(), systemUser: systemUser() };
          const end = await commands.approve(records, id, order);
          printDecision(id, end, { json: json === true, language: records.config.language });
          context.finish(end.kind === 'refused' ? EXIT.usage : EXIT.done);
        });
      },
    );
}

/** Who gave the command as the system knows it: nobody has to believe the name alone. */
function commandOf(): string {
  return `command of the system's user ${systemUser()}`;
}

/** What `approve` and `decline` say at their end. */
function printDecision(
  batch: string,
  end: DecisionEnd,
  { json, language }: { readonly json: boolean; readonly language: Language },
): void {
  const words = say(end.words, language);
  if (json) printJson({ batch, decision: end.kind, code: end.kind === 'refused' ? end.code : null, words });
  else if (end.kind === 'refused') complain(words);
  else print(words);
}

// `paydrop pause BATCH`: stops a batch before its next call to the service.

type PauseFlags = { readonly by?: string; readonly reason?: string; readonly json?: boolean };

export function addPause(program: Command, context: CommandContext): void {
  program
    .command('pause')
    .description(context.text('help.pause'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.pause.by'), context.text))
    .addOption(reasonOption(context, 'help.pause.reason'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: PauseFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const { by = asSystemUser(systemUser()), reason = null } = flags;
        const end = await commands.pause(records, id, { by, reason });
        if (end === null) {
          complain(context.text('command.noBatch', { id }));
          context.finish(EXIT.usage);
          return;
        }
        const isOpen = end === 'paused';
        if (flags.json === true) printJson({ batch: id, paused: isOpen });
        else print(context.text(isOpen ? 'pause.paused' : 'pause.finished', { id }));
      });
    });
}
