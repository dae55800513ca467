// `paydrop profile FILE`: shows how a file would be read, and saves that once a person has looked at it.
import { Option, type Command } from 'commander';

import { checkPaths } from '../app/desk/check-paths.ts';
import type { Desk, Proposal, StatedWords, Trial } from '../app/desk/commands.ts';
import { DELIMITER_CHOICES, ENCODING_CHOICES } from '../app/desk/stated-choices.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { say, type Language } from '../base/language.ts';
import { describeProposal, describeTrial } from './describe-proposal.ts';
import { print, printJson } from './print.ts';
import type { Text } from '../messages/messages.ts';

type ProfileFlags = StatedWords & {
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
    .option('--sheet <name>', context.text('help.profile.sheet'))
    .option('--name <name>', context.text('help.profile.name'))
    .option('--save', context.text('help.profile.save'))
    .option('--replace', context.text('help.profile.replace'))
    .option('--json', context.text('help.json'))
    .action(async (file: string, flags: ProfileFlags, command: Command) => {
      await checkPaths([file]);
      await withPaydrop(command, (paydrop) => showProfile(paydrop, file, flags, context));
    });
}

async function showProfile(
  paydrop: Desk,
  path: string,
  flags: ProfileFlags,
  { text, language }: CommandContext,
): Promise<void> {
  const commands = await import('../app/desk/commands.ts');
  const proposed = await commands.profile(paydrop, path, { stated: pick(flags), name: flags.name });
  const { name, proposal, trial, yaml } = proposed;
  const wantsSaved = flags.save === true || flags.replace === true;
  if (flags.json !== true)
    print((describeProposal(name, proposal, text) + describeTrial(trial, text)).trimEnd());
  const saved = wantsSaved ? await proposed.save(flags.replace === true) : null;
  if (flags.json === true) printJson(documentOf(name, proposal, trial, yaml, saved, language));
  else print(saved === null ? notSaved(path, text) : text('profile.saved', { path: saved }));
}

function documentOf(
  name: string,
  proposal: Proposal,
  trial: Trial | null,
  yaml: string,
  saved: string | null,
  language: Language,
): unknown {
  const { files, columns, splits, rows, headerPlace, questions } = proposal;
  return {
    profile: name,
    files,
    header: headerPlace,
    rows,
    columns,
    splits,
    questions: questions.map((words) => say(words, language)),
    trial,
    yaml,
    saved,
  };
}

function notSaved(path: string, text: Text): string {
  return `\n${text('profile.nothingSaved', { file: JSON.stringify(path) })}`;
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
  sheet,
}: ProfileFlags): StatedWords {
  return { column, constant, value, split, same, delimiter, encoding, decimalMark, sheet };
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
