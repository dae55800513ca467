// `paydrop journal BATCH | --from DATE --to DATE`: the entries that an accountant imports.
import { type Command, Option } from 'commander';

import { currencyDecimals, formatAmount } from '../base/currency.ts';
import { fromUnits } from '../base/decimal.ts';
import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import { JOURNAL_FORMATS } from '../contract/words.ts';
import { type CommandContext, complain, print, printJson, withRecords } from './command-context.ts';

type JournalFlags = {
  readonly from?: string;
  readonly to?: string;
  readonly format: (typeof JOURNAL_FORMATS)[number];
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
};

export function addJournal(program: Command, context: CommandContext): void {
  const { text } = context;
  program
    .command('journal')
    .description(text('help.journal'))
    .argument('[batch]', text('help.batch'))
    .option('--from <date>', text('help.journal.from'))
    .option('--to <date>', text('help.reconcile.to'))
    .addOption(
      new Option('--format <format>', text('help.journal.format')).choices(JOURNAL_FORMATS).default('csv'),
    )
    .option('-o, --output <file>', text('help.journal.output'))
    .option('--force', text('help.template.force'))
    .option('--json', text('help.json'))
    .action(async (batch: string | undefined, flags: JournalFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const { language } = records.config;
        const { output: path, force = false, json = false, ...order } = flags;
        const made = await commands.journal(records, { batch, ...order }, { path, mayReplace: force });
        if ('fault' in made) {
          complain(say(made.fault, language), language);
          context.finish(EXIT.usage);
        } else if (json) {
          const { debit, credit, ...report } = made.report;
          const { currency } = records.config.journal;
          const sum = (units: bigint) =>
            formatAmount(fromUnits(units, currencyDecimals(currency) ?? 0), currency);
          printJson({ path: made.path, ...report, currency, debit: sum(debit), credit: sum(credit) });
        } else print(say(made.words, language));
      });
    });
}
