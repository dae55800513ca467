// `paydrop watch`: the daemon, until it is asked to stop.
import type { Command } from 'commander';

import type { WaitingFile } from '../app/daemon/run-daemon.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type CommandContext, complain, namedBy, note, withPaydrop } from './command-context.ts';
import { printResults } from './print-results.ts';
import { type Language, type Words, say } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export function addWatch(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description(context.text('help.watch'))
    .action(async (_flags: unknown, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const { runDaemon } = await import('../app/daemon/run-daemon.ts');
      const { loadConfig } = await import('../app/config/config.ts');
      await withPaydrop(command, async (paydrop, { log }) => {
        const { workspace, config } = paydrop;
        const tell = complain;
        await commands.openWatch(paydrop, (words) => tell(say(words, config.language)));
        const shown = { json: false, waitMs: 0, outbox: workspace.outbox, language: config.language };
        const { isDone } = await runDaemon(paydrop, {
          signal: context.signal,
          // Read at once, while nothing else goes on: a config is obeyed as a whole or not at all.
          loadConfig: () => loadConfig(namedBy(command)),
          reopenLog: log.reopen ?? null,
          onStarted: () => tell(context.text('watch.watching', { inbox: workspace.inbox })),
          startWeb: async (parts) => {
            const { serveWeb } = await import('../web/serve-web.ts');
            const web = await serveWeb(parts);
            tell(context.text('watch.serving', { url: web.url }));
            if (web.setUpUrl !== null) tell(context.text('watch.setUp', { url: web.setUpUrl }));
            return web;
          },
          onResult: (result) => printResults([result], shown),
          onWaiting: (file) => note(describeWaiting(file, config.language)),
          onTrouble: tell,
        });
        context.finish(isDone ? EXIT.done : EXIT.unfinished);
      });
    });
}

const WHY: Readonly<Record<WaitingFile['why'], Words>> = {
  settling: sentence('watch.settling'),
  marker: sentence('watch.marker'),
  unreadable: sentence('watch.unreadable'),
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
