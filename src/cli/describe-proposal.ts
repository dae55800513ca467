// A proposed profile as a person reads it: one line a column, and what the rows of the file would say to it.
import type { Proposal, Trial } from '../app/desk/commands.ts';
import type { Text } from '../messages/messages.ts';

type Column = Proposal['columns'][number];

/** Long texts would push the table apart. */
const SAMPLE_CHARS_MOST = 28;

export function describeProposal(
  name: string,
  { profile, files, columns, splits, rows, headerPlace, questions }: Proposal,
  text: Text,
): string {
  const form = [
    profile.delimiter === 'auto' ? null : separatedBy(profile.delimiter, text),
    profile.encoding === 'auto' ? null : profile.encoding,
    profile.sheet === null ? null : text('proposal.sheet', { name: profile.sheet }),
    profile.decimalMark === 'auto'
      ? null
      : text(profile.decimalMark === ',' ? 'proposal.comma' : 'proposal.point'),
    text('proposal.header', { place: headerPlace }),
    text('proposal.rows', { rows }),
  ].filter((part) => part !== null);
  return [
    text('proposal.title', { name, files }),
    `  ${form.join(', ')}`,
    '',
    ...table(columns, text),
    ...[...profile.constants].map(([column, value]) => `  ${text('proposal.constant', { column, value })}`),
    ...splits.flatMap((split) => describeSplit(split, text)),
    ...[...profile.same].map(([column, other]) => `  ${text('proposal.same', { column, other })}`),
    ...questions.map((question) => `\n${text('proposal.ask', { question })}`),
    '',
  ].join('\n');
}

function separatedBy(sign: string, text: Text): string {
  return sign === '\t' ? text('proposal.tabs') : text('proposal.separated', { sign });
}

function table(columns: readonly Column[], text: Text): readonly string[] {
  const lines = [
    [
      '',
      text('proposal.head.column'),
      text('proposal.head.takenFor'),
      text('proposal.head.sure'),
      text('proposal.head.values'),
    ],
    ...columns.map((each) => [
      each.letter,
      each.header,
      each.column ?? text('proposal.ignored'),
      sureness(each, text),
      samples(each),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  return lines.map((line) =>
    `  ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
  );
}

function sureness({ confidence, from }: Column, text: Text): string {
  if (from === 'stated') return text('proposal.asYouSay');
  if (confidence === null) return '';
  const percent = `${String(Math.round(confidence * 100))} %`;
  return from === 'cells' ? text('proposal.guess', { percent }) : percent;
}

function samples({ samples: values }: Column): string {
  return values
    .map((value) => (value.length > SAMPLE_CHARS_MOST ? `${value.slice(0, SAMPLE_CHARS_MOST - 1)}…` : value))
    .join(' | ')
    .replace(/[\p{Cc}]/gu, ' ');
}

function describeSplit(
  { header, into, samples: found, whole }: Proposal['splits'][number],
  text: Text,
): readonly string[] {
  return [
    `  ${text('proposal.split', { header })}`,
    ...found.map(({ cell, parts }) => `    ${cell} → ${into[0]} «${parts[0]}», ${into[1]} «${parts[1]}»`),
    ...(whole === 0 ? [] : [`    ${text('proposal.notSplit', { whole })}`]),
  ];
}

export function describeTrial(trial: Trial | null, text: Text): string {
  if (trial === null) return '';
  const { rows, payable, faults, hints } = trial;
  return [
    '',
    text('proposal.payable', { payable, rows }),
    ...faults.map(
      ({ rows: count, column, words }) => `  ${text('proposal.fault', { rows: count, column, words })}`,
    ),
    ...hints.map((option) => `  ${text('proposal.hint', { option })}`),
  ].join('\n');
}
