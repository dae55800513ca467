// `npm start` in a clone: npm changes the folder to that of package.json, and there is no command called paydrop. So files are looked for where
// the person stands, and a command that is printed is one that can be typed. The workspace stays the one of the clone, wherever one stands.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Command } from 'commander';

export function isByNpm(): boolean {
  return process.env['npm_lifecycle_event'] === 'start';
}

/** Commands whose arguments are files. */
const TAKE_FILES: ReadonlySet<string> = new Set(['run', 'check', 'preview', 'profile', 'rebuild']);
/** Options whose value is a path. */
const PATH_OPTION = /^(?:--(?:config|workspace|output|state|faults)|-o)$/;

export function fromWhereTyped(args: readonly string[]): readonly string[] {
  const stands = process.env['INIT_CWD'];
  if (stands === undefined) return args;
  const takesFiles = args.some((arg) => TAKE_FILES.has(arg));
  return args.map((arg, index) => {
    if (PATH_OPTION.test(args[index - 1] ?? '')) return resolve(stands, arg);
    const path = resolve(stands, arg);
    return takesFiles && !arg.startsWith('-') && !TAKE_FILES.has(arg) && existsSync(path) ? path : arg;
  });
}

/** A JSON document stays as it is. */
export function sayAsTyped(paydrop: Command, isJson: boolean): void {
  const typed = asTyped(paydrop);
  for (const stream of isJson ? [process.stderr] : [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array, ...rest: readonly never[]) =>
      write(typeof text === 'string' ? typed(text) : text, ...rest);
  }
}

/** Gives a text with each command of the program as it can be typed in a clone. */
export function asTyped(paydrop: Command): (text: string) => string {
  const names = paydrop.commands.map((command) => command.name()).join('|');
  const printed = new RegExp(`\\bpaydrop (?=(?:${names})\\b)`, 'g');
  return (text) => text.replace(printed, 'npm start --silent -- ');
}
