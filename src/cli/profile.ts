// `paydrop profile FILE`: shows how a file would be read, and saves that after a person has looked at it.
import { basename } from 'node:path';

import { Option, type Command } from 'commander';

import type { Desk, Proposal, Trial } from '../app/desk/commands.ts';
import type * as columnNames from '../app/desk/proposed-columns.ts';
import {
  DELIMITER_CHOICES,
  ENCODING_CHOICES,
  SCALE_CHOICES,
  checkPaths,
  saidOf,
  type TypedOfFile,
} from '../app/desk/typed-words.ts';
import { say, type Language } from '../base/language.ts';
import { typedInShell } from '../base/plain-text.ts';
import { NAME_ORDERS } from '../contract/words.ts';
import type { Text } from '../messages/messages.ts';
import { type CommandContext, print, printJson, withPaydrop } from './command-context.ts';

type ProfileFlags = TypedOfFile & {
  readonly name?: string;
  readonly save?: boolean;
  readonly replace?: boolean;
  readonly json?: boolean;
};

export function addProfile(program: Command, context: CommandContext): void {
  program
    .command('profile')
    .description(context.text('help.profile'))
    .argument('<file>', context.text('help.profile.file'))
    .option('--column <header=column>', context.text('help.profile.column'), collect, [])
    .option('--constant <column=value>', context.text('help.profile.constant'), collect, [])
    .option('--value <word=value>', context.text('help.profile.value'), collect, [])
    .option('--split <header=column,column,rule>', context.text('help.profile.split'), collect, [])
    .option('--same <column=column>', context.text('help.profile.same'), collect, [])
    .addOption(
      new Option('--delimiter <sign>', context.text('help.profile.delimiter')).choices(DELIMITER_CHOICES),
    )
    .addOption(
      new Option('--encoding <name>', context.text('help.profile.encoding')).choices(ENCODING_CHOICES),
    )
    .addOption(
      new Option('--decimal-mark <mark>', context.text('help.profile.decimalMark')).choices(['.', ',']),
    )
    .addOption(new Option('--scale <factor>', context.text('help.profile.scale')).choices(SCALE_CHOICES))
    .option('--sheet <name>', context.text('help.profile.sheet'))
    .option('--receivers <file>', context.text('help.profile.receivers'))
    .option('--by <header>', context.text('help.profile.by'))
    .addOption(
      new Option('--person-names <order>', context.text('help.profile.personNames')).choices(NAME_ORDERS),
    )
    .option('--reference <text>', context.text('help.profile.reference'))
    .option('--name <name>', context.text('help.profile.name'))
    .option('--save', context.text('help.profile.save'))
    .option('--replace', context.text('help.profile.replace'))
    .option('--json', context.text('help.json'))
    .action(async (file: string, flags: ProfileFlags, command: Command) => {
      await checkPaths([file]);
      await withPaydrop(command, (paydrop) =>
        showProfile(paydrop, file, { ...flags, typed: typedWords(command, file) }, context),
      );
    });
}

async function showProfile(
  paydrop: Desk,
  path: string,
  flags: ProfileFlags & { readonly typed: readonly string[] },
  { text, language }: CommandContext,
): Promise<void> {
  const commands = await import('../app/desk/commands.ts');
  const names = await import('../app/desk/proposed-columns.ts');
  const spoken = { text, language, names };
  const proposed = await commands.profile(paydrop, path, {
    said: await saidOf(pick(flags)),
    name: flags.name,
  });
  const { name, proposal, trial, yaml } = proposed;
  const wantsSaved = flags.save === true || flags.replace === true;
  if (flags.json !== true)
    print(
      (describeProposal(name, proposal, spoken) + describeTrial(trial, basename(path), spoken)).trimEnd(),
    );
  const saved = wantsSaved ? await proposed.save(flags.replace === true) : null;
  if (flags.json === true) printJson(documentOf(name, proposal, trial, yaml, saved, language));
  else
    print(
      saved === null
        ? notSaved(flags.typed, openOptions(proposal, trial, spoken), text)
        : savedWords(saved, trial, text),
    );
}

/** A profile may be saved before everything is said that no list says. */
function savedWords(path: string, trial: Trial | null, text: Text): string {
  const lacks = trial?.payable === 0;
  return lacks ? text('profile.savedLacking', { path }) : text('profile.saved', { path });
}

