// `paydrop watch`: the daemon, until it is asked to stop.
import type { Command } from 'commander';

import type { WaitingFile } from '../app/daemon/run-daemon.ts';
import { EXIT } from '../base/exit-codes.ts';
import { namedBy, withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export function addWatch(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description(
      'the daemon: pay what is dropped into the inbox, and follow it to the end, until it is stopped',
    )
    .action(async (_flags: unknown, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const { runDaemon } = await import('../app/daemon/run-daemon.ts');
      const { loadConfig } = await import('../app/config/config.ts');
      await withPaydrop(command, async (paydrop, { log }) => {
        const { workspace, config } = paydrop;
        const tell = (words: string): void => void process.stderr.write(`paydrop: ${words}\n`);
        await commands.openWatch(paydrop, tell);
        const shown = { json: false, waitMs: 0, outbox: workspace.outbox, language: config.language };
        const { isDone } = await runDaemon(paydrop, {
          signal: context.signal,
          // Read at once, while nothing else goes on: a config is obeyed as a whole or not at all.
          loadConfig: () => loadConfig(namedBy(command)),
          reopenLog: log.reopen ?? null,
          onStarted: () => tell(`watching ${workspace.inbox}; Ctrl-C stops after the calls under way.`),
          onResult: (result) => printResults([result], shown),
          onWaiting: (file) => process.stderr.write(`${describeWaiting(file)}\n`),
          onTrouble: tell,
        });
        context.finish(isDone ? EXIT.done : EXIT.unfinished);
      });
    });
}

const WHY: Readonly<Record<WaitingFile['why'], string>> = {
  settling: 'is still being written',
  marker: 'waits for its marker file',
  unreadable: 'may not be read by paydrop; give its user the right to read it',
  unfinished: 'looks cut off; perhaps its upload is not finished',
  documents: 'waits for documents that its rows name',
  'odd-control': 'has a control file that is a link, a folder or a device, which is never opened',
  'not-utf8': 'has a name that is not written in UTF-8; rename it',
  'unnamed-folder': 'is left alone: the config names other folders of the inbox, and not this one',
};

function describeWaiting({ name, why, missing }: WaitingFile): string {
  const which = missing.length === 0 ? '' : `: ${missing.slice(0, 10).join(', ')}`;
  return `${name} ${WHY[why]}${which}.`;
}
