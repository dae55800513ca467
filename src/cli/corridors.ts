// The corridors and the ways to try them: `paydrop corridors`, the `template` of one, and the `sandbox`.
import { type Command, InvalidArgumentError, Option } from 'commander';

import type { sandbox } from '../app/desk/commands.ts';
import { parseDuration } from '../base/duration.ts';
import type { Text } from '../messages/messages.ts';
import { type CommandContext, print, printJson, withPaydrop } from './command-context.ts';

export function addCorridors(program: Command, context: CommandContext): void {
  program
    .command('corridors')
    .description(context.text('help.corridors'))
    .argument('[words...]', context.text('help.corridors.words'))
    .option('--json', context.text('help.json'))
    .action(async (words: readonly string[], flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        if (flags.json === true) printJson({ corridors: await commands.corridors(paydrop, words) });
        else {
          const found = await commands.corridorsInWords(paydrop, words);
          print(found.length === 0 ? context.text('corridors.none') : found.join('\n\n'));
        }
      });
    });
}

// `paydrop sandbox`: the payout service with play money, to try paydrop or any other client of the interface.

type SandboxFlags = {
  readonly port: number;
  readonly apiKey?: string;
  readonly allowHttpCallbacks?: boolean;
  readonly state?: string;
  readonly faults?: string;
  readonly quoteLife?: number;
  readonly latency?: number;
  readonly settle?: number;
  readonly json?: boolean;
};

export function addSandbox(program: Command, context: CommandContext): void {
  program
    .command('sandbox')
    .description(context.text('help.sandbox'))
    .addOption(
      new Option('--port <n>', context.text('help.sandbox.port')).default(0).argParser(toPort(context.text)),
    )
    .option('--api-key <key>', context.text('help.sandbox.key'))
    .option('--allow-http-callbacks', context.text('help.sandbox.callbacks'))
    .option('--state <file>', context.text('help.sandbox.state'))
    .option('--faults <file>', context.text('help.sandbox.faults'))
    .addOption(
      new Option('--quote-life <duration>', context.text('help.sandbox.quoteLife')).argParser(
        toMs(context.text),
      ),
    )
    .addOption(
      new Option('--latency <duration>', context.text('help.sandbox.latency')).argParser(toMs(context.text)),
    )
    .addOption(
      new Option('--settle <duration>', context.text('help.sandbox.settle')).argParser(toMs(context.text)),
    )
    .option('--json', context.text('help.sandbox.json'))
    .action(async (flags: SandboxFlags) => {
      const commands = await import('../app/desk/commands.ts');
      await commands.sandbox(optionsOf(flags), context.signal, ({ baseUrl, apiKey }) => {
        if (flags.json === true) printJson({ baseUrl, apiKey });
        else
          print(
            `${context.text('sandbox.start')}\nPAYDROP_BASE_URL=${baseUrl}\nPAYDROP_API_KEY=${apiKey}\n${context.text('sandbox.try', { baseUrl, apiKey })}`,
          );
      });
    });
}

function optionsOf(flags: SandboxFlags): Parameters<typeof sandbox>[0] {
  return {
    port: flags.port,
    ...(flags.apiKey === undefined ? {} : { apiKey: flags.apiKey }),
    ...(flags.allowHttpCallbacks === true ? { allowHttpCallbacks: true } : {}),
    ...(flags.state === undefined ? {} : { statePath: flags.state }),
    ...(flags.faults === undefined ? {} : { faultsPath: flags.faults }),
    ...(flags.quoteLife === undefined ? {} : { quoteLifeMs: flags.quoteLife }),
    ...(flags.latency === undefined ? {} : { latencyMs: flags.latency }),
    ...(flags.settle === undefined ? {} : { settleMs: flags.settle }),
  };
}

function toPort(text: Text): (port: string) => number {
  return (port) => {
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
    throw new InvalidArgumentError(text('help.wrong.port'));
  };
}

function toMs(text: Text): (duration: string) => number {
  return (duration) => {
    const ms = parseDuration(duration);
    if (ms === null) throw new InvalidArgumentError(text('help.wrong.duration'));
    return ms;
  };
}

// `paydrop template --corridor ID`: an empty spreadsheet to fill in.

type TemplateFlags = {
  readonly corridor: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
};

export function addTemplate(program: Command, context: CommandContext): void {
  program
    .command('template')
    .description(context.text('help.template'))
    .requiredOption('--corridor <id>', context.text('help.template.corridor'))
    .option('-o, --output <file>', context.text('help.template.output'))
    .option('--force', context.text('help.template.force'))
    .option('--json', context.text('help.json'))
    .action(async (flags: TemplateFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const { corridor } = flags;
        const path = flags.output ?? `template-${corridor.replace(/[^\w.-]+/g, '-')}.xlsx`;
        await commands.template(paydrop, { corridor, path, mayReplace: flags.force === true });
        if (flags.json === true) printJson({ corridor, path });
        else print(context.text('template.written', { path }));
      });
    });
}