function documentOf(
  name: string,
  proposal: Proposal,
  trial: Trial | null,
  yaml: string,
  saved: string | null,
  language: Language,
): unknown {
  const { files, columns, splits, rows, headerPlace, layout, questions } = proposal;
  return {
    profile: name,
    files,
    header: headerPlace,
    layout,
    rows,
    columns,
    splits,
    questions: questions.map(({ words }) => say(words, language)),
    trial: trial && {
      ...trial,
      faults: trial.faults.map((each) => ({ ...each, words: say(each.words, language) })),
      hints: trial.hints.map((hint) => optionOf(hint, language)),
      asks: trial.asks.map(({ column, choices, meanings, likely }) => ({
        column,
        choices: choices.map((each) => say(each, language)),
        meanings: meanings.map((each) => say(each, language)),
        likely: likely === null ? null : say(likely, language),
      })),
    },
    yaml,
    saved,
  };
}

/** Ends with the command to run next, ready to be pasted into a shell: the same once more, with what is still open, or saving. */
function notSaved(typed: readonly string[], open: readonly string[], text: Text): string {
  const isOpen = open.some((word) => word.includes(TO_SAY));
  const title = open.length > 0 ? text('profile.nextTry', { isOpen }) : text('profile.nothingSaved');
  const next = [...typed, ...(open.length > 0 ? open : ['--save'])];
  return `\n${title}\n  ${next.map(typedInShell).join(' ')}`;
}

/** Stands for a word that only a person knows. */
const TO_SAY = '…';

/** What a proposal of which no row can be paid asks for or supposes, as options. */
function openOptions(
  { questions }: Proposal,
  trial: Trial | null,
  { language, names }: Pick<Spoken, 'language' | 'names'>,
): readonly string[] {
  if (trial !== null && trial.payable > 0) return [];
  const { hints = [], asks = [], ofReceivers = null } = trial ?? {};
  const alike = (texts: readonly string[]) => (new Set(texts).size === 1 ? (texts[0] ?? TO_SAY) : TO_SAY);
  return [
    ...questions.flatMap(({ answers }) => {
      const [header, column] = [answers.map((each) => each.header), answers.map((each) => each.column)];
      return ['--column', `${alike(header)}=${alike(column)}`];
    }),
    ...hints.flatMap((hint) => optionWords(hint, language)),
    ...asks.flatMap((ask) => ['--constant', constantOf(ask, language, names)]),
    ...(ofReceivers === null ? [] : ['--receivers', TO_SAY, '--by', ofReceivers.by]),
  ];
}

function typedWords(command: Command, file: string): readonly string[] {
  const before = command.parent === null ? [] : typedOptions(command.parent);
  return ['paydrop', ...before, command.name(), file, ...typedOptions(command)];
}

/** As they were typed, in the order of the help. */
function typedOptions(command: Command): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    if (command.getOptionValueSource(name) !== 'cli' || name === 'save' || name === 'json') return [];
    if (value === true) return [option.long ?? ''];
    return [value].flat().flatMap((each) => [option.long ?? '', String(each)]);
  });
}

