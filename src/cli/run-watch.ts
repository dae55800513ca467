// Runs the daemon until it is asked to stop, with whatever may wake it or tell it to read its config again.
import type { Command } from 'commander';

import { EXIT } from '../app/parts/exit-codes.ts';
import { loadConfig } from '../app/config/config.ts';
import { watch } from '../app/daemon/daemon.ts';
import type { WaitingFile } from '../app/workflow/take/ready-files.ts';
import { checkStart } from '../app/desk/check-start.ts';
import { ConfigReload } from '../app/daemon/config-reload.ts';
import { say } from '../base/language.ts';
import { exchangeFiles } from '../app/intake/sftp/exchange-files.ts';
import { startBeside } from '../app/daemon/background-services.ts';
import { openWork } from '../app/desk/commands.ts';
import { watchInbox } from '../app/intake/watch-inbox.ts';
import { namedBy, withPaydrop, type CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export async function runWatch(command: Command, context: CommandContext): Promise<void> {
  await withPaydrop(command, async (paydrop, opened) => {
    const { workspace, log } = paydrop;
    for (const warning of await checkStart(paydrop)) process.stderr.write(`paydrop: ${warning}\n`);
    await openWork(paydrop);
    let close = (): Promise<void> => Promise.resolve();
    const reload = new ConfigReload(() => loadConfig(namedBy(command)), paydrop.config);
    let wakeUp = (): void => undefined;
    const onHangUp = (): void => {
      opened.reopen?.();
      reload.force();
      wakeUp();
    };
    process.on('SIGHUP', onHangUp);
    const beside = await startBeside(paydrop);
    const exchange = exchangeFiles(paydrop, (account, words) =>
      process.stderr.write(`paydrop: sftp ${account}: ${say(words, paydrop.config.language)}\n`),
    );
    process.stderr.write(`paydrop: watching ${workspace.inbox}; Ctrl-C stops after the calls under way.\n`);
    try {
      const { isDone } = await watch(paydrop, {
        signal: context.signal,
        onStart: (wake) => {
          wakeUp = wake;
          close = watchInbox(workspace.inbox, log, wake);
        },
        reload,
        onResult: (result) =>
          printResults([result], {
            json: false,
            waitMs: 0,
            outbox: workspace.outbox,
            language: paydrop.config.language,
          }),
        onWaiting: (file) => process.stderr.write(`${describeWaiting(file)}\n`),
        onTrouble: (words) => process.stderr.write(`paydrop: ${words}\n`),
      });
      context.finish(isDone ? EXIT.done : EXIT.unfinished);
    } finally {
      process.off('SIGHUP', onHangUp);
      await exchange.close();
      await beside.close();
      await close();
    }
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
