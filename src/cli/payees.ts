// `paydrop payees [WORDS]`: everybody who was paid; of one alone the accounts, what was verified, and the last payments.
import type { Command } from 'commander';

import type { PayeesFound } from '../app/desk/commands.ts';
import { moneyWords } from '../base/currency.ts';
import { joinWords, type Language, sameWords, say } from '../base/language.ts';
import { withLocalTimes, zoneOf } from '../base/local-time.ts';
import type { Payee, PayeeHistory } from '../contract/payees.ts';
import { sentence } from '../messages/messages.ts';
import { type CommandContext, note, print, printJson, withRecords } from './command-context.ts';
import { paymentLine } from './find.ts';

/** More than a screen shows, nobody reads. */
const SHOWN = 20;

export function addPayees(program: Command, context: CommandContext): void {
  const { text } = context;
  program
    .command('payees')
    .description(text('help.payees'))
    .argument('[words...]', text('help.payees.words'))
    .option('--json', text('help.json'))
    .action(async (words: readonly string[], flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const onBuilding = (): void => note(text('find.building'));
        const order = { find: words.length === 0 ? null : words.join(' '), limit: SHOWN };
        const found = await commands.payees(records, order, context.signal, onBuilding);
        if (flags.json === true) printJson(found);
        else
          print(
            linesOf(found, records.config.language)
              .map((line) => withLocalTimes(line, zoneOf(records.config)))
              .join('\n'),
          );
      });
    });
}

function linesOf({ payees, isMore, payee }: PayeesFound, language: Language): readonly string[] {
  if (payees.length === 0) return [say(sentence('payees.nobody'), language)];
  return [
    ...payees.map((each) => payeeLine(each, language)),
    ...(payee === null ? [] : historyLines(payee, language)),
    ...(isMore ? [say(sentence('find.more'), language)] : []),
  ];
}

function payeeLine({ name, account, accounts, lastAt, lastAmount, lastCurrency }: Payee, language: Language) {
  const known = [name, account ?? ''].filter((each) => each !== '').map(sameWords);
  const said = joinWords([...known, moneyWords(lastAmount, lastCurrency)], ' · ');
  return say(sentence('payees.payee', { said, accounts, lastAt }), language);
}

function historyLines({ accounts, sums, payments }: PayeeHistory, language: Language): readonly string[] {
  const lines = [
    ...sums.map(({ currency, amount, payments: count }) =>
      sentence('payees.sum', { money: moneyWords(amount, currency), payments: count }),
    ),
    ...accounts.flatMap(({ account, payments: count, lastAt, verified }) => {
      const shown = account ?? '–';
      return [
        lastAt === null
          ? sentence('payees.accountUnpaid', { account: shown })
          : sentence('payees.account', { account: shown, payments: count, lastAt }),
        ...verified.map(({ at, by, how }) => sentence('payees.verified', { at, by, how })),
      ];
    }),
  ];
  return [
    ...lines.map((words) => say(words, language)),
    ...payments.map((payment) => paymentLine(payment, language)),
  ];
}
