// `paydrop watch`: the daemon.
import type { Command } from 'commander';

import { EXIT } from '../app/batch-result.ts';
import { watch } from '../app/daemon.ts';
import { say } from '../base/language.ts';
import type { WaitingFile } from '../app/watch/inbox-watch.ts';
import { listenForWebhooks } from '../app/watch/listen-for-webhooks.ts';
import { exchangeFiles } from '../app/sftp/exchange-files.ts';
import { assertLedgerKnowsAll } from '../app/rebuild/known-batches.ts';
import { settleRebuilt } from '../app/rebuild/settle-rebuilt.ts';
import { watchInbox } from '../app/watch/watch-inbox.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export function addWatch(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description(
      'the daemon: pay what is dropped into the inbox, and follow it to the end, until it is stopped',
    )
    .action(async (_flags: unknown, command: Command) => {
      await withPaydrop(command, async (paydrop) => {
        const { workspace, log } = paydrop;
        await assertLedgerKnowsAll(paydrop);
        await settleRebuilt(paydrop);
        let close = (): Promise<void> => Promise.resolve();
        const webhooks = await listenForWebhooks(paydrop);
        const exchange = exchangeFiles(paydrop, (account, words) =>
          process.stderr.write(`paydrop: sftp ${account}: ${say(words, paydrop.config.language)}\n`),
        );
        process.stderr.write(
          `paydrop: watching ${workspace.inbox}; Ctrl-C stops after the calls under way.\n`,
        );
        try {
          const { isDone } = await watch(paydrop, {
            signal: context.signal,
            onStart: (wake) => {
              close = watchInbox(workspace.inbox, log, wake);
            },
            onResult: (result) =>
              printResults([result], { json: false, waitMs: 0, outbox: workspace.outbox }),
            onWaiting: (file) => process.stderr.write(`${describeWaiting(file)}\n`),
            onTrouble: (words) => process.stderr.write(`paydrop: ${words}\n`),
          });
          context.finish(isDone ? EXIT.done : EXIT.unfinished);
        } finally {
          await exchange.close();
          await webhooks?.close();
          await close();
        }
      });
    });
}

const WHY: Readonly<Record<WaitingFile['why'], string>> = {
  settling: 'is still being written',
  marker: 'waits for its marker file',
  unfinished: 'looks cut off; perhaps its upload is not finished',
  documents: 'waits for documents that its rows name',
};

function describeWaiting({ name, why, missing }: WaitingFile): string {
  const which = missing.length === 0 ? '' : `: ${missing.slice(0, 10).join(', ')}`;
  return `${name} ${WHY[why]}${which}.`;
}
