// `paydrop watch`: the daemon, until it is asked to stop; `paydrop web`: the same with the page on.
import type { Command } from 'commander';

import type { WaitingFile, WatchOptions } from '../app/daemon/run-daemon.ts';
import type { Desk } from '../app/desk/commands.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type CommandContext, complain, namedBy, note, withPaydrop } from './command-context.ts';
import { printResults } from './print-results.ts';
import { type Language, type Words, say } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export function addWatch(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description(context.text('help.watch'))
    .action((_flags: unknown, command: Command) => watch(command, context));
}

/** The same with the page on. */
export function addWeb(program: Command, context: CommandContext): void {
  program
    .command('web')
    .description(context.text('help.web'))
    .action((_flags: unknown, command: Command) => watch(command, context));
}

async function watch(command: Command, context: CommandContext): Promise<void> {
  const commands = await import('../app/desk/commands.ts');
  const { loadConfig } = await import('../app/config/config.ts');
  const { patiently } = await import('../app/desk/open-desk.ts');
  // It survives the loss of its ledger from the start on.
  const tell = (words: Words): void => complain(say(words, context.language), context.language);
  const patience = { signal: context.signal, tell };
  const work: Parameters<typeof withPaydrop<void>>[1] = async (paydrop, { log }) => {
    await patiently(() => commands.openWatch(paydrop, tell), patience);
    const isDone = await serve(paydrop, context, {
      // Read synchronously, while nothing else runs: a config applies as a whole or not at all.
      loadConfig: () => loadConfig(namedBy(command)),
      reopenLog: log.reopen ?? null,
      demo: null,
    });
    context.finish(isDone ? EXIT.done : EXIT.unfinished);
  };
  await withPaydrop(command, work, patience);
}

type Serving = Pick<WatchOptions, 'loadConfig' | 'reopenLog'> & {
  /** The address where people sign in by a click. */
  readonly demo: { readonly token: string; readonly onServed: (url: string) => void } | null;
};

/** The daemon on the terminal, until it is asked to stop; returns whether no work is left. */
export async function serve(
  paydrop: Desk,
  context: CommandContext,
  { loadConfig, reopenLog, demo }: Serving,
): Promise<boolean> {
  const { runDaemon } = await import('../app/daemon/run-daemon.ts');
  const { workspace, config } = paydrop;
  const shown = { json: false, waitMs: 0, outbox: workspace.outbox, language: config.language };
  const { isDone } = await runDaemon(paydrop, {
    signal: context.signal,
    loadConfig,
    reopenLog,
    onStarted: () => complain(context.text('watch.watching', { inbox: workspace.inbox }), context.language),
    startWeb: async (parts) => {
      const { serveWeb } = await import('../web/serve-web.ts');
      const web = await serveWeb(parts, demo);
      if (demo === null) complain(context.text('watch.serving', { url: web.url }), context.language);
      else demo.onServed(web.url);
      if (web.setUpUrl !== null)
        complain(context.text('watch.setUp', { url: web.setUpUrl }), context.language);
      return web;
    },
    onResult: (result) => printResults([result], shown),
    onWaiting: (file) => note(describeWaiting(file, config.language)),
    onTrouble: (words) => complain(words, context.language),
  });
  return isDone;
}

const WHY: Readonly<Record<WaitingFile['why'], Words>> = {
  settling: sentence('inbox.settling'),
  marker: sentence('watch.marker'),
  unreadable: sentence('inbox.unreadable'),
  unwritable: sentence('inbox.unwritable'),
  unfinished: sentence('watch.unfinished'),
  documents: sentence('watch.documents'),
  'odd-control': sentence('watch.oddControl'),
  'not-utf8': sentence('watch.notUtf8'),
  'unnamed-folder': sentence('watch.unnamedFolder'),
};

function describeWaiting({ name, why, missing }: WaitingFile, language: Language): string {
  const which = missing.length === 0 ? '' : `: ${missing.slice(0, 10).join(', ')}`;
  return `${name} ${say(WHY[why], language)}${which}.`;
}
