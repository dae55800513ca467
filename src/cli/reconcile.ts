// `paydrop reconcile [BATCH | --from DATE --to DATE]`: file, ledger and service side by side.
import type { Command } from 'commander';

import type { Findings, FoundDifference } from '../app/desk/reconcile-batch.ts';
import { grouped } from '../base/decimal.ts';
import { EXIT, type ExitCode } from '../base/exit-codes.ts';
import { type Language, type Words, joinWords, sameWords, say } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { type CommandContext, complain, print, printJson, withPaydrop } from './command-context.ts';

type ReconcileFlags = { readonly from?: string; readonly to?: string; readonly json?: boolean };

export function addReconcile(program: Command, context: CommandContext): void {
  program
    .command('reconcile')
    .description(context.text('help.reconcile'))
    .argument('[batch]', context.text('help.reconcile.batch'))
    .option('--from <date>', context.text('help.reconcile.from'))
    .option('--to <date>', context.text('help.reconcile.to'))
    .option('--json', context.text('help.json'))
    .action(async (batch: string | undefined, flags: ReconcileFlags, command: Command) => {
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        const done = await commands.reconcile(paydrop, { batch, ...flags }, control);
        if ('fault' in done) {
          complain(say(done.fault, paydrop.config.language), paydrop.config.language);
          context.finish(EXIT.usage);
          return;
        }
        const { language } = paydrop.config;
        const { outbox } = paydrop.workspace;
        const shown = { answers: done.answers, json: flags.json === true, language, outbox };
        context.finish(printReconciliation(done.findings, shown));
      });
    });
}

// What a reconciliation prints: one JSON document for programs, or the sums and the first differences for a person.

type PrintOptions = {
  readonly answers: readonly string[];
  readonly json: boolean;
  readonly language: Language;
  readonly outbox: string;
};

/** How many differences are printed; the answer and `--json` have all. */
const SHOWN_MOST = 20;

/** Prints the findings and returns the exit code. */
function printReconciliation(findings: Findings, options: PrintOptions): ExitCode {
  const exitCode = findings.agrees ? EXIT.done : EXIT.differences;
  if (options.json) printJson(documentOf(findings, options, exitCode));
  else print(describe(findings, options).join('\n'));
  return exitCode;
}

function documentOf(findings: Findings, { answers, language }: PrintOptions, exitCode: ExitCode): object {
  return {
    rows: findings.rows,
    differences: findings.differences.map(
      ({ batch, row, kind, transfer, sourceCurrency, effect, words }) => ({
        batch,
        row,
        kind,
        externalId: transfer.externalId,
        transferId: transfer.transferId,
        sourceCurrency,
        ...effect,
        words: say(words, language),
      }),
    ),
    totals: findings.money.lines(),
    dueAgain: findings.dueAgain,
    words: findings.astray.map((words) => say(words, language)),
    answers,
    exitCode,
  };
}

function describe(findings: Findings, { answers, language, outbox }: PrintOptions): readonly string[] {
  const { differences, rows, dueAgain, astray } = findings;
  const more = differences.length - SHOWN_MOST;
  const lines: readonly Words[] = [
    findings.agrees
      ? sentence('reconciled.agrees', { rows })
      : sentence('reconciled.differs', { rows, count: differences.length }),
    ...totalLines(findings),
    ...differences.slice(0, SHOWN_MOST).map(describeDifference),
    ...(more > 0 ? [sentence('reconciled.more', { more })] : []),
    ...astray.map((words) => joinWords([sameWords('  '), words], '')),
    ...(dueAgain === 0 ? [] : [sentence('reconciled.due', { rows: dueAgain })]),
  ];
  return [...lines.map((line) => say(line, language)), ...answers.map((name) => `  ${outbox}/${name}`)];
}

function totalLines({ money }: Findings): readonly Words[] {
  return money.lines().map(({ sourceCurrency: currency, file, ledger, service, differences }) => {
    const side = (name: 'debited' | 'reserved') =>
      sentence(name === 'debited' ? 'reconciled.debited' : 'reconciled.reserved', {
        file: grouped(file[name]),
        ledger: grouped(ledger[name]),
        service: grouped(service[name]),
        differences: grouped(differences[name]),
      });
    return sentence('reconciled.money', { currency, debited: side('debited'), reserved: side('reserved') });
  });
}

function describeDifference({ batch, row, transfer, words }: FoundDifference): Words {
  const place =
    row === null
      ? sentence('reconciled.atTransfer', { id: transfer.transferId })
      : sentence('reconciled.atRow', { batch: batch ?? '', row });
  return sentence('reconciled.difference', { place, words });
}
