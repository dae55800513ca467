// The words of the command line itself in the reader's language: the parser of arguments has them in English only.

import type { Command } from 'commander';

import { readNamedFile } from '../base/plain-file.ts';
import { LANGUAGES, type Language } from '../base/language.ts';
import type { Text } from '../messages/messages.ts';

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
  program
    .configureHelp({
      styleTitle: (title) => titles[title] ?? title,
      styleDescriptionText: (words) =>
        words
          .replace(' (default: [])', '')
          .replace('(default: ', `(${text('help.default')} `)
          .replace('(choices: ', `(${text('help.choices')} `),
    })
    .configureOutput({ outputError: (words, write) => write(`${faultWords(words, text)}\n`) });
}

/** Splits the parser's messages about wrong arguments, and gives each sentence by key. */
function faultWords(fault: string, text: Text): string {
  const [first = '', ...rest] = fault.trim().split('\n');
  const meant = /Did you mean (?:one of )?(.*)\?/.exec(rest.join(' '))?.[1];
  return [
    `paydrop: ${ofFault(first, text)}`,
    ...(meant === undefined ? [] : [text('usage.meant', { name: meant })]),
  ].join(' ');
}

function ofFault(fault: string, text: Text): string {
  const found = (form: RegExp): readonly string[] | null => form.exec(fault)?.slice(1) ?? null;
  const [option] = found(/unknown option '(.*)'/) ?? [];
  if (option !== undefined) return text('usage.unknownOption', { name: option });
  const [command] = found(/unknown command '(.*)'/) ?? [];
  if (command !== undefined) return text('usage.unknownCommand', { name: command });
  const [argument] = found(/missing required argument '(.*)'/) ?? [];
  if (argument !== undefined) return text('usage.missingArgument', { name: argument });
  const [mandatory] = found(/required option '(.*)' not specified/) ?? [];
  if (mandatory !== undefined) return text('usage.missingOption', { name: mandatory });
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
