// `paydrop sandbox`: the payout service with play money, for trying paydrop, or anything else that speaks the interface.
import { InvalidArgumentError, Option, type Command } from 'commander';

import type { sandbox } from '../app/desk/commands.ts';
import { parseDuration } from '../base/duration.ts';
import { printJson, type CommandContext } from './command-context.ts';

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
    .description('run the embedded payout service on a port of this machine; play money only')
    .addOption(new Option('--port <n>', 'the port; 0 takes a free one').default(0).argParser(toPort))
    .option('--api-key <key>', 'the key that clients must send (it guards nothing)')
    .option('--allow-http-callbacks', 'send webhooks to http: addresses of this machine too')
    .option('--state <file>', 'keep everything in this file, to outlive a restart')
    .option('--faults <file>', 'misbehave as this file says')
    .addOption(new Option('--quote-life <duration>', 'how long quotations are valid').argParser(toMs))
    .addOption(new Option('--latency <duration>', 'how much longer every answer takes').argParser(toMs))
    .addOption(new Option('--settle <duration>', 'how long the payout network takes').argParser(toMs))
    .option('--json', 'print base URL and key as one JSON document')
    .action(async (flags: SandboxFlags) => {
      const commands = await import('../app/desk/commands.ts');
      await commands.sandbox(optionsOf(flags), context.signal, ({ baseUrl, apiKey }) => {
        if (flags.json === true) printJson({ baseUrl, apiKey });
        else
          process.stdout.write(
            `SANDBOX payout service, play money only. Stop it with Ctrl-C.\nPAYDROP_BASE_URL=${baseUrl}\nPAYDROP_API_KEY=${apiKey}\n`,
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

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Write a port from 0 to 65535.');
}

function toMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('Write a duration such as 500ms, 2s or 5m.');
  return ms;
}
