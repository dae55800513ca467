// `paydrop people`: who may use the page, and the keys of programs that use the interface.
import { type Command, InvalidArgumentError, Option } from 'commander';

import { configOf } from '../app/desk/open-desk.ts';
import type { Door } from '../app/desk/open-door.ts';
import { type Role, ROLES, type Scope, SCOPES } from '../contract/words.ts';
import { EXIT } from '../base/exit-codes.ts';
import { readPersonName } from '../base/person-name.ts';
import { parseIsoTime } from '../base/clock.ts';
import { type CommandContext, complain, namedBy, print, printJson } from './command-context.ts';

type KeyFlags = { readonly name: string; readonly scopes: readonly Scope[]; readonly until?: string };
type InviteFlags = { readonly name: string; readonly role: readonly Role[] };
type Config = Awaited<ReturnType<typeof configOf>>;

export function addPeople(program: Command, context: CommandContext): void {
  const people = program.command('people').description(context.text('help.people'));
  const commands = [addInvite, addKey, addList, addRemove].map((add) => add(people, context));
  // The program sets this for its own commands, but not for their subcommands.
  for (const each of commands) each.exitOverride();
}

function addInvite(people: Command, context: CommandContext): Command {
  const { text } = context;
  return people
    .command('invite')
    .description(text('help.people.invite'))
    .requiredOption('--name <name>', text('help.people.person'), (name) => readName(name, context))
    .addOption(
      new Option('--role <roles>', text('help.people.role'))
        .argParser((list: string) => list.split(','))
        .makeOptionMandatory(),
    )
    .action((flags: InviteFlags, command: Command) =>
      withDoor(command, async (door, config) => {
        const { pageOf } = await import('../app/config/listeners.ts');
        const { PeopleFault } = await import('../app/desk/open-door.ts');
        const wrong = flags.role.find((role) => !ROLES.includes(role));
        if (wrong !== undefined) {
          complain(text('people.noRole', { role: wrong, roles: ROLES.join(', ') }), context.language);
          context.finish(EXIT.usage);
          return;
        }
        try {
          const { token } = door.people.invite(flags.name, flags.role, null);
          print(`${pageOf(config.web) ?? 'http://localhost:8790'}/invitation#${token}`);
        } catch (error) {
          if (!(error instanceof PeopleFault)) throw error;
          complain(text(`problem.${error.code}`), context.language);
          context.finish(EXIT.usage);
        }
      }),
    );
}

function addKey(people: Command, context: CommandContext): Command {
  const { text } = context;
  return people
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
      withDoor(command, ({ keys }, { baseUrl }) => {
        const wrong = flags.scopes.find((scope) => !SCOPES.includes(scope));
        if (wrong !== undefined) {
          complain(text('people.noScope', { scope: wrong, scopes: SCOPES.join(', ') }), context.language);
          context.finish(EXIT.usage);
          return;
        }
        print(
          keys.make(flags.name, flags.scopes, { endsAt: flags.until ?? null, isSandbox: baseUrl === null }),
        );
      }),
    );
}

function addList(people: Command, { text }: CommandContext): Command {
  return people
    .command('list')
    .description(text('help.people.list'))
    .option('--json', text('help.json'))
    .action((flags: { readonly json?: boolean }, command: Command) =>
      withDoor(command, (door) => {
        const [all, keys] = [door.people.all(), door.keys.list()];
        if (flags.json === true) {
          printJson({ people: all, keys });
          return;
        }
        for (const { name, roles, createdAt } of all) print([name, roles.join(','), createdAt].join('  '));
        for (const { prefix, name, scopes, endsAt, lastUsedAt } of keys)
          print([`${prefix}…`, name, scopes.join(','), endsAt ?? '–', lastUsedAt ?? '–'].join('  '));
      }),
    );
}

function addRemove(people: Command, context: CommandContext): Command {
  const { text } = context;
  return people
    .command('remove')
    .description(text('help.people.remove'))
    .argument('<key>', text('help.people.prefix'))
    .action((named: string, _flags: unknown, command: Command) =>
      withDoor(command, async (door) => {
        const { PeopleFault } = await import('../app/desk/open-door.ts');
        const person = door.people.all().find(({ name }) => name === named);
        try {
          const ended = person === undefined ? door.keys.end(named) : 1;
          if (person !== undefined) door.people.remove(person.id, null);
          complain(
            ended === 0 ? text('people.noKey', { key: named }) : text('people.ended', { ended }),
            context.language,
          );
          if (ended === 0) context.finish(EXIT.usage);
        } catch (error) {
          if (!(error instanceof PeopleFault)) throw error;
          complain(text(`problem.${error.code}`), context.language);
          context.finish(EXIT.usage);
        }
      }),
    );
}

async function withDoor(
  command: Command,
  work: (door: Door, config: Config) => void | Promise<void>,
): Promise<void> {
  const { openDoor } = await import('../app/desk/open-door.ts');
  const config = await configOf(namedBy(command));
  const door = await openDoor(config);
  try {
    await work(door, config);
  } finally {
    door.close();
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