function pick({
  column,
  constant,
  value,
  split,
  same,
  delimiter,
  encoding,
  decimalMark,
  scale,
  sheet,
  receivers,
  by,
  personNames,
  reference,
}: ProfileFlags): TypedOfFile {
  const form = { delimiter, encoding, decimalMark, scale, sheet, receivers, by, personNames, reference };
  return { column, constant, value, split, same, ...form };
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

// A proposed profile for people: one line for each column, and the result for the rows of the file.

type ProposedColumn = Proposal['columns'][number];

/** `names`: what columns are called. */
type Spoken = Pick<CommandContext, 'text' | 'language'> & { readonly names: typeof columnNames };

/** Longer texts would distort the table. */
const SAMPLE_CHARS_MOST = 28;

function describeProposal(
  name: string,
  { profile, files, columns, splits, scaled, rows, headerPlace, layout, questions }: Proposal,
  { text, language, names }: Spoken,
): string {
  const form = [
    profile.delimiter === 'auto' ? null : separatedBy(profile.delimiter, text),
    profile.encoding === 'auto' ? null : profile.encoding,
    profile.sheet === null ? null : text('proposal.sheet', { name: profile.sheet }),
    profile.decimalMark === 'auto'
      ? null
      : text(profile.decimalMark === ',' ? 'proposal.comma' : 'proposal.point'),
    profile.header === 'none' ? text('proposal.noHeader') : text('proposal.header', { place: headerPlace }),
    text('proposal.rows', { rows }),
  ].filter((part) => part !== null);
  return [
    text('proposal.title', { name, files }),
    `  ${form.join(', ')}`,
    ...(layout === null ? [] : [`  ${text('layouts.read', { name: layout })}`]),
    '',
    ...table(columns, { text, language, names }),
    ...[...profile.constants].map(([column, value]) => `  ${text('proposal.constant', { column, value })}`),
    ...(profile.receivers === null
      ? []
      : [`  ${text('proposal.receivers', { count: profile.receivers.list.size })}`]),
    ...(scaled.length === 0 ? [] : [`  ${text('proposal.scaled', { samples: scaled.join(', ') })}`]),
    ...splits.flatMap((split) => describeSplit(split, { text, language, names })),
    ...[...profile.same].map(([column, other]) => `  ${text('proposal.same', { column, other })}`),
    ...questions.map(({ words: question }) => `\n${text('proposal.ask', { question })}`),
    '',
  ].join('\n');
}

function separatedBy(sign: string, text: Text): string {
  return sign === '\t' ? text('proposal.tabs') : text('proposal.separated', { sign });
}

function table(columns: readonly ProposedColumn[], { text, language, names }: Spoken): readonly string[] {
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
      each.column === null ? text('proposal.ignored') : say(names.namedColumn(each.column), language),
      sureness(each, text),
      samples(each),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  return lines.map((line) =>
    `  ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
  );
}

function sureness({ confidence, from }: ProposedColumn, text: Text): string {
  if (from === 'stated') return text('proposal.asYouSay');
  if (confidence === null) return '';
  const percent = `${String(Math.round(confidence * 100))} %`;
  return from === 'cells' ? text('proposal.guess', { percent }) : percent;
}

function samples({ samples: values }: ProposedColumn): string {
  return values
    .map((value) => (value.length > SAMPLE_CHARS_MOST ? `${value.slice(0, SAMPLE_CHARS_MOST - 1)}…` : value))
    .join(' | ')
    .replace(/[\p{Cc}]/gu, ' ');
}

function describeSplit(
  { header, into, samples: found, whole }: Proposal['splits'][number],
  { text, language, names }: Spoken,
): readonly string[] {
  const [first, second] = into.map((column) => say(names.namedColumn(column), language));
  return [
    `  ${text('proposal.split', { header })}`,
    ...found.map(({ cell, parts }) => `    ${cell} → ${first} «${parts[0]}», ${second} «${parts[1]}»`),
    ...(whole === 0 ? [] : [`    ${text('proposal.notSplit', { whole })}`]),
  ];
}

function describeTrial(trial: Trial | null, fileName: string, { text, language, names }: Spoken): string {
  if (trial === null) return '';
  const { rows, payable, faults, hints, asks, ofReceivers } = trial;
  return [
    '',
    text('proposal.payable', { payable, rows }),
    ...names.trialWords(faults, fileName).map((words) => `  ${say(words, language)}`),
    ...hints.map((hint) => `  ${text('proposal.hint', { option: optionOf(hint, language) })}`),
    ...(asks.length === 0 ? [] : ['', text('proposal.once')]),
    ...asks.map((ask) => `  ${askLine(ask, language, names)}`),
    ...(ofReceivers === null ? [] : listLines(ofReceivers, { text, language, names })),
  ].join('\n');
}

/** `--constant "Country=…"  (China, Senegal)`: with the likely word, or for a person to choose one. */
function askLine(ask: Trial['asks'][number], language: Language, names: typeof columnNames): string {
  const words = say(names.choiceWords(ask), language);
  const option = `--constant ${quoted(constantOf(ask, language, names))}`;
  return words === '' ? option : `${option}  (${words})`;
}

function listLines(
  { columns, by }: NonNullable<Trial['ofReceivers']>,
  { text, language, names }: Spoken,
): readonly string[] {
  const words = columns.map((column) => say(names.plainColumn(column), language)).join(', ');
  const option = `--receivers "${TO_SAY}" --by ${quoted(by)}`;
  return ['', text('proposal.ofReceivers', { columns: words }), `  ${option}`];
}

function constantOf(
  { column, likely }: Pick<Trial['asks'][number], 'column' | 'likely'>,
  language: Language,
  names: typeof columnNames,
): string {
  return `${say(names.plainColumn(column), language)}=${likely === null ? TO_SAY : say(likely, language)}`;
}

/** Ready to be typed, also where a cell of the file says what a shell would carry out. */
function quoted(value: string): string {
  return /[$`"\\!]/.test(value) ? typedInShell(value) : `"${value}"`;
}

function optionOf(hint: Trial['hints'][number], language: Language): string {
  const [option, value] = optionWords(hint, language);
  return hint.kind === 'names' ? `${option} ${value}` : `${option} ${quoted(value)}`;
}

function optionWords(
  hint: Trial['hints'][number],
  language: Language,
): readonly [option: string, value: string] {
  switch (hint.kind) {
    case 'split':
      return ['--split', `${hint.header}=${hint.into.join(',')},${hint.by}`];
    case 'same':
      return ['--same', `${hint.column}=${hint.other}`];
    case 'names':
      return ['--person-names', hint.order];
    case 'value':
      return ['--value', `${hint.word}=${say(hint.value, language)}`];
  }
}
