// What a command says of its batches: one JSON document for programs, or a few lines for the person who waits.
import { basename } from 'node:path';

import { exitCodeOf, type BatchResult } from '../app/workflow/batch-result.ts';
import { highestExit, type ExitCode } from '../app/parts/exit-codes.ts';
import { printJson } from './command-context.ts';

type Summary = BatchResult['summary'];

type PrintOptions = { readonly json: boolean; readonly waitMs: number; readonly outbox: string };

/** Prints and gives the exit code of all together. */
export function printResults(
  results: readonly BatchResult[],
  { json, waitMs, outbox }: PrintOptions,
): ExitCode {
  const exitCode = highestExit(results.map((result) => exitCodeOf(result, waitMs)));
  if (json) printJson({ batches: results.map(({ summary }) => summary), exitCode });
  else for (const result of results) process.stdout.write(`${describe(result, outbox)}\n`);
  if (json)
    for (const result of results) for (const word of safeWords(result)) process.stderr.write(`${word}\n`);
  return exitCode;
}

/** What may stand in a log: rows by number and code, because reasons quote the file. */
function safeWords({ words, attention = [] }: BatchResult): readonly string[] {
  return [
    ...attention.map(({ row, outcome, errorCode }) => `row ${row}: ${outcome} (${errorCode})`),
    ...words,
  ];
}

function describe(
  { summary, words, about = [], attention = [], isRepeated }: BatchResult,
  outbox: string,
): string {
  const { batch, file, state, sandbox } = summary;
  if (isRepeated === true) return `${basename(file.name)}: ${words.join(' ')}\n`;
  return [
    `${sandbox ? 'SANDBOX  ' : ''}${basename(file.name)}: ${String(file.rows)} rows, batch ${batch}, ${state}`,
    ...about.map((line) => `  ${line}`),
    ...outcomeLines(summary),
    ...moneyLines(summary),
    ...attention.map(({ row, outcome, reason }) => `  row ${row}: ${outcome}. ${reason}`),
    ...words.map((word) => `  ${word}`),
    ...(summary.answers.length === 0
      ? []
      : [`  Answers in ${outbox}:`, ...summary.answers.map((name) => `    ${name}`)]),
    '',
  ].join('\n');
}

function outcomeLines({ outcomes, state }: Summary): readonly string[] {
  const shown = Object.entries(outcomes).filter(
    ([name, count]) => count > 0 && !(state === 'checked' && name === 'pending'),
  );
  return shown.length === 0
    ? []
    : [`  ${shown.map(([name, count]) => `${name} ${String(count)}`).join(', ')}`];
}

function moneyLines({ totals, received }: Summary): readonly string[] {
  const sent = totals.map(
    ({ sourceCurrency, sendAmount, feeAmount, debited, reserved }) =>
      `  ${sourceCurrency}: sent ${sendAmount}, fees ${feeAmount}, debited ${debited}, reserved ${reserved}`,
  );
  return [
    ...sent,
    ...received.map((line) => `  ${line.destinationCurrency}: received ${line.receiveAmount}`),
  ];
}
