// What a reconciliation says: one JSON document for programs, or the sums and the first differences for the person who asked.
import { EXIT, type ExitCode } from '../base/exit-codes.ts';
import type { Findings, FoundDifference } from '../app/desk/findings.ts';
import { say, type Language } from '../base/language.ts';
import { printJson } from './command-context.ts';

type PrintOptions = {
  readonly answers: readonly string[];
  readonly json: boolean;
  readonly language: Language;
  readonly outbox: string;
};

/** Differences that are told one by one; the answer and `--json` have all. */
const SHOWN_MOST = 20;

/** Prints and gives the exit code. */
export function printReconciliation(findings: Findings, options: PrintOptions): ExitCode {
  const exitCode = findings.agrees ? EXIT.done : EXIT.differences;
  if (options.json) printJson(documentOf(findings, options, exitCode));
  else process.stdout.write(`${describe(findings, options).join('\n')}\n`);
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
  return [
    findings.agrees
      ? `${counted(rows, 'row')} compared: file, ledger and service agree.`
      : `${counted(rows, 'row')} compared: ${counted(differences.length, 'difference')}.`,
    ...totalLines(findings),
    ...differences.slice(0, SHOWN_MOST).map((difference) => describeDifference(difference, language)),
    ...(more > 0 ? [`  ${String(more)} more.`] : []),
    ...astray.map((words) => `  ${say(words, language)}`),
    ...(dueAgain === 0
      ? []
      : [`  Moved at the service, and due: ${counted(dueAgain, 'row')}. "paydrop resume" takes that over.`]),
    ...answers.map((name) => `  ${outbox}/${name}`),
  ];
}

function counted(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? '' : 's'}`;
}

function totalLines({ money }: Findings): readonly string[] {
  return money.lines().map(({ sourceCurrency, file, ledger, service, differences }) => {
    const side = (name: 'debited' | 'reserved') =>
      `${name} ${file[name]} by file, ${ledger[name]} by ledger, ${service[name]} by service, differences ${differences[name]}`;
    return `  ${sourceCurrency}: ${side('debited')}; ${side('reserved')}`;
  });
}

function describeDifference(
  { batch, row, kind, transfer, words }: FoundDifference,
  language: Language,
): string {
  const place = row === null ? `transfer ${transfer.transferId}` : `${batch ?? ''} row ${row}`;
  return `  ${place}: ${kind}. ${say(words, language)}`;
}
