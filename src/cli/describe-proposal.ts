// A proposed profile as a person reads it: one line a column, and what the rows of the file would say to it.
import type { Proposal, Trial } from '../app/desk/commands.ts';

type Column = Proposal['columns'][number];

/** Long texts would push the table apart. */
const SAMPLE_CHARS_MOST = 28;

export function describeProposal(
  name: string,
  { profile, files, columns, splits, rows, headerPlace, questions }: Proposal,
): string {
  const form = [
    profile.delimiter === 'auto'
      ? null
      : `cells separated by ${profile.delimiter === '\t' ? 'tabs' : `"${profile.delimiter}"`}`,
    profile.encoding === 'auto' ? null : profile.encoding,
    profile.sheet === null ? null : `sheet "${profile.sheet}"`,
    profile.decimalMark === 'auto' ? null : `decimal ${profile.decimalMark === ',' ? 'comma' : 'point'}`,
  ].filter((part) => part !== null);
  const constants = [...profile.constants].map(([column, value]) => `  ${column} = ${value} in every row\n`);
  return [
    `Profile "${name}", for files called ${files}\n`,
    `  ${[...form, `header in row ${headerPlace}`, `${String(rows)} rows`].join(', ')}\n\n`,
    table(columns),
    ...constants,
    ...splits.map(describeSplit),
    ...[...profile.same].map(([column, other]) => `  ${column} is the same as ${other}\n`),
    ...questions.map((question) => `\nTo be said first: ${question}\n`),
  ].join('');
}

function table(columns: readonly Column[]): string {
  const lines = [
    ['', 'column', 'taken for', 'sure', 'values'],
    ...columns.map((each) => [
      each.letter,
      each.header,
      each.column ?? 'ignored',
      sureness(each),
      samples(each),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  return lines
    .map(
      (line) => `  ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd() + '\n',
    )
    .join('');
}

function sureness({ confidence, from }: Column): string {
  if (from === 'stated') return 'as you say';
  if (confidence === null) return '';
  const percent = `${String(Math.round(confidence * 100))} %`;
  return from === 'cells' ? `${percent} (a guess)` : percent;
}

function samples({ samples: values }: Column): string {
  return values
    .map((value) => (value.length > SAMPLE_CHARS_MOST ? `${value.slice(0, SAMPLE_CHARS_MOST - 1)}…` : value))
    .join(' | ')
    .replace(/[\p{Cc}]/gu, ' ');
}

function describeSplit({ header, into, samples: found, whole }: Proposal['splits'][number]): string {
  const lines = found.map(
    ({ cell, parts }) => `    ${cell} → ${into[0]} «${parts[0]}», ${into[1]} «${parts[1]}»\n`,
  );
  const left =
    whole === 0 ? '' : `    ${String(whole)} cells cannot be split so; their rows are to be fixed.\n`;
  return `  «${header}» is split:\n${lines.join('')}${left}`;
}

export function describeTrial(trial: Trial | null): string {
  if (trial === null) return '';
  const { rows, payable, faults, hints } = trial;
  const all = `\n${String(payable)} of ${String(rows)} rows could be paid by it.\n`;
  const told = faults.map(
    ({ rows: count, column, words }) =>
      `  ${String(count)} ${count === 1 ? 'row' : 'rows'}, ${column}: ${words}\n`,
  );
  return all + told.join('') + hints.map((option) => `  Perhaps ${option}\n`).join('');
}
