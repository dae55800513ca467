// `paydrop profile FILE`: shows how a file would be read, and saves that once a person has looked at it.
import { Option, type Command } from 'commander';

import type { Desk, Proposal, StatedWords, Trial } from '../app/desk/commands.ts';
import { DELIMITER_CHOICES, ENCODING_CHOICES } from '../app/desk/stated-choices.ts';
import { checkPaths } from '../app/desk/check-paths.ts';
import { printJson, withPaydrop } from './command-context.ts';
import { describeProposal, describeTrial } from './describe-proposal.ts';

type ProfileFlags = StatedWords & {
  readonly name?: string;
  readonly save?: boolean;
  readonly replace?: boolean;
  readonly json?: boolean;
};

export function addProfile(program: Command): void {
  program
    .command('profile')
    .description('look at a spreadsheet, propose how to read files like it, and save that with --save')
    .argument('<file>', 'a CSV file or workbook (.xlsx)')
    .option('--column <header=column>', 'say what a column is, or "ignore"; may be repeated', collect, [])
    .option('--constant <column=value>', 'say what is the same in every row; may be repeated', collect, [])
    .option('--value <word=value>', 'say what a word of the file means; may be repeated', collect, [])
    .option(
      '--split <header=column,column,rule>',
      'take a column that holds two names apart; rule: capitals, comma, first-word or last-word',
      collect,
      [],
    )
    .option('--same <column=column>', 'say which column speaks for one that is missing', collect, [])
    .addOption(new Option('--delimiter <sign>', 'what separates the cells').choices(DELIMITER_CHOICES))
    .addOption(new Option('--encoding <name>', 'how letters are written').choices(ENCODING_CHOICES))
    .addOption(new Option('--decimal-mark <mark>', 'the decimal mark of the amounts').choices(['.', ',']))
    .option('--sheet <name>', 'the sheet to pay')
    .option('--name <name>', "the profile's name (default: from the file's)")
    .option('--save', 'save it among the profiles: files of this kind are read by it from now on')
    .option('--replace', 'save it although there is one of this name')
    .option('--json', 'print one JSON document instead of words')
    .action(async (file: string, flags: ProfileFlags, command: Command) => {
      await checkPaths([file]);
      await withPaydrop(command, (paydrop) => showProfile(paydrop, file, flags));
    });
}

async function showProfile(paydrop: Desk, path: string, flags: ProfileFlags): Promise<void> {
  const commands = await import('../app/desk/commands.ts');
  const proposed = await commands.profile(paydrop, path, { stated: pick(flags), name: flags.name });
  const { name, proposal, trial, yaml } = proposed;
  const wantsSaved = flags.save === true || flags.replace === true;
  if (flags.json !== true) process.stdout.write(describeProposal(name, proposal) + describeTrial(trial));
  const saved = wantsSaved ? await proposed.save(flags.replace === true) : null;
  if (flags.json === true) printJson(documentOf(name, proposal, trial, yaml, saved));
  else process.stdout.write(saved === null ? notSaved(path) : `Saved as ${saved}.\n`);
}

function documentOf(
  name: string,
  proposal: Proposal,
  trial: Trial | null,
  yaml: string,
  saved: string | null,
): unknown {
  const { files, columns, splits, rows, headerPlace, questions } = proposal;
  return {
    profile: name,
    files,
    header: headerPlace,
    rows,
    columns,
    splits,
    questions,
    trial,
    yaml,
    saved,
  };
}

function notSaved(path: string): string {
  return `\nNothing is saved. When every column is right: paydrop profile ${JSON.stringify(path)} --save (with the same options)\n`;
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
