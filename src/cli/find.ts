// `paydrop find WORDS`: files and payments by anything that a person may know of them.
import type { Command } from 'commander';

import { OUTCOME_WORDS } from '../app/desk/standing-words.ts';
import { moneyWords } from '../base/currency.ts';
import { joinWords, type Language, sameWords, say } from '../base/language.ts';
import { withLocalTimes, zoneOf } from '../base/local-time.ts';
import type { FoundPayments, FoundPayment } from '../contract/search.ts';
import { rowsWords, sentence } from '../messages/messages.ts';
import { type CommandContext, note, print, printJson, withRecords } from './command-context.ts';

/** More than a screen shows, nobody reads. */
const SHOWN = 20;

export function addFind(program: Command, context: CommandContext): void {
  const { text } = context;
  program
    .command('find')
    .description(text('help.find'))
    .argument('<words...>', text('help.find.words'))
    .option('--json', text('help.json'))
    .action(async (words: readonly string[], flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const onBuilding = (): void => note(text('find.building'));
        const order = { words: words.join(' '), limit: SHOWN };
        const found = await commands.find(records, order, context.signal, onBuilding);
        const { language } = records.config;
        if (flags.json === true) printJson(found);
        else
          print(
            linesOf(found, language)
              .map((line) => withLocalTimes(line, zoneOf(records.config)))
              .join('\n'),
          );
      });
    });
}

function linesOf({ files, payments, isMore, isWhole }: FoundPayments, language: Language): readonly string[] {
  const rest = isWhole ? [] : [say(sentence('find.notWhole'), language)];
  if (files.length + payments.length === 0)
    return [say(sentence(isMore ? 'find.tooMany' : 'find.nothing'), language), ...rest];
  return [
    ...files.map(({ batch, file, acceptedAt, rows }) =>
      say(sentence('find.file', { batch, file, acceptedAt, rows: rowsWords(rows) }), language),
    ),
    ...payments.map((payment) => paymentLine(payment, language)),
    ...(isMore ? [say(sentence('find.more'), language)] : []),
    ...rest,
  ];
}

export function paymentLine({ batch, file, row }: FoundPayment, language: Language): string {
  const { receiver, account, row: name, outcome } = row;
  const [amount, currency] = [row['askedAmount'] ?? null, row['askedCurrency'] ?? null];
  const money = amount === null || currency === null ? null : moneyWords(amount, currency);
  const named = [row['reference'], receiver, account].filter((each) => (each ?? '') !== '');
  const said = [...named.map((each) => sameWords(each ?? '')), ...(money === null ? [] : [money])];
  const payment = { row: name, file, batch, outcome: OUTCOME_WORDS[outcome], said: joinWords(said, ' · ') };
  return say(sentence('find.payment', payment), language);
}
