// The words of the command line itself in the reader's language: the parser of arguments has them in English only.
import { existsSync } from 'node:fs';

import type { Command } from 'commander';

import { readNamedFile } from '../base/plain-file.ts';
import { LANGUAGES, type Language } from '../base/language.ts';
import type { PlainKey, Text } from '../messages/messages.ts';

/** A key of the outermost section begins at the start of a line; deeper ones are indented. */
const LANGUAGE_KEY = /^language:[ \t]*["']?([a-z]{2})\b/m;

/** The language of the named config, before that is fully read: so the faults of an unusable config are reported in its language too. */
export function languageOf(args: readonly string[]): Language {
  const path = configPath(args) ?? process.env['PAYDROP_CONFIG'] ?? '';
  if (path === '') return 'en';
  try {
    const named = LANGUAGE_KEY.exec(readNamedFile(path).toString('utf8'))?.[1];
    return LANGUAGES.find((language) => language === named) ?? 'en';
  } catch {
    // The command itself reports what is wrong with the file.
    return 'en';
  }
}

function configPath(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const arg = args[at];
  return arg?.includes('=') === true ? arg.slice(arg.indexOf('=') + 1) : args[at + 1 || args.length];
}

/** Call it before commands are added: they inherit it. */
export function speak(program: Command, text: Text): void {
  const titles: Readonly<Record<string, string>> = {
    'Usage:': text('help.usage'),
    'Arguments:': text('help.arguments'),
    'Options:': text('help.options'),
    'Commands:': text('help.commands'),
  };
  program.configureHelp({
    styleTitle: (title) => titles[title] ?? title,
    styleDescriptionText: (words) =>
      words
        .replace(' (default: [])', '')
        .replace('(default: ', `(${text('help.default')} `)
        .replace('(choices: ', `(${text('help.choices')} `),
  });
  speakOf(program, text);
}

/** The faults of the arguments of this command. */
export function speakOf(command: Command, text: Text): void {
  command.configureOutput({ outputError: (words, write) => write(`${faultWords(command, words, text)}\n`) });
}

/** The first commands of a beginner, with the name of a file that is there. */
export function beginning(text: Text, isClone: boolean): string {
  const file = isClone && existsSync(SAMPLE) ? SAMPLE : text('usage.place.file');
  const commands = [
    [`paydrop check ${file}`, 'help.begin.check'],
    [`paydrop preview ${file}`, 'help.begin.preview'],
    [`paydrop run ${file}`, 'help.begin.run'],
    ['paydrop status', 'help.begin.status'],
    ['paydrop resume', 'help.begin.resume'],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  const lines = commands.map(([command, key]) => `  ${command.padEnd(width)}  ${text(key)}`);
  return [text('help.begin'), ...lines].join('\n');
}

/** From the folder of a clone. */
const SAMPLE = 'samples/payroll.csv';

/** Splits the parser's messages about wrong arguments, and gives each sentence by key. */
function faultWords(command: Command, fault: string, text: Text): string {
  const [first = '', ...rest] = fault.trim().split('\n');
  const meant = /Did you mean (?:one of )?(.*)\?/.exec(rest.join(' '))?.[1];
  return [
    text('command.fault', { words: ofFault(command, first, text) }),
    ...(meant === undefined ? [] : [text('usage.meant', { name: meant })]),
  ].join(' ');
}

function ofFault(command: Command, fault: string, text: Text): string {
  const found = (form: RegExp): readonly string[] | null => form.exec(fault)?.slice(1) ?? null;
  const [option] = found(/unknown option '(.*)'/) ?? [];
  if (option !== undefined) return text('usage.unknownOption', { name: option });
  const [unknown] = found(/unknown command '(.*)'/) ?? [];
  if (unknown !== undefined) return text('usage.unknownCommand', { name: unknown });
  const [argument] = found(/missing required argument '(.*)'/) ?? [];
  const [mandatory] = found(/required option '(.*)' not specified/) ?? [];
  const missing = argument === undefined ? mandatory : `<${argument}>`;
  if (missing !== undefined)
    return text('usage.missing', { name: inCapitals(missing, text), usage: usageOf(command, text) });
  const [empty] = found(/option '(.*)' argument missing/) ?? [];
  if (empty !== undefined) return text('usage.optionEmpty', { name: empty });
  const [name, value, why] = found(/option '(.*)' argument '(.*)' is invalid\. (.*)/) ?? [];
  if (name !== undefined && value !== undefined && why !== undefined) {
    const choices = /^Allowed choices are (.*)\.$/.exec(why)?.[1];
    const said = choices === undefined ? why : text('usage.choices', { choices });
    return text('usage.invalid', { name, value, why: said });
  }
  return fault.includes('too many arguments') ? text('usage.tooMany') : fault.replace(/^error: /, '');
}

/** The command with all that it needs, as it is typed: `paydrop approve BATCH --by NAME`. */
function usageOf(command: Command, text: Text): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
  const needed = command.registeredArguments.filter(({ required }) => required);
  const parts = [
    ...needed.map((argument) => `<${argument.name()}${argument.variadic ? '...' : ''}>`),
    ...command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
  ];
  return [...names, ...parts.map((part) => inCapitals(part, text))].join(' ');
}

/** Names that have a word in every language; the others are the same in all. */
const PLACES: ReadonlyMap<string, PlainKey> = new Map([
  ['batch', 'usage.place.batch'],
  ['name', 'usage.place.name'],
  ['text', 'usage.place.text'],
  ['file', 'usage.place.file'],
  ['files', 'usage.place.file'],
]);

/** What a person writes in its place stands in capitals, in the reader's language. */
function inCapitals(flags: string, text: Text): string {
  return flags.replace(/<([a-z]+)(?:\.\.\.)?>/g, (_, name: string) => {
    const key = PLACES.get(name);
    return key === undefined ? name.toUpperCase() : text(key);
  });
}
