// docs/cli.md: every command with its arguments and options, as the program itself declares them.
import type { Command, Option } from 'commander';

import { code, generated, table } from './markdown.ts';

export function cliPage(program: Command): string {
  return [
    generated(
      'Commands and options',
      'For script writers. `paydrop [--config FILE] [--workspace DIR] <command>`; in a clone, write `npx paydrop` where this page says `paydrop`.',
    ),
    '## Exit codes\n',
    table(
      ['code', 'means'],
      [
        ['0', 'everything asked was done'],
        ['1', 'unexpected error'],
        ['2', 'wrong usage or configuration, or `doctor` found something to fix'],
        ['3', 'file refused, nothing sent'],
        ['4', 'finished, with rows rejected, failed or duplicate, or with differences'],
        ['5', 'not finished: held, paused, or waiting; `paydrop resume` goes on'],
      ],
    ),
    '\nWith several files, the highest. With `--json`, stdout holds one JSON document and nothing else; progress and logs go to stderr.\n',
    '## For every command\n',
    optionTable(program.options),
    ...program.commands.filter(isListed).flatMap((command) => section(command, 'paydrop')),
  ].join('\n');
}

function section(command: Command, before: string): readonly string[] {
  const name = `${before} ${command.name()}`;
  const nested = command.commands.filter(isListed);
  if (nested.length > 0) return nested.flatMap((each) => section(each, name));
  const usage = [
    name,
    ...command.registeredArguments.map(argumentOf),
    ...(command.options.length > 0 ? ['[options]'] : []),
  ];
  const facts = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => [code(argumentOf(argument)), argument.description]);
  return [
    `\n## ${name}\n`,
    `${sentence(command.description())}\n`,
    `${code(usage.join(' '))}\n`,
    ...(facts.length > 0 ? [table(['argument', 'what it is'], facts), ''] : []),
    ...(command.options.length > 0 ? [optionTable(command.options)] : []),
  ];
}

type Argument = Command['registeredArguments'][number];

function argumentOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['option', 'what it does'],
    options.filter(({ hidden }) => !hidden).map((option) => [code(option.flags), describe(option)]),
  );
}

function describe({ description, defaultValue, defaultValueDescription, argChoices }: Option): string {
  const shown =
    defaultValueDescription ??
    (typeof defaultValue === 'string' || typeof defaultValue === 'number' ? String(defaultValue) : null);
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  return `${description}${choices}${shown === null ? '' : ` (default: ${shown})`}`;
}

function isListed(command: Command): boolean {
  return command.name() !== 'help';
}

function sentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
