// What a command prints about its batches: one JSON document for programs, or a few lines for a person.
import { basename } from 'node:path';

import { exitCodeOfResult, type Result } from '../app/desk/commands.ts';
import { EXIT, highestExit, type ExitCode } from '../base/exit-codes.ts';
import {
  OUTCOME_WORDS,
  paymentsWords,
  stateWords,
  sumsWords,
  unpaidLines,
} from '../app/desk/standing-words.ts';
import { grouped } from '../base/decimal.ts';
import { joinWords, sameWords, say, type Language, type Words } from '../base/language.ts';
import { labelled, rowsWords, sentence } from '../messages/messages.ts';
import { note, print, printJson } from './command-context.ts';

type ResultSummary = Result['summary'];

type PrintOptions = {
  readonly json: boolean;
  readonly waitMs: number;
  readonly outbox: string;
  readonly language: Language;
  /** The files that a signal left untouched: no `resume` knows of them. */
  readonly notBegun?: readonly string[];
};

/** Prints the results and returns their common exit code. */
export function printResults(
  results: readonly Result[],
  { json, waitMs, outbox, language, notBegun = [] }: PrintOptions,
): ExitCode {
  const ends = results.map((result) => exitCodeOfResult(result, waitMs));
  const exitCode = highestExit([...ends, ...notBegun.map(() => EXIT.unfinished)]);
  for (const name of notBegun) note(say(sentence('printResults.notBegun', { name }), language));
  if (json) {
    printJson({ batches: results.map(({ summary }) => summary), exitCode });
    for (const result of results) for (const word of safeWords(result, language)) note(word);
    return exitCode;
  }
  for (const result of results) print(describe(result, outbox, language));
  return exitCode;
}

const ROWS_LOGGED_MOST = 10;

/** The words that may stand in a log: rows by number and code, because reasons quote the file. */
function safeWords({ words, attention = [] }: Result, language: Language): readonly string[] {
  return [
    ...attention
      .slice(0, ROWS_LOGGED_MOST)
      .map(({ row, outcome, errorCode }) =>
        say(
          sentence('printResults.attention', { row, outcome: OUTCOME_WORDS[outcome], errorCode }),
          language,
        ),
      ),
    ...(attention.length > ROWS_LOGGED_MOST
      ? [say(sentence('printResults.moreAttention', { more: attention.length - ROWS_LOGGED_MOST }), language)]
      : []),
    ...words.map((each) => say(each, language)),
  ];
}

function describe(
  { summary, words, about = [], attention = [], isRepeated, brought, isElsewhere }: Result,
  outbox: string,
  language: Language,
): string {
  if (isRepeated === true) {
    const said = joinWords(words);
    return `${say(labelled(basename(brought ?? summary.file.name), said), language)}\n`;
  }
  const sums = summary.check === undefined ? [] : sumsWords(summary.check);
  const lines = [
    ...sums.map((each) => say(each, language)),
    ...about,
    ...(summary.check === undefined && summary.state !== 'refused'
      ? [...outcomeLines(summary), ...moneyLines(summary)]
      : []
    ).map((each) => say(each, language)),
    ...unpaidLines(summary.batch, attention, language),
    ...words.flatMap((each) => say(each, language).split('\n')),
    ...answerLines(summary, outbox, language),
  ];
  return [say(headline(summary, isElsewhere), language), ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** The subject, and its state as the ending command leaves it; for a check the number of payments, and their sums. */
export function headline(summary: ResultSummary, isElsewhere = false): Words {
  const { batch, file, state, sandbox, check } = summary;
  const name = `${sandbox ? 'SANDBOX  ' : ''}${basename(file.name)}`;
  const rows = rowsWords(file.rows);
  const standing: Words =
    check === undefined
      ? sentence('printResults.headline.batch', {
          rows,
          batch,
          value: stateWords(summary, isElsewhere ? 'working' : 'nobody'),
        })
      : paymentsWords(check);
  if (state === 'refused' && file.rows === 0) return sentence('printResults.headline.refused', { name });
  return labelled(name, standing);
}

/** The files of a check are named together with what to do with them. */
function answerLines(
  { answers, check, preview }: ResultSummary,
  outbox: string,
  language: Language,
): readonly string[] {
  if (answers.length === 0 || (check !== undefined && preview === undefined)) return [];
  const head = say(sentence('printResults.answerLines', { outbox }), language);
  return [head, ...answers.map((name) => `  ${name}`)];
}

function outcomeLines({ outcomes }: ResultSummary): readonly Words[] {
  const shown = (Object.keys(outcomes) as (keyof typeof outcomes)[]).filter((name) => outcomes[name] > 0);
  if (shown.length === 0) return [];
  return [
    joinWords(
      shown.map((outcome) => joinWords([OUTCOME_WORDS[outcome], sameWords(String(outcomes[outcome]))])),
      ', ',
    ),
  ];
}

function moneyLines({ totals, received }: ResultSummary): readonly Words[] {
  return [
    ...totals.map(({ sourceCurrency, sendAmount, feeAmount, debited, reserved }) => {
      const [send, fee] = [grouped(sendAmount), grouped(feeAmount)];
      const [debit, open] = [grouped(debited), grouped(reserved)];
      const isOpen = /[1-9]/.test(reserved);
      return sentence('printResults.moneyLines.sentFeesDebited', {
        sourceCurrency,
        send,
        fee,
        debit,
        isOpen,
        open,
      });
    }),
    ...received.map(({ destinationCurrency, receiveAmount }) =>
      sentence('printResults.moneyLines.received', { destinationCurrency, grouped: grouped(receiveAmount) }),
    ),
  ];
}
