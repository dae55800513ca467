// `paydrop people`: the keys of programs that use the interface.
import { type Command, InvalidArgumentError, Option } from 'commander';

import { configOf } from '../app/desk/open-desk.ts';
import type { ProgramKeys, Scope } from '../app/desk/program-keys.ts';
import { EXIT } from '../base/exit-codes.ts';
import { readPersonName } from '../base/person-name.ts';
import { parseIsoTime } from '../base/clock.ts';
import { namedBy, type CommandContext } from './command-context.ts';
import { complain, print, printJson } from './print.ts';

type KeyFlags = { readonly name: string; readonly scopes: readonly Scope[]; readonly until?: string };

export function addPeople(program: Command, context: CommandContext): void {
  const { text } = context;
  const people = program.command('people').description(text('help.people'));
  const key = people
    .command('key')
    .description(text('help.people.key'))
    .requiredOption('--name <name>', text('help.people.name'), (name) => readName(name, context))
    .addOption(
      new Option('--scopes <scopes>', text('help.people.scopes'))
        .argParser((list: string) => list.split(','))
        .makeOptionMandatory(),
    )
    .option('--until <date>', text('help.people.until'), (date) => readDay(date, context))
    .action((flags: KeyFlags, command: Command) =>
      withKeys(command, async (keys, isSandbox) => {
        const { SCOPES } = await import('../app/desk/program-keys.ts');
        const wrong = flags.scopes.find((scope) => !SCOPES.includes(scope));
        if (wrong !== undefined) {
          complain(text('people.noScope', { scope: wrong, scopes: SCOPES.join(', ') }));
          context.finish(EXIT.usage);
          return;
        }
        print(keys.make(flags.name, flags.scopes, { endsAt: flags.until ?? null, isSandbox }));
      }),
    );
  const list = people
    .command('list')
    .description(text('help.people.list'))
    .option('--json', text('help.json'))
    .action((flags: { readonly json?: boolean }, command: Command) =>
      withKeys(command, (keys) => {
        const all = keys.list();
        if (flags.json === true) printJson({ keys: all });
        else
          for (const { prefix, name, scopes, endsAt, lastUsedAt } of all)
            print([`${prefix}…`, name, scopes.join(','), endsAt ?? '–', lastUsedAt ?? '–'].join('  '));
      }),
    );
  const remove = people
    .command('remove')
    .description(text('help.people.remove'))
    .argument('<key>', text('help.people.prefix'))
    .action((prefixOrName: string, _flags: unknown, command: Command) =>
      withKeys(command, (keys) => {
        const ended = keys.end(prefixOrName);
        complain(ended === 0 ? text('people.noKey', { key: prefixOrName }) : text('people.ended', { ended }));
        if (ended === 0) context.finish(EXIT.usage);
      }),
    );
  // The program does so for its own commands, and knows nothing of those below them.
  for (const each of [key, list, remove]) each.exitOverride();
}

async function withKeys(
  command: Command,
  work: (keys: ProgramKeys, isSandbox: boolean) => void | Promise<void>,
): Promise<void> {
  const { openKeys } = await import('../app/desk/open-desk.ts');
  const config = await configOf(namedBy(command));
  const keys = await openKeys(config);
  try {
    await work(keys, config.baseUrl === null);
  } finally {
    keys.close();
  }
}

function readName(name: string, { text }: CommandContext): string {
  const read = readPersonName(name);
  if (read === null) throw new InvalidArgumentError(text('help.wrong.name'));
  return read;
}

function readDay(date: string, { text }: CommandContext): string {
  const time = parseIsoTime(`${date}T00:00:00Z`);
  if (time === null) throw new InvalidArgumentError(text('reconcile.twoDays'));
  return new Date(time).toISOString();
}
